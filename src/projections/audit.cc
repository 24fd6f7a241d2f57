#include "projections/audit.h"

#include <algorithm>

#include "base/check.h"
#include "base/endpoint.h"

namespace holdfast {

std::string PeriodKeyPrefixOfProxy(const std::string& proxy_id) { return "p/" + proxy_id + std::string(1, '\0'); }
std::string PeriodKeyPrefixOfWorker(const std::string& worker_id) { return "w/" + worker_id + std::string(1, '\0'); }
std::string PeriodKeyPrefixOfClient(const std::string& client_id) { return "c/" + client_id + std::string(1, '\0'); }

Digest Audit::HashOf(AddressKey address, const Hold& hold) {
  const OwnershipPeriod& period = hold.period;
  RowHasher hash(11);
  hash.Number(address.value()).Text(period.worker_id).Text(period.session_id).Number(period.epoch.value());
  hash.Number(ToMicros(period.granted_at)).Number(period.granted_sequence.value()).Number(ToMicros(period.revoked_at));
  hash.Number(static_cast<std::uint64_t>(period.lapse_cause)).Number(ToMicros(period.owned_until));
  if (!period.client_id.empty()) hash.Text(period.client_id).Text(period.extraction_id);
  return hash.Number(hold.proxies.size()).Finish();
}

void Audit::Apply(const ProxyAdded& event, const EntryPoint&) {
  if (event.new_address) addresses_.Insert(event.address, Row{});
  address_of_.Insert(event.proxy, event.address);
  Row& row = addresses_.At(event.address);
  row.standing.emplace_back(event.proxy, event.spec);
  if (!row.hold) return;
  digest_.Remove(HashOf(event.address, *row.hold));
  row.hold->proxies.push_back(event.spec);
  digest_.Add(HashOf(event.address, *row.hold));
}

void Audit::Apply(const ProxyRemoved& event, const EntryPoint&) {
  Row& row = addresses_.At(address_of_.At(event.proxy));
  address_of_.Erase(event.proxy);
  std::erase_if(row.standing, [&](const auto& standing) { return standing.first == event.proxy; });
}

void Audit::Apply(const AddressRetired& event, const EntryPoint&) { addresses_.Erase(event.address); }

// The caller says whose it is, and adds its hash.
Audit::Hold& Audit::Begin(AddressKey address, const EntryPoint& entry) {
  Row& row = addresses_.At(address);
  HOLDFAST_CHECK(!row.hold);
  row.hold = std::make_unique<Hold>();
  row.hold->period.granted_at = entry.at;
  row.hold->period.granted_sequence = entry.sequence;
  for (const auto& [proxy, spec] : row.standing) row.hold->proxies.push_back(spec);
  return *row.hold;
}

void Audit::Apply(const OwnershipGranted& event, const EntryPoint& entry) {
  Hold& hold = Begin(event.address, entry);
  hold.period.worker_id = event.worker_id.value();
  hold.period.session_id = event.session_id.value();
  hold.period.epoch = event.epoch;
  digest_.Add(HashOf(event.address, hold));
}

void Audit::Apply(const ProxiesExtracted& event, const EntryPoint& entry) {
  for (const AddressKey address : event.addresses) {
    Hold& hold = Begin(address, entry);
    hold.period.client_id = event.client_id.value();
    hold.period.extraction_id = event.extraction_id.value();
    hold.period.owned_until = event.ends_at;
    extracted_.insert(address);
    digest_.Add(HashOf(address, hold));
  }
}

// Ends of extractions move as extractions.h says.
void Audit::MoveEnds(Duration by) {
  for (const AddressKey address : extracted_) {
    Hold& hold = *addresses_.At(address).hold;
    digest_.Remove(HashOf(address, hold));
    hold.period.owned_until += by;
    digest_.Add(HashOf(address, hold));
  }
}

void Audit::Apply(const ControllerStarted& event, const EntryPoint&) {
  if (!event.same_boot) MoveEnds(event.downtime);
}

void Audit::Apply(const ClockAccepted& event, const EntryPoint&) { MoveEnds(event.moved); }

// Only the first one counts.
void Audit::NoteRevoke(OwnershipPeriod& period, RevokeReason reason, const EntryPoint& entry) {
  if (!IsAbsent(period.revoked_at)) return;
  period.revoked_at = entry.at;
  period.revoked_sequence = entry.sequence;
  period.revoke_reason = reason;
}

void Audit::Apply(const OwnershipRevoked& event, const EntryPoint& entry) {
  for (const AddressKey address : event.addresses) {
    Row& row = addresses_.At(address);
    HOLDFAST_CHECK(row.hold);
    digest_.Remove(HashOf(address, *row.hold));
    if (IsAbsent(row.hold->period.revoked_at)) row.hold->period.revoked_by = event.principal;
    NoteRevoke(row.hold->period, event.reason, entry);
    digest_.Add(HashOf(address, *row.hold));
  }
}

void Audit::Apply(const OwnershipLapsing& event, const EntryPoint& entry) {
  for (std::size_t i = 0; i < event.addresses.size(); ++i) {
    Row& row = addresses_.At(event.addresses[i]);
    HOLDFAST_CHECK(row.hold);
    digest_.Remove(HashOf(event.addresses[i], *row.hold));
    OwnershipPeriod& period = row.hold->period;
    period.lapse_cause = event.cause;
    period.owned_until = event.owned_until[i];
    if (event.cause == LapseCause::kRevoked) NoteRevoke(period, event.revoke_reason, entry);
    digest_.Add(HashOf(event.addresses[i], *row.hold));
  }
}

void Audit::Apply(const OwnershipResumed& event, const EntryPoint&) {
  for (const AddressKey address : event.addresses) {
    Row& row = addresses_.At(address);
    HOLDFAST_CHECK(row.hold);
    digest_.Remove(HashOf(address, *row.hold));
    row.hold->period.lapse_cause = LapseCause::kUnspecified;
    row.hold->period.owned_until = LogTime();
    digest_.Add(HashOf(address, *row.hold));
  }
}

// how: the reason, and the certificate where there is one.
void Audit::End(AddressKey address, const OwnershipPeriod& how, const EntryPoint& entry) {
  Row& row = addresses_.At(address);
  HOLDFAST_CHECK(row.hold);
  digest_.Remove(HashOf(address, *row.hold));
  for (OwnershipPeriod& period : Periods(*row.hold)) {
    period.ended_at = entry.at;
    period.ended_sequence = entry.sequence;
    period.end_reason = how.end_reason;
    period.target_version = how.target_version;
    period.issue_sequence = how.issue_sequence;
    period.ack_sequence = how.ack_sequence;
    period.report_sequence = how.report_sequence;
    ended_.push_back(std::move(period));
  }
  row.hold.reset();
}

void Audit::Apply(const OwnershipReleased& event, const EntryPoint& entry) {
  OwnershipPeriod how;
  how.end_reason = event.reason;
  how.target_version = event.target_version;
  how.issue_sequence = event.issue_sequence;
  how.ack_sequence = event.ack_sequence;
  how.report_sequence = event.report_sequence;
  End(event.address, how, entry);
}

void Audit::Apply(const ExtractionEnded& event, const EntryPoint& entry) {
  OwnershipPeriod how;
  how.end_reason = event.reason;
  for (const AddressKey address : event.addresses) {
    extracted_.erase(address);
    End(address, how, entry);
  }
}

std::vector<OwnershipPeriod> Audit::Periods(const Hold& hold) const {
  std::vector<OwnershipPeriod> periods;
  for (const Boxed<ProxySpec>& spec : hold.proxies) {
    OwnershipPeriod& period = periods.emplace_back(hold.period);
    period.proxy_id = spec->proxy_id.value();
    period.address = AddressText(spec->endpoint.host, spec->endpoint.port, spec->secret_ref);
  }
  return periods;
}

std::vector<OwnershipPeriod> Audit::Open(AddressKey address) const {
  const Row* row = addresses_.Find(address);
  if (row == nullptr || !row->hold) return {};
  return Periods(*row->hold);
}

std::vector<OwnershipPeriod> Audit::TakeEnded() { return std::exchange(ended_, {}); }

}  // namespace holdfast
