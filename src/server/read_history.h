// Ownership history, put together: periods under way from the state, periods that are over from the log's rows.
//
//   OpenPeriods.Step (follower's thread)… ─► HistoryMerge.Step (reader pool's)…
//
// The order matters: what ends after the state was read is a row by the time the rows are read, so nothing is missed;
// what is in both is shown once, as ended. Belongs to one call, one thread at a time. Work of a step is bounded.
// Promises: in the order of granted_at; of removed proxies too, by the id that they had. A holder is a worker or a
// client; where both have the same id, both are shown.

#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <optional>
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

// The periods under way: of workers, then of clients. A worker's are found by the worker; a proxy's by a walk over all
// that is held, since an id that has left an address may still be held on it. Clients' are found among all extractions
// that stand.
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
  // Each: whether that was the last of them. looked_at: in this step.
  bool StepWorkers(const ControllerState& state, std::size_t& looked_at);
  bool StepClients(const ControllerState& state, std::size_t& looked_at);
  void LookAt(const ControllerState& state, AddressKey address);

  const HistoryQuery& query_;
  WorkerKey holder_;    // 0: not begun
  AddressKey address_;  // the next of this holder is above it
  bool workers_done_ = false;
  ExtractionKey extraction_{1};  // the next is this one, or above it
  bool done_ = false;
  std::vector<OwnershipPeriod> found_;
};

// Rows with one key prefix, in their order, a batch at a time.
class PeriodRows {
 public:
  explicit PeriodRows(std::string prefix) : prefix_(std::move(prefix)) {}

  // The first that was not taken; nullptr: there is none. Reads the log where none is at hand.
  absl::StatusOr<const OwnershipPeriod*> Head(const EventLog& log);
  void Pop() { ++next_; }

 private:
  absl::Status Read(const EventLog& log);

  const std::string prefix_;
  std::string after_;  // key of the last row that was read
  std::vector<OwnershipPeriod> batch_;
  std::size_t next_ = 0;   // of the batch
  bool read_all_ = false;  // what ends from here on has been seen as open
};

class HistoryMerge {
 public:
  static constexpr int kPeriodsPerStep = 500;

  HistoryMerge(const HistoryQuery& query, std::vector<OwnershipPeriod> open);

  // Appends the next periods; none while it is not done: there are more rows to look at.
  absl::Status Step(const EventLog& log, audit::v1::OwnershipHistoryResponse* out);
  bool done() const { return done_; }

 private:
  // The earliest of all rows, taken; nullopt: there is none.
  absl::StatusOr<std::optional<OwnershipPeriod>> NextRow(const EventLog& log);
  void TakeOpenBefore(const OwnershipPeriod* ended, audit::v1::OwnershipHistoryResponse* out);

  const HistoryQuery& query_;
  std::vector<PeriodRows> rows_;  // of the proxy; or of the worker and of the client of this id
  std::vector<OwnershipPeriod> open_;
  std::size_t next_open_ = 0;
  bool rows_done_ = false;
  bool done_ = false;
};

}  // namespace holdfast::server
