// The calls of Extract that are under way, and who answers each.
//
//   Enter ─► its input is decided ─┬─ a rejection, or the answer that stands ─────────────────► answered
//                                  └─ ExtractionAsked: waits ─► Settle: the store, or its silence ─► answered
//                                                           └─► CloseAll: the process ends ──────► answered
//
// Life cycle: made before the loop, destroyed after it and after the gRPC server. A call is entered before its input is
// submitted, so whatever is told of it finds it, in whatever order. Thread: any. Promises: each call is answered once,
// by whoever comes first; of ids that nobody waits for nothing is done; the number of calls is bounded. A call whose
// client has gone stays until it is answered. Does not: look at the time; an intent that the store leaves unanswered is
// doubted by the rules, which is told here.

#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "controller/command.h"
#include "server/read_answer.h"

namespace holdfast::server {

class ExtractionWaits {
 public:
  using Answer = decltype(ExtractionSettled::answer);

  // most: calls at a time.
  explicit ExtractionWaits(std::size_t most) : most_(most) {}

  // Requires: an id that no other call has. A rejection: the call is not taken, and not answered.
  // reactor, response: gRPC's, good until the answer.
  std::optional<Rejection> Enter(const ExtractionId& id, const std::string& client_id,
                                 grpc::ServerUnaryReactor* reactor, distribution::v1::ExtractResponse* response);

  void Settle(ExtractionSettled settled);

  // No call is taken any more, and those that are here end with the rejection.
  void CloseAll(const Rejection& rejection);

  std::size_t size() const;

 private:
  struct Call {
    std::unique_ptr<ReadAnswer> answer;
    distribution::v1::ExtractResponse* response = nullptr;
  };
  static void Finish(Call call, Answer answer);

  const std::size_t most_;
  mutable std::mutex mutex_;
  absl::flat_hash_map<std::string, Call> calls_;  // guarded by mutex_, and below
  bool closed_ = false;
};

// Of the inputs that carry what the store answered: their reply is for the call that waits.
class SettleSink final : public ReplySink {
 public:
  explicit SettleSink(ExtractionWaits& waits) : waits_(waits) {}
  void Deliver(Reply reply) override;

 private:
  ExtractionWaits& waits_;
};

}  // namespace holdfast::server
