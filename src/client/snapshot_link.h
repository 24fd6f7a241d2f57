// The stream of snapshots of one session: watches, takes or refuses, swaps the view, watches again.
//
// Internal to src/client, on the scheduler's thread; made with a session and closed with it. Order for a taken update:
// closed bits, view, opened slots, then the ACK (through `Answers`). Watches again with backoff after every end of a
// stream, also a good one; from nothing after a refusal. Does not send ACKs and does not decide about the session.

#pragma once

#include <functional>
#include <memory>
#include <variant>

#include "client/stream_keeper.h"
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

  void Open();
  // No more events; the stream is cancelled.
  void Close();

  // The snapshot that the controller knows of us does not stand: another stream, from nothing. No effect while a new
  // stream has brought nothing yet, or one is about to be opened.
  void WatchAgain();

  // A positive ACK was accepted.
  void Acknowledged() { keeper_.PositiveAck(); }

 private:
  std::unique_ptr<UpdateStream> Watch(WorkerTransport::SnapshotEvents events);
  void WatchFromNothing();
  void OnUpdate(const controlplane::v1::SnapshotUpdate& update);
  void OnEnd(const CallResult& result, BootTime opened_at);
  void Taken(const UpdateTaken& taken);
  void SetSlots(const UpdateTaken& taken);
  void Refused(const UpdateRefused& refused);

  WorkerContext& context_;
  const Answers answers_;
  const std::function<void()> on_taken_;
  controlplane::v1::WatchSnapshotsRequest request_;
  bool from_nothing_ = false;
  StreamKeeper<controlplane::v1::SnapshotUpdate> keeper_;
};

}  // namespace holdfast::client
