#include "projections/extractions.h"

#include <absl/container/btree_set.h>

#include "base/check.h"
#include "events/field_codec.h"

namespace holdfast {
namespace {

std::string_view AsText(const RequestHash& hash) { return {reinterpret_cast<const char*>(hash.data()), hash.size()}; }

// Neither id holds a slash.
std::string RequestKey(std::string_view client_id, std::string_view request_id) {
  std::string key(client_id);
  key.push_back('/');
  return key.append(request_id);
}

void HashWhatIsOut(const ExtractionRow& row, RowHasher& hash) {
  for (const AddressKey address : row.addresses) hash.Number(address.value());
  for (const HandedOut& out : row.proxies) {
    hash.Number(out.proxy.value()).Number(out.address.value()).Number(out.given_back);
  }
  for (const ProxySpec& spec : row.specs) {
    std::string bytes;
    wire::PutStruct(bytes, spec);
    hash.Text(bytes);
  }
}

Digest HashOf(ExtractionKey key, const ExtractionRow& row) {
  RowHasher hash(21);
  hash.Number(key.value()).Text(row.extraction_id.value()).Text(row.client_id.value()).Text(row.request_id);
  hash.Text(AsText(row.content_hash)).Number(static_cast<std::uint64_t>(row.phase));
  HashWhatIsOut(row, hash);
  hash.Number(row.need).Number(row.requested).Number(row.all_or_nothing);
  hash.Number(static_cast<std::uint64_t>(row.hold.count())).Number(ToMicros(row.deadline));
  hash.Number(ToMicros(row.extracted_until)).Number(ToMicros(row.ends_at));
  hash.Number(static_cast<std::uint64_t>(row.end_reason)).Number(row.answered.value());
  return hash.Number(ToMicros(row.remembered_until)).Finish();
}

Digest HashOf(const ReleaseRow& row) {
  RowHasher hash(22);
  hash.Text(row.client_id.value()).Text(row.request_id).Text(AsText(row.content_hash)).Number(row.released);
  return hash.Number(row.answered.value()).Number(ToMicros(row.remembered_until)).Finish();
}

Digest HashOf(const ShortageRow& row) {
  RowHasher hash(23);
  hash.Text(row.client_id.value()).Text(row.request_id).Number(row.lacking).Number(ToMicros(row.until));
  return hash.Finish();
}

// What is over is remembered by its ids alone.
void Shrink(ExtractionRow& row) {
  row.proxies = {};
  row.specs = {};
  row.addresses = {};
}

}  // namespace

void Extractions::Index(ExtractionKey key, const ExtractionRow& row, bool present) {
  const auto at = [&](DeadlineIndex<ExtractionKey>& index, bool runs, LogTime time) {
    if (runs) index.Move(key, present ? LogTime() : time, present ? time : LogTime());
  };
  at(deadlines_, row.open(), row.deadline);
  at(ends_, row.phase == ExtractionPhase::kStanding, row.ends_at);
  at(forgets_, row.phase == ExtractionPhase::kOver, row.remembered_until);
  counts_[static_cast<std::size_t>(row.phase)] += present ? 1 : -std::uint64_t{1};
}

template <class F>
void Extractions::Change(ExtractionKey key, F&& change) {
  ExtractionRow& row = rows_.At(key);
  digest_.Remove(HashOf(key, row));
  Index(key, row, false);
  change(row);
  Index(key, row, true);
  digest_.Add(HashOf(key, row));
}

void Extractions::Forget(ExtractionKey key) {
  const ExtractionRow& row = rows_.At(key);
  digest_.Remove(HashOf(key, row));
  Index(key, row, false);
  by_id_.Erase(row.extraction_id.value());
  if (!row.request_id.empty()) by_request_.Erase(RequestKey(row.client_id.value(), row.request_id));
  rows_.Erase(key);
}

// Deadlines of answers by the one, everything else by the other.
void Extractions::Move(Duration asked, Duration others) {
  for (ExtractionKey key = rows_.NextKey(ExtractionKey(1)); key.value() != 0; key = rows_.NextKey(Next(key))) {
    if (others == Duration(0) && !rows_.At(key).open()) continue;
    Change(key, [&](ExtractionRow& row) {
      if (row.open()) row.deadline += asked;
      for (LogTime* time : {&row.extracted_until, &row.ends_at, &row.remembered_until}) {
        if (!IsAbsent(*time)) *time += others;
      }
    });
  }
  if (others == Duration(0)) return;
  for (auto& [key, row] : releases_) {
    digest_.Remove(HashOf(row));
    release_forgets_.Move(key, row.remembered_until, row.remembered_until + others);
    row.remembered_until += others;
    digest_.Add(HashOf(row));
  }
  for (auto& [key, row] : shortages_) {
    digest_.Remove(HashOf(row));
    shortage_ends_.Move(key, row.until, row.until + others);
    row.until += others;
    digest_.Add(HashOf(row));
  }
}

void Extractions::Apply(const ControllerStarted& event, const EntryPoint&) {
  Move(event.downtime, event.same_boot ? Duration(0) : event.downtime);
}

void Extractions::Apply(const ClockAccepted& event, const EntryPoint&) { Move(event.moved, event.moved); }

void Extractions::Apply(const ExtractionPrepared& event, const EntryPoint&) {
  HOLDFAST_CHECK(event.extraction == next_ && event.counts.size() == event.addresses.size());
  next_ = Next(next_);
  ExtractionRow row;
  row.extraction_id = event.extraction_id;
  row.client_id = event.client_id;
  row.request_id = event.request_id;
  row.content_hash = event.content_hash;
  row.addresses = event.addresses;
  std::size_t proxy = 0;
  for (std::size_t i = 0; i < event.addresses.size(); ++i) {
    for (std::uint32_t k = 0; k < event.counts[i]; ++k) {
      row.proxies.push_back({event.proxies.at(proxy++), event.addresses[i], false});
    }
  }
  row.need = event.need;
  row.requested = event.requested;
  row.all_or_nothing = event.all_or_nothing;
  row.hold = event.hold;
  row.deadline = event.deadline;
  by_id_.Insert(row.extraction_id.value(), event.extraction);
  const std::string request = RequestKey(row.client_id.value(), row.request_id);
  if (!row.request_id.empty()) by_request_.Insert(request, event.extraction);
  DropShortage(request);
  Index(event.extraction, row, true);
  digest_.Add(HashOf(event.extraction, row));
  rows_.Insert(event.extraction, std::move(row));
}

void Extractions::Apply(const ExtractionDoubted& event, const EntryPoint&) {
  Change(event.extraction, [&](ExtractionRow& row) {
    HOLDFAST_CHECK(row.phase == ExtractionPhase::kAsked);
    row.phase = ExtractionPhase::kDoubted;
    row.deadline = event.deadline;
  });
}

void Extractions::Apply(const ProxiesExtracted& event, const EntryPoint& entry) {
  Change(event.extraction, [&](ExtractionRow& row) {
    HOLDFAST_CHECK(row.phase == ExtractionPhase::kAsked && event.specs.size() == event.proxies.size());
    row.phase = ExtractionPhase::kStanding;
    row.addresses = event.addresses;
    const absl::btree_set<ProxyKey> moved(event.proxies.begin(), event.proxies.end());
    std::erase_if(row.proxies, [&](const HandedOut& out) { return !moved.contains(out.proxy); });
    HOLDFAST_CHECK(row.proxies.size() == event.proxies.size());
    row.specs = event.specs;
    row.extracted_until = event.extracted_until;
    row.ends_at = event.ends_at;
    row.end_reason = event.end_reason;
    row.answered = entry.sequence;
    row.deadline = LogTime();
  });
}

void Extractions::Apply(const ExtractionGivenBack& event, const EntryPoint&) { Forget(event.extraction); }

void Extractions::KeepRelease(const ExtractionEnded& event, const EntryPoint& entry) {
  const std::string key = RequestKey(event.client_id.value(), event.request_id);
  const ReleaseRow row{event.client_id,      event.request_id, event.content_hash,
                       event.proxies.size(), entry.sequence,   event.remembered_until};
  HOLDFAST_CHECK(releases_.insert({key, row}).second);
  release_forgets_.Move(key, LogTime(), row.remembered_until);
  digest_.Add(HashOf(row));
}

void Extractions::Apply(const ExtractionEnded& event, const EntryPoint& entry) {
  if (!event.request_id.empty()) KeepRelease(event, entry);
  const absl::btree_set<ProxyKey> back(event.proxies.begin(), event.proxies.end());
  const absl::btree_set<AddressKey> free(event.addresses.begin(), event.addresses.end());
  Change(event.extraction, [&](ExtractionRow& row) {
    HOLDFAST_CHECK(row.phase == ExtractionPhase::kStanding);
    for (HandedOut& out : row.proxies) out.given_back = out.given_back || back.contains(out.proxy);
    std::erase_if(row.addresses, [&](AddressKey address) { return free.contains(address); });
    if (!event.over) return;
    row.phase = ExtractionPhase::kOver;
    row.remembered_until = event.remembered_until;
    Shrink(row);
  });
  if (event.over && rows_.At(event.extraction).request_id.empty()) Forget(event.extraction);
}

void Extractions::Apply(const RequestForgotten& event, const EntryPoint&) {
  const std::string key = RequestKey(event.client_id.value(), event.request_id);
  if (!event.release) return Forget(by_request_.Find(key));
  const auto found = releases_.find(key);
  HOLDFAST_CHECK(found != releases_.end());
  digest_.Remove(HashOf(found->second));
  release_forgets_.Move(key, found->second.remembered_until, LogTime());
  releases_.erase(found);
}

void Extractions::DropShortage(const std::string& key) {
  const auto found = shortages_.find(key);
  if (found == shortages_.end()) return;
  digest_.Remove(HashOf(found->second));
  shortage_ends_.Move(key, found->second.until, LogTime());
  lacking_ -= found->second.lacking;
  shortages_.erase(found);
}

void Extractions::Apply(const ShortageNoted& event, const EntryPoint&) {
  const std::string key = RequestKey(event.client_id.value(), event.request_id);
  DropShortage(key);
  if (event.lacking == 0) return;
  const ShortageRow row{event.client_id, event.request_id, event.lacking, event.until};
  shortages_.insert({key, row});
  shortage_ends_.Move(key, LogTime(), row.until);
  lacking_ += row.lacking;
  digest_.Add(HashOf(row));
}

ExtractionKey Extractions::FindRequest(std::string_view client_id, std::string_view request_id) const {
  return by_request_.Find(RequestKey(client_id, request_id));
}

const ReleaseRow* Extractions::FindRelease(std::string_view client_id, std::string_view request_id) const {
  const auto found = releases_.find(RequestKey(client_id, request_id));
  return found == releases_.end() ? nullptr : &found->second;
}

const ShortageRow* Extractions::FindShortage(std::string_view client_id, std::string_view request_id) const {
  const auto found = shortages_.find(RequestKey(client_id, request_id));
  return found == shortages_.end() ? nullptr : &found->second;
}

}  // namespace holdfast
