// One CheckProxy call: a check that an operator asks for, and waits for.
//
//   asked ─► decided ─► looks whenever the log has grown ─► observed, over unobserved, or too late ─► answered
//                └─ refused: answered
//
// Life cycle: owns itself from Begin until OnDone; the sink of its command and closures under way hold it as well;
// known to ReadStreams meanwhile, which wakes and ends it. Thread: gRPC's, the dispatcher's, the follower's, the reader
// pool's, housekeeping's. Promises: answered once; the observation is the first that was decided after the call, in the
// checker's own words; absent where its task ended without one, where the proxy is not checked any more, and after
// twice the time that a task has. A client that goes away frees it; the check goes on.

#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <memory>
#include <mutex>
#include <optional>

#include "holdfast/admin/v1/admin.pb.h"
#include "server/read_context.h"

namespace holdfast::server {

class CheckCall final : public grpc::ServerUnaryReactor,
                        public OperatorStream,
                        public std::enable_shared_from_this<CheckCall> {
 public:
  using Request = admin::v1::CheckProxyRequest;
  using Response = admin::v1::CheckProxyResponse;

  // response: gRPC's, good until the answer.
  CheckCall(const ReadContext& reads, const Request& request, Response* response)
      : reads_(reads), request_(request), response_(response) {}

  // What the service returns to gRPC. rejection: of a request that is not well formed.
  static CheckCall* Begin(const std::shared_ptr<CheckCall>& call, grpc::CallbackServerContext* context,
                          const std::optional<Rejection>& rejection);

  void EndWith(const Rejection& rejection) override;
  void Tick(LogTime now) override;
  void Wake() override { LookSoon(false); }

  void OnCancel() override;
  void OnDone() override;

 private:
  class Sink;

  void Wait(const CheckAccepted& accepted);
  void LookSoon(bool for_the_last_time);
  void Look(const ControllerState& state, bool for_the_last_time);
  bool IsOverUnobserved(const ControllerState& state);
  void TellObserved(const ControllerState& state, const Evidence& latest);
  // The first one counts.
  void Answer(const grpc::Status& status, Response* answer);

  const ReadContext reads_;
  const Request request_;
  std::uint64_t number_ = 0;  // in the registry
  CheckAccepted accepted_;    // set before the first look; the rest is the follower's thread's
  TaskId task_;               // of the check that was asked for; 0: not issued yet

  std::mutex mutex_;
  Response* const response_;         // guarded by mutex_ until it has ended, and all below
  std::shared_ptr<CheckCall> self_;  // until OnDone
  bool ended_ = false;
  LogTime patience_;  // until when it waits; absent: it does not
};

}  // namespace holdfast::server
