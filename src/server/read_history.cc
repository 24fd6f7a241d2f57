#include "server/read_history.h"

#include <algorithm>
#include <tuple>

#include "controller/period_rows.h"
#include "controller/proto_time.h"

namespace holdfast::server {
namespace {

constexpr std::size_t kRowsPerStep = 256;

// The order of the rows of one proxy or one worker, whichever it is.
auto OrderOf(const OwnershipPeriod& period) {
  return std::tie(period.granted_sequence, period.proxy_id, period.address);
}

const std::string& HolderOf(const OwnershipPeriod& period) {
  return period.client_id.empty() ? period.worker_id : period.client_id;
}

void PutPeriod(const OwnershipPeriod& period, audit::v1::OwnershipPeriod* out) {
  out->set_proxy_id(period.proxy_id);
  out->set_holder_kind(period.client_id.empty() ? audit::v1::HOLDER_KIND_WORKER : audit::v1::HOLDER_KIND_CLIENT);
  out->set_holder_id(HolderOf(period));
  out->set_session_id(period.session_id);
  out->set_extraction_id(period.extraction_id);
  out->set_ownership_epoch(period.epoch.value());
  PutTime(period.granted_at, out->mutable_granted_at());
  out->set_granted_sequence(period.granted_sequence.value());
  if (!IsAbsent(period.revoked_at)) PutTime(period.revoked_at, out->mutable_revoked_at());
  out->set_revoked_sequence(period.revoked_sequence.value());
  out->set_revoke_reason(static_cast<audit::v1::RevokeReason>(period.revoke_reason));
  if (!IsAbsent(period.owned_until)) PutTime(period.owned_until, out->mutable_owned_until());
  if (!IsAbsent(period.ended_at)) PutTime(period.ended_at, out->mutable_ended_at());
  out->set_ended_sequence(period.ended_sequence.value());
  out->set_end_reason(static_cast<audit::v1::EndReason>(period.end_reason));
  out->set_revoked_by(period.revoked_by);
  out->set_target_version(period.target_version.value());
  out->set_issue_sequence(period.issue_sequence.value());
  out->set_ack_sequence(period.ack_sequence.value());
  out->set_report_sequence(period.report_sequence.value());
}

}  // namespace

bool HistoryQuery::Wants(const OwnershipPeriod& period) const {
  if (!proxy_id.empty() && period.proxy_id != proxy_id) return false;
  if (!holder_id.empty() && HolderOf(period) != holder_id) return false;
  if (!IsAbsent(to) && period.granted_at >= to) return false;
  return IsAbsent(period.ended_at) || period.ended_at > from;
}

HistoryQuery QueryOf(const audit::v1::OwnershipHistoryRequest& request) {
  HistoryQuery query{request.proxy_id(), request.holder_id(), {}, {}};
  if (request.has_from()) query.from = *ReadTime(request.from());
  if (request.has_to()) query.to = *ReadTime(request.to());
  return query;
}

WorkerKey OpenPeriods::FirstHolder(const ControllerState& state) const {
  if (query_.holder_id.empty()) return state.sessions().workers().NextKey(WorkerKey(1));
  const WorkerRow* worker = state.sessions().Find(query_.holder_id);
  return worker == nullptr ? WorkerKey() : worker->opened.worker;
}

void OpenPeriods::LookAt(const ControllerState& state, AddressKey address) {
  for (OwnershipPeriod& period : state.audit().Open(address)) {
    if (!query_.Wants(period)) continue;
    // While it is granted, its end moves with the updates.
    if (IsAbsent(period.owned_until)) period.owned_until = state.ownership().OwnedUntil(address);
    found_.push_back(std::move(period));
  }
}

void OpenPeriods::Step(const ControllerState& state) {
  std::size_t looked_at = 0;
  if (!workers_done_) workers_done_ = StepWorkers(state, looked_at);
  if (workers_done_) done_ = StepClients(state, looked_at);
}

bool OpenPeriods::StepWorkers(const ControllerState& state, std::size_t& looked_at) {
  if (holder_.value() == 0) holder_ = FirstHolder(state);
  while (holder_.value() != 0) {
    const auto& owned = state.ownership().holder(holder_).owned;
    for (auto address = owned.upper_bound(address_); address != owned.end(); ++address) {
      if (looked_at++ == kAddressesPerStep) return false;
      LookAt(state, *address);
      address_ = *address;
    }
    address_ = AddressKey();
    if (!query_.holder_id.empty()) break;
    holder_ = state.sessions().workers().NextKey(Next(holder_));
    if (looked_at++ == kAddressesPerStep && holder_.value() != 0) return false;
  }
  return true;
}

// A few hundred addresses at most stand in one extraction.
bool OpenPeriods::StepClients(const ControllerState& state, std::size_t& looked_at) {
  const auto& rows = state.extractions().rows();
  for (ExtractionKey key = rows.NextKey(extraction_); key.value() != 0; key = rows.NextKey(extraction_)) {
    if (looked_at++ >= kAddressesPerStep) return false;
    extraction_ = Next(key);
    const ExtractionRow& row = rows.At(key);
    if (row.phase != ExtractionPhase::kStanding) continue;
    if (!query_.holder_id.empty() && row.client_id.value() != query_.holder_id) continue;
    looked_at += row.addresses.size();
    for (const AddressKey address : row.addresses) LookAt(state, address);
  }
  return true;
}

std::vector<OwnershipPeriod> OpenPeriods::Take() {
  std::sort(found_.begin(), found_.end(),
            [](const OwnershipPeriod& a, const OwnershipPeriod& b) { return OrderOf(a) < OrderOf(b); });
  return std::move(found_);
}

absl::Status PeriodRows::Read(const EventLog& log) {
  const absl::StatusOr<std::vector<SideRow>> rows = log.OwnershipPeriods(prefix_, after_, kRowsPerStep);
  if (!rows.ok()) return rows.status();
  batch_.clear();
  next_ = 0;
  for (const SideRow& row : *rows) {
    absl::StatusOr<OwnershipPeriod> period = ReadPeriodRow(row.value);
    if (!period.ok()) return period.status();
    batch_.push_back(*std::move(period));
  }
  if (!rows->empty()) after_ = rows->back().key;
  read_all_ = rows->size() < kRowsPerStep;
  return absl::OkStatus();
}

absl::StatusOr<const OwnershipPeriod*> PeriodRows::Head(const EventLog& log) {
  if (next_ == batch_.size() && !read_all_) {
    if (absl::Status status = Read(log); !status.ok()) return status;
  }
  return next_ == batch_.size() ? nullptr : &batch_[next_];
}

HistoryMerge::HistoryMerge(const HistoryQuery& query, std::vector<OwnershipPeriod> open)
    : query_(query), open_(std::move(open)) {
  if (!query.proxy_id.empty()) {
    rows_.emplace_back(PeriodKeyPrefixOfProxy(query.proxy_id));
  } else {
    rows_.emplace_back(PeriodKeyPrefixOfWorker(query.holder_id));
    rows_.emplace_back(PeriodKeyPrefixOfClient(query.holder_id));
  }
}

// Those that come before an ended one; with nullptr: all that are left. One that is the ended one itself is passed
// over.
void HistoryMerge::TakeOpenBefore(const OwnershipPeriod* ended, audit::v1::OwnershipHistoryResponse* out) {
  while (next_open_ < open_.size() && (ended == nullptr || OrderOf(open_[next_open_]) <= OrderOf(*ended))) {
    if (ended == nullptr && out->periods_size() >= kPeriodsPerStep) return;
    const OwnershipPeriod& open = open_[next_open_++];
    if (ended != nullptr && OrderOf(open) == OrderOf(*ended)) continue;
    PutPeriod(open, out->add_periods());
  }
}

absl::StatusOr<std::optional<OwnershipPeriod>> HistoryMerge::NextRow(const EventLog& log) {
  PeriodRows* earliest = nullptr;
  const OwnershipPeriod* period = nullptr;
  for (PeriodRows& rows : rows_) {
    const absl::StatusOr<const OwnershipPeriod*> head = rows.Head(log);
    if (!head.ok()) return head.status();
    if (*head == nullptr || (period != nullptr && OrderOf(*period) <= OrderOf(**head))) continue;
    earliest = &rows;
    period = *head;
  }
  if (earliest == nullptr) return std::nullopt;
  std::optional<OwnershipPeriod> next = *period;
  earliest->Pop();
  return next;
}

absl::Status HistoryMerge::Step(const EventLog& log, audit::v1::OwnershipHistoryResponse* out) {
  for (std::size_t taken = 0; !rows_done_; ++taken) {
    if (taken == kRowsPerStep || out->periods_size() >= kPeriodsPerStep) return absl::OkStatus();
    const absl::StatusOr<std::optional<OwnershipPeriod>> row = NextRow(log);
    if (!row.ok()) return row.status();
    rows_done_ = !row->has_value();
    if (rows_done_) break;
    TakeOpenBefore(&**row, out);
    if (query_.Wants(**row)) PutPeriod(**row, out->add_periods());
  }
  TakeOpenBefore(nullptr, out);
  done_ = next_open_ == open_.size();
  return absl::OkStatus();
}

}  // namespace holdfast::server
