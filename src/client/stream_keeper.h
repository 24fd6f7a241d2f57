// One stream kept open over its ends: opened, read one update at a time, opened again with backoff.
//
// Internal to src/client, on the scheduler's thread; belongs to a link, closed with it. Its callbacks come one at a
// time and only for the newest stream; one that was dropped is destroyed by a task of its own, since it may be the one
// that is speaking. What an update or an end means, and whether to open again, is the link's business.

#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "client/scheduler.h"
#include "client/transport.h"
#include "session/backoff.h"

namespace holdfast::client {

template <class Update>
class StreamKeeper {
 public:
  struct Events {
    std::function<std::unique_ptr<UpdateStream>(StreamEvents<Update> events)> open;
    std::function<void(const Update& update)> on_update;
    // The stream is over. OpenAgain, or leave it.
    std::function<void(const CallResult& result, BootTime opened_at)> on_end;
  };

  StreamKeeper(std::shared_ptr<Scheduler> scheduler, session::Backoff backoff, Events events)
      : scheduler_(std::move(scheduler)), backoff_(std::move(backoff)), events_(std::move(events)) {}
  ~StreamKeeper() { Close(); }

  void Open() {
    if (closed_) return;
    brought_something_ = false;
    opened_at_ = scheduler_->Now();
    backoff_.SessionOpened(opened_at_);
    const std::uint64_t number = ++opened_;
    stream_ = events_.open({[this, number](const Update& update) { OnUpdate(number, update); },
                            [this, number](const CallResult& result) { OnEnd(number, result); }});
  }

  // No more events; the stream is cancelled.
  void Close() {
    closed_ = true;
    scheduler_->Cancel(std::exchange(timer_, 0));
    stream_.reset();
  }

  // Drops the stream and opens another one after the backoff. No effect while one is about to be opened.
  void OpenAgain(std::optional<Duration> retry_after) {
    if (closed_ || timer_ != 0) return;
    Drop();
    const BootTime now = scheduler_->Now();
    backoff_.SessionEnded(now);
    const Duration delay = std::max(backoff_.NextDelay(), retry_after.value_or(Duration::zero()));
    timer_ = scheduler_->RunAt(now + delay, [this] {
      timer_ = 0;
      Open();
    });
  }

  // Asks for the next update, where a stream is open.
  void ReadNext() {
    if (stream_) stream_->ReadNext();
  }

  // The stream did what it is for: a later end begins its backoff anew, if it was stable.
  void PositiveAck() { backoff_.PositiveAck(); }

  // A stream is open and has brought nothing yet.
  bool IsFresh() const { return stream_ && !brought_something_; }
  bool closed() const { return closed_; }

 private:
  void OnUpdate(std::uint64_t number, const Update& update) {
    // A stream that was dropped may still have had one in its hands.
    if (closed_ || !stream_ || number != opened_) return;
    brought_something_ = true;
    events_.on_update(update);
  }

  void OnEnd(std::uint64_t number, const CallResult& result) {
    if (closed_ || !stream_ || number != opened_) return;
    Drop();
    events_.on_end(result, opened_at_);
  }

  void Drop() {
    if (!stream_) return;
    dropped_ = std::move(stream_);
    scheduler_->Post([this, alive = std::weak_ptr(alive_)] {
      if (alive.lock()) dropped_.reset();
    });
  }

  const std::shared_ptr<Scheduler> scheduler_;
  session::Backoff backoff_;
  const Events events_;
  std::unique_ptr<UpdateStream> stream_;
  std::unique_ptr<UpdateStream> dropped_;
  BootTime opened_at_{};
  std::uint64_t opened_ = 0;  // streams so far; the newest is the one that counts
  Scheduler::TimerId timer_ = 0;
  bool brought_something_ = false;
  bool closed_ = false;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::client
