// The stream of snapshots of one session: watches, takes or refuses, swaps the view, watches again.
//
// Internal to src/client, on the scheduler's thread; made with a session and closed with it. Order for a taken update:
// closed bits, view, opened slots, then the ACK (through `Answers`). Watches again with backoff after every end of a
// stream, also a good one; from nothing after a refusal. Does not send ACKs and does not decide about the session.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <variant>

#include "client/worker_context.h"

namespace holdfast::client {

class SnapshotLink {
 public:
  struct Answers {
    std::function<void(const SnapshotView& view)> accept;
    std::function<void(const UpdateRefused& refused)> refuse;
  };

  // `on_taken`: the bounds of use have moved.
  SnapshotLink(WorkerContext& context, Answers answers, std::function<void()> on_taken);
  ~SnapshotLink();

  void Open();
  // No more events; the stream is cancelled.
  void Close();

  // The snapshot that the controller knows of us does not stand: another stream, from nothing. No effect while a new
  // stream has brought nothing yet, or one is about to be opened.
  void WatchAgain();

  // A positive ACK was accepted.
  void Acknowledged() { backoff_.PositiveAck(); }

 private:
  void Watch();
  void ScheduleWatch(bool from_nothing, std::optional<Duration> retry_after);
  void OnUpdate(const controlplane::v1::SnapshotUpdate& update);
  void OnEnd(const CallResult& result);
  void Taken(const UpdateTaken& taken);
  void SetSlots(const UpdateTaken& taken);
  void Refused(const UpdateRefused& refused);

  WorkerContext& context_;
  const Answers answers_;
  const std::function<void()> on_taken_;
  session::Backoff backoff_;
  std::unique_ptr<SnapshotStream> stream_;
  std::unique_ptr<SnapshotStream> dropped_;  // destroyed by a task of its own: it may be the one that is speaking
  controlplane::v1::WatchSnapshotsRequest request_;
  BootTime opened_at_{};
  Scheduler::TimerId timer_ = 0;
  bool brought_something_ = false;
  bool from_nothing_ = false;
  bool closed_ = false;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::client
