#include "pool/check.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>

#include "pool/trouble.h"

namespace holdfast::pool {
namespace {

// The workers whose index a write may touch; empty: none.
std::array<const std::string*, 2> WorkersOf(const Write& write) {
  static const std::string kNone;
  if (const auto* address = std::get_if<AddressWrite>(&write)) return {&address->row.owner, &address->previous_owner};
  if (const auto* removal = std::get_if<AddressRemoval>(&write)) return {&removal->previous_owner, &kNone};
  return {&kNone, &kNone};
}

bool IsTime(LogTime time) { return ToMicros(time) >= 0 && ToMicros(time) < kTimeLimitMicros; }

absl::Status CheckWrite(const AddressWrite& write) {
  const AddressRow& row = write.row;
  const auto wrong = [&](const std::string& what) {
    return WrongRequest(absl::StrCat("Address ", row.id, ": ", what));
  };
  if (row.id.empty()) return WrongRequest("An address write without an id");
  if (HasOwner(row.state) == row.owner.empty())
    return wrong("granted, revoking and lapsing have an owner, others none");
  if ((row.state == AddressState::kExtracted) == row.extraction_id.empty()) {
    return wrong("extracted has an extraction id, other states have none");
  }
  if (row.available_until && !IsTime(*row.available_until)) return wrong("available_until is out of range");
  if (!IsTime(row.extracted_until)) return wrong("extracted_until is out of range");
  return absl::OkStatus();
}

absl::Status CheckWrite(const AddressRemoval& write) {
  return write.id.empty() ? WrongRequest("A removal of an address without an id") : absl::OkStatus();
}

absl::Status CheckWrite(const ProxyRow& row) {
  if (row.id.empty() || row.address.empty()) return WrongRequest("A proxy row without an id or an address");
  if (!IsTime(row.usable_until)) return WrongRequest(absl::StrCat("Proxy ", row.id, ": usable_until is out of range"));
  return absl::OkStatus();
}

absl::Status CheckWrite(const ProxyRemoval& write) {
  return write.id.empty() ? WrongRequest("A removal of a proxy without an id") : absl::OkStatus();
}

absl::Status CheckWrite(const SessionRow& row) {
  if (row.worker.empty()) return WrongRequest("A session row without a worker");
  if (row.ttl < std::chrono::milliseconds(1) || !IsTime(LogTime(row.ttl))) {
    return WrongRequest(absl::StrCat("Session of ", row.worker, ": the ttl must be at least a millisecond"));
  }
  absl::flat_hash_set<std::string_view> names;
  for (const auto& [name, value] : row.fields) {
    if (name.empty() || !names.insert(name).second) {
      return WrongRequest(absl::StrCat("Session of ", row.worker, ": names of fields must differ and not be empty"));
    }
  }
  if (!row.fields.empty() && row.fields.size() <= kMaxSessionFields) return absl::OkStatus();
  return WrongRequest(absl::StrCat("Session of ", row.worker, ": a row has 1 to ", kMaxSessionFields, " fields"));
}

absl::Status CheckWrite(const SessionRemoval& write) {
  return write.worker.empty() ? WrongRequest("A removal of a session without a worker") : absl::OkStatus();
}

absl::Status CheckKeys(const Batch& batch) {
  KeyCount keys;
  for (const Write& write : batch.writes) keys.Add(write);
  const std::size_t count = keys.count() + batch.settled.size() + kSharedKeys;
  if (count <= kMaxKeys) return absl::OkStatus();
  return WrongRequest(absl::StrCat("Batch ", batch.follows.value(), " to ", batch.upto.value(), " touches ", count,
                                   " keys, the limit is ", kMaxKeys, ": split it into parts"));
}

absl::Status CheckWriter(const LogId& log_id, ControllerEpoch epoch) {
  if (log_id == LogId{}) return WrongRequest("A write without a log_id");
  return epoch.value() == 0 ? WrongRequest("A write without a controller_epoch") : absl::OkStatus();
}

absl::Status CheckIntent(const std::string& id, Sequence follows, Sequence sequence) {
  if (id.empty()) return WrongRequest("An extraction without an id");
  if (sequence <= follows)
    return WrongRequest(absl::StrCat("Extraction ", id, ": its sequence is not after `follows`"));
  return absl::OkStatus();
}

}  // namespace

std::size_t KeyCount::Added(const Write& write) const {
  std::size_t added = 1;
  const auto workers = WorkersOf(write);
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const bool is_first = i == 0 || *workers[i] != *workers[0];
    if (!workers[i]->empty() && is_first && !workers_.contains(*workers[i])) ++added;
  }
  return added;
}

