// Ownership history, put together: periods under way from the state, periods that are over from the log's rows.
//
//   OpenPeriods.Step (follower's thread)… ─► HistoryMerge.Step (reader pool's)…
//
// The order matters: what ends after the state was read is a row by the time the rows are read, so nothing is missed;
// what is in both is shown once, as ended. Belongs to one call, one thread at a time. Work of a step is bounded.
// Promises: in the order of granted_at; of removed proxies too, by the id that they had. Does not: know clients' holds.

#pragma once

#include <absl/status/status.h>

#include <string>
#include <utility>
#include <vector>

#include "events/event_log.h"
#include "holdfast/audit/v1/audit.pb.h"
#include "projections/controller_state.h"

namespace holdfast::server {

// What a history asks for. Half-open: periods that overlap [from, to).
struct HistoryQuery {
  std::string proxy_id;   // empty: any
  std::string holder_id;  // empty: any
  LogTime from;           // absent: the beginning
  LogTime to;             // absent: no end

  bool Wants(const OwnershipPeriod& period) const;
};

// Requires: the request is well formed (read_validate.h).
HistoryQuery QueryOf(const audit::v1::OwnershipHistoryRequest& request);

// The periods under way. A holder's are found by the holder; a proxy's by a walk over all that is held, since an id
// that has left an address may still be held on it.
class OpenPeriods {
 public:
  static constexpr std::size_t kAddressesPerStep = 1'000;

  explicit OpenPeriods(const HistoryQuery& query) : query_(query) {}

  void Step(const ControllerState& state);
  bool done() const { return done_; }
  // In the order of the rows that they will once be.
  std::vector<OwnershipPeriod> Take();

 private:
  WorkerKey FirstHolder(const ControllerState& state) const;
  void LookAt(const ControllerState& state, AddressKey address);

  const HistoryQuery& query_;
  WorkerKey holder_;    // 0: not begun
  AddressKey address_;  // the next of this holder is above it
  bool done_ = false;
  std::vector<OwnershipPeriod> found_;
};

class HistoryMerge {
 public:
  static constexpr int kPeriodsPerStep = 500;

  HistoryMerge(const HistoryQuery& query, std::vector<OwnershipPeriod> open);

  // Appends the next periods; none while it is not done: there are more rows to look at.
  absl::Status Step(const EventLog& log, audit::v1::OwnershipHistoryResponse* out);
  bool done() const { return done_; }

 private:
  absl::Status Take(const SideRow& row, audit::v1::OwnershipHistoryResponse* out);
  void TakeOpenBefore(const OwnershipPeriod* ended, audit::v1::OwnershipHistoryResponse* out);

  const HistoryQuery& query_;
  const std::string prefix_;  // of the rows
  std::string after_;         // key of the last row that was looked at
  std::vector<OwnershipPeriod> open_;
  std::size_t next_open_ = 0;
  bool rows_done_ = false;
  bool done_ = false;
};

}  // namespace holdfast::server
