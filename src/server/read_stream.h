// A stream of answers, made piece by piece: the next is made when the last was written, so one piece is all that is
// ever held.
//
//   Begin ─► Produce ─► Send ─► (written) ─► Produce ─► … ─► End ─► OnDone
//
// Life cycle: owns itself from Begin until OnDone; closures under way hold it as well. Thread: all from any; Produce is
// called on whichever thread finds that the next piece is due, and must not wait. Promises: one write in flight, Finish
// once. A reader that takes nothing for slow_after is cut with SLOW_READER, behind the piece that it has not taken; one
// that does not take that either is cancelled. Does not: know what a piece is.

#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <memory>
#include <mutex>
#include <utility>

#include "server/read_context.h"
#include "server/rejection_status.h"

namespace holdfast::server {

template <class Response>
class ReadStream : public grpc::ServerWriteReactor<Response>,
                   public OperatorStream,
                   public std::enable_shared_from_this<ReadStream<Response>> {
 public:
  // Registers and starts the stream, or ends it with the rejection. What the service returns to gRPC.
  static grpc::ServerWriteReactor<Response>* Begin(const std::shared_ptr<ReadStream>& stream,
                                                   const std::optional<Rejection>& rejection) {
    {
      const std::lock_guard<std::mutex> lock(stream->mutex_);
      stream->self_ = stream;
    }
    stream->number_ = stream->reads_.streams.Add(stream);
    if (stream->number_ == 0) {
      stream->EndWith(ShuttingDownRejection());
    } else if (rejection) {
      stream->EndWith(*rejection);
    } else {
      stream->Produce();
    }
    return stream.get();
  }

  void EndWith(const Rejection& rejection) override { End(StatusOf(rejection)); }

  void Tick(LogTime now) override {
    const auto self = this->shared_from_this();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (context_ == nullptr || IsAbsent(patience_)) return;
    if (!IsOver(patience_, now)) return;
    if (ended_) {
      patience_ = LogTime();
      context_->TryCancel();  // its reader does not even take the end
    } else if (writing_) {
      reads_.streams.NoteSlow();
      EndLocked(StatusOf(SlowReader()));
    }
  }

  void OnWriteDone(bool ok) override {
    const auto self = this->shared_from_this();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      writing_ = false;
      if (ended_) return;
      patience_ = LogTime();
      if (!ok) return EndLocked(grpc::Status(grpc::StatusCode::CANCELLED, "the stream broke"));
    }
    Produce();
  }

  void OnCancel() override { End(grpc::Status(grpc::StatusCode::CANCELLED, "the client went away")); }

  void OnDone() override {
    std::shared_ptr<ReadStream> self;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      context_ = nullptr;
      self = std::move(self_);
    }
    reads_.streams.Remove(number_);
  }

 protected:
  ReadStream(const ReadContext& reads, grpc::CallbackServerContext* context) : reads_(reads), context_(context) {}

  // The next piece is due: Send or End follows, once, from any thread.
  virtual void Produce() = 0;
  // Why a reader that does not read is cut, and where it goes on. Called with the stream's lock held: it must not call
  // back.
  virtual Rejection SlowReader() const = 0;

  void Send(Response response) {
    const auto self = this->shared_from_this();
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ended_) return;
    response_ = std::move(response);
    writing_ = true;
    patience_ = reads_.loop.Now() + reads_.slow_after;
    this->StartWrite(&response_);
  }

  void End(const grpc::Status& status) {
    const auto self = this->shared_from_this();
    const std::lock_guard<std::mutex> lock(mutex_);
    EndLocked(status);
  }

  // Runs f with this stream kept, on the follower's thread or the pool's; the stream ends when they have stopped.
  // F: void(const ControllerState&), void().
  template <class F>
  void OnFollower(F f) {
    auto self = this->shared_from_this();
    if (!reads_.loop.follower().Read([self, f](const ControllerState& state) { f(state); })) {
      EndWith(ShuttingDownRejection());
    }
  }
  template <class F>
  void OnPool(F f) {
    auto self = this->shared_from_this();
    if (!reads_.pool.Post([self, f] { f(); })) EndWith(ShuttingDownRejection());
  }

  // Whether its end was said.
  bool over() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return ended_;
  }

  const ReadContext& reads() const { return reads_; }
  std::uint64_t number() const { return number_; }

 private:
  void EndLocked(const grpc::Status& status) {
    if (ended_) return;
    ended_ = true;
    patience_ = reads_.loop.Now() + reads_.slow_after;
    this->Finish(status);
  }

  const ReadContext reads_;
  std::uint64_t number_ = 0;  // in the registry
  mutable std::mutex mutex_;
  grpc::CallbackServerContext* context_;  // guarded by mutex_, and all below; nullptr after OnDone
  std::shared_ptr<ReadStream> self_;      // until OnDone
  Response response_;                     // being written
  bool writing_ = false;
  bool ended_ = false;
  LogTime patience_;  // until when the reader may take what is written, or its end; absent: nothing is
};

}  // namespace holdfast::server
