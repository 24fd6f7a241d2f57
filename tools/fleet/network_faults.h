// What is wrong with the network of one simulated process: the transports that stand between a client and the wire ask
// here what the client gets to meet.
//
// On the scheduler's thread, like what it disturbs. One for each process; outlives the process's transport and stream.

#pragma once

#include <memory>
#include <utility>

#include "client/scheduler.h"
#include "client/transport.h"

namespace holdfast::fleet {

class NetworkFaults {
 public:
  // A stream that can be disturbed.
  class Stream {
   public:
    virtual ~Stream() = default;
    // The client finds it broken; the other side finds it cancelled.
    virtual void Break() = 0;
    // Reads may go on.
    virtual void Resume() = 0;
  };

  explicit NetworkFaults(std::shared_ptr<client::Scheduler> scheduler) : scheduler_(std::move(scheduler)) {}

  // ---- what happens to it
  // Nothing gets through in either direction until it is switched off; then the stream is found broken.
  void SetVanished(bool vanished) {
    vanished_ = vanished;
    if (!vanished && stream_) stream_->Break();
  }
  // Updates are left unread until it is switched off.
  void SetReading(bool reading) {
    reading_ = reading;
    if (reading && stream_) stream_->Resume();
  }
  void BreakStream() {
    if (stream_) stream_->Break();
  }
  bool has_stream() const { return stream_ != nullptr; }
  void LoseNextAnswer() { lose_next_ = true; }

  // ---- what the transports ask
  bool vanished() const { return vanished_; }
  bool reads() const { return reading_ && !vanished_; }
  client::Scheduler& scheduler() const { return *scheduler_; }
  static client::CallResult Broken(const char* why) { return {.code = absl::StatusCode::kUnavailable, .message = why}; }

  // True where the network is gone: the answer is that none came in time.
  template <class Response>
  bool Swallowed(Duration deadline, const client::Done<Response>& done) {
    if (!vanished_) return false;
    scheduler_->RunAt(scheduler_->Now() + deadline, [alive = std::weak_ptr(alive_), done] {
      if (!alive.lock()) return;
      done({.code = absl::StatusCode::kDeadlineExceeded, .message = "the network is gone on purpose"}, Response());
    });
    return true;
  }

  // An answer has come: hands it on, or loses it.
  template <class Response>
  void Deliver(const client::Done<Response>& done, const client::CallResult& result, const Response& response) {
    if (vanished_ || std::exchange(lose_next_, false)) {
      done(Broken("the answer was lost on purpose"), Response());
    } else {
      done(result, response);
    }
  }

  // The newest stream, as long as it lives.
  void Opened(Stream* stream) { stream_ = stream; }
  void Closed(const Stream* stream) {
    if (stream_ == stream) stream_ = nullptr;
  }

 private:
  const std::shared_ptr<client::Scheduler> scheduler_;
  bool vanished_ = false;
  bool reading_ = true;
  bool lose_next_ = false;
  Stream* stream_ = nullptr;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::fleet
