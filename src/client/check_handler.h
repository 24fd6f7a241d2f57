// Who really runs the checks that a CheckerClient is given: dials, speaks the protocol, judges what came back.
//
// Called by CheckerClient on its scheduler's thread; must not wait: it begins a check and returns. May call
// CheckerClient::Report from within Run or Cancel, or later from any thread. Must outlive the client. Implementations:
// holdfast-checker (real connections), holdfast-fleet (a truth that was drawn beforehand), tests.

#pragma once

#include <string>

#include "controlplane/v1/controlplane.pb.h"

namespace holdfast::client {

class CheckHandler {
 public:
  virtual ~CheckHandler() = default;

  // At most max_concurrency of them run at a time, each task_id once at a time. Its observation goes to
  // CheckerClient::Report within `task.timeout` (from receipt; what waited in the client's queue has less left), or
  // never. The level is one of the settings' levels.
  virtual void Run(const controlplane::v1::CheckTask& task) = 0;

  // The answer to a task that runs is of no use any more: the controller took it back, its timeout is over, or its
  // session is. What is reported for it from here on is dropped.
  virtual void Cancel(const std::string& task_id) = 0;
};

}  // namespace holdfast::client
