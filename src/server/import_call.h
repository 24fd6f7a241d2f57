// One ImportProxies stream: batch in, decided and durable, answer out, the next.
//
//   reading ─► deciding ─► [ removing the unnamed, as often as needed ] ─► answering ─► reading … ─► ended
//
// Life cycle: owns itself from Begin until OnDone; the sink of the batch under way holds it as well. Thread: gRPC's and
// the dispatcher's, one step at a time. Promises: one batch at a time, so what waits is bounded; an answer means that
// the batch is in the log; what was answered stays, however the stream ends. OVERLOADED, or any other refusal of a
// whole batch, ends the stream; that batch and what follows it were not taken. Nothing that might be a password is
// queued or logged.

#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <memory>
#include <mutex>
#include <string>

#include "holdfast/admin/v1/admin.pb.h"
#include "server/read_context.h"

namespace holdfast::server {

class ImportCall final
    : public grpc::ServerBidiReactor<admin::v1::ImportProxiesRequest, admin::v1::ImportProxiesResponse>,
      public OperatorStream,
      public std::enable_shared_from_this<ImportCall> {
 public:
  static constexpr std::uint32_t kRemovedAtOnce = 2'000;

  ImportCall(const ReadContext& reads, grpc::CallbackServerContext* context);

  // What the service returns to gRPC.
  static ImportCall* Begin(const ReadContext& reads, grpc::CallbackServerContext* context);

  void EndWith(const Rejection& rejection) override;
  void Tick(LogTime now) override;
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  class Sink;

  // Each is called by the one step that is under way.
  void TakeBatch();
  void Submit(const log::v1::Input& input);
  void Decided(Reply reply);
  void RemoveUnnamed();
  void Answer();
  void End(const grpc::Status& status);

  const ReadContext reads_;
  const std::string peer_;
  std::uint64_t number_ = 0;                   // in the registry
  admin::v1::ImportProxiesRequest request_;    // the batch under way
  admin::v1::ImportProxiesResponse response_;  // its answer
  std::uint64_t import_ = 0;                   // the log_sequence of the first answer; 0: none yet
  std::uint64_t next_index_ = 0;
  bool removing_ = false;
  bool last_ = false;  // nothing may follow

  mutable std::mutex mutex_;
  grpc::CallbackServerContext* context_;  // guarded by mutex_, and all below; nullptr after OnDone
  std::shared_ptr<ImportCall> self_;      // until OnDone
  bool ended_ = false;
  LogTime patience_;  // until when what is written may be taken; absent: nothing is
};

}  // namespace holdfast::server
