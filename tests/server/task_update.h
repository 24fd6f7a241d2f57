// Tasks of a chosen size, handed to the hub as the dispatcher would: what no rule would issue, a stream must bear all
// the same.
//
// Thread: the test's.

#pragma once

#include <string>

#include "tests/server/daemon_fixture.h"

namespace holdfast::server {

// Of the WatchTasks that was accepted last.
inline StreamId LatestTaskStream(const TestDaemon& daemon) {
  const auto watches = daemon.Entries(log::v1::Input::kWatchTasks);
  return StreamId(watches.empty() ? 0 : watches.back().input.watch_tasks().stream());
}

// Of about `bytes` bytes.
inline PushTask WideTask(StreamId stream, std::uint64_t task_id, std::size_t bytes) {
  PushTask push{stream, {}};
  push.update.mutable_task()->set_task_id(std::to_string(task_id));
  push.update.mutable_task()->mutable_target()->set_url(std::string(bytes, 'x'));
  return push;
}

}  // namespace holdfast::server
