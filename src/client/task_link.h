// The stream of tasks of one session: watched, read, watched again with backoff after every end of it.
//
// Internal to src/client, on the scheduler's thread; made with a session and closed with it. What is under way goes on
// while no stream is attached. Does not decide about the session: it tells; does not run tasks: it hands them on.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "client/checker_context.h"
#include "client/stream_keeper.h"

namespace holdfast::client {

class TaskLink {
 public:
  struct Events {
    std::function<void(const controlplane::v1::CheckTask& task)> task;
    std::function<void(const std::string& task_id)> cancel;
  };

  TaskLink(CheckerContext& context, Events events);

  void Open() { keeper_.Open(); }
  // No more events; the stream is cancelled.
  void Close() { keeper_.Close(); }

  // The controller says that the stream is attached.
  void Attached() { keeper_.PositiveAck(); }

 private:
  std::unique_ptr<UpdateStream> Watch(CheckerTransport::TaskEvents events);
  void OnUpdate(const controlplane::v1::TaskUpdate& update);
  void OnEnd(const CallResult& result, BootTime opened_at);

  CheckerContext& context_;
  const Events events_;
  controlplane::v1::WatchTasksRequest request_;
  StreamKeeper<controlplane::v1::TaskUpdate> keeper_;
};

}  // namespace holdfast::client