void KeyCount::Add(const Write& write) {
  count_ += Added(write);
  for (const std::string* worker : WorkersOf(write)) {
    if (!worker->empty()) workers_.insert(*worker);
  }
}

absl::Status CheckBatch(const Batch& batch) {
  if (absl::Status status = CheckWriter(batch.log_id, batch.controller_epoch); !status.ok()) return status;
  const auto wrong = [&](const std::string& what) {
    return WrongRequest(absl::StrCat("Batch ", batch.follows.value(), " to ", batch.upto.value(), ": ", what));
  };
  if (batch.upto <= batch.follows) return wrong("`upto` is not after `follows`");
  if (!batch.last_part && !batch.settled.empty()) return wrong("settled extractions belong into the last part");
  for (const Settled& settled : batch.settled) {
    if (settled.extraction_id.empty()) return wrong("a settled extraction without an id");
    if (settled.entry <= batch.follows || settled.entry > batch.upto) return wrong("settled by an entry outside it");
  }
  if (absl::Status status = CheckRows(batch.writes); !status.ok()) return status;
  return CheckKeys(batch);
}

absl::Status CheckRows(std::span<const Write> rows) {
  for (const Write& row : rows) {
    const absl::Status status = std::visit([](const auto& one) { return CheckWrite(one); }, row);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckExtract(const ExtractRequest& request) {
  if (absl::Status status = CheckWriter(request.log_id, request.controller_epoch); !status.ok()) return status;
  if (absl::Status status = CheckIntent(request.extraction_id, request.follows, request.sequence); !status.ok()) {
    return status;
  }
  const auto wrong = [&](const std::string& what) {
    return WrongRequest(absl::StrCat("Extraction ", request.extraction_id, ": ", what));
  };
  if (request.need == 0) return wrong("it needs nothing");
  if (request.candidates.empty() || request.candidates.size() > kMaxCandidates) {
    return wrong(absl::StrCat(request.candidates.size(), " candidates, one call takes 1 to ", kMaxCandidates));
  }
  if (!IsTime(request.extracted_until)) return wrong("extracted_until is out of range");
  absl::flat_hash_set<std::string_view> addresses;
  for (const Candidate& candidate : request.candidates) {
    if (candidate.address.empty()) return wrong("a candidate without an address");
    if (!addresses.insert(candidate.address).second)
      return wrong(absl::StrCat(candidate.address, " stands in it twice"));
  }
  return absl::OkStatus();
}

absl::Status CheckCancel(const CancelRequest& request) {
  if (absl::Status status = CheckWriter(request.log_id, request.controller_epoch); !status.ok()) return status;
  return CheckIntent(request.extraction_id, request.follows, request.sequence);
}

absl::Status CheckCall(const Call& call) {
  if (const auto* batch = std::get_if<Batch>(&call)) return CheckBatch(*batch);
  if (const auto* extract = std::get_if<ExtractRequest>(&call)) return CheckExtract(*extract);
  return CheckCancel(std::get<CancelRequest>(call));
}

absl::Status CheckStart(const ResyncStart& start) { return CheckWriter(start.log_id, start.controller_epoch); }

absl::Status CheckScan(const ScanRequest& request) {
  if ((request.kind == ScanKind::kOwned) == request.worker.empty()) {
    return WrongRequest("A scan names a worker where it reads what that worker owns, and only there");
  }
  return request.limit == 0 ? WrongRequest("A scan with a limit of 0") : absl::OkStatus();
}

}  // namespace holdfast::pool
