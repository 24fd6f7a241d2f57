// Updates of a chosen size, handed to the hub as the dispatcher would: what no rule would issue, a stream must bear all
// the same.
//
// Thread: the test's.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/server/daemon_fixture.h"

namespace holdfast::server {

// Of the Watch that was accepted last.
inline StreamId LatestStream(const TestDaemon& daemon) {
  const auto watches = daemon.Entries(log::v1::Input::kWatchSnapshots);
  return StreamId(watches.empty() ? 0 : watches.back().input.watch_snapshots().stream());
}

// A full update of about `bytes` bytes, valid for `validity` from now.
inline PushUpdate WideUpdate(TestDaemon& daemon, StreamId stream, std::uint64_t version, std::size_t bytes,
                             Duration validity = std::chrono::seconds(30)) {
  RoutingSpec routing;
  routing.routing_id = "wide";
  routing.host_patterns = {std::string(bytes, 'x')};
  PushUpdate push;
  push.stream = stream;
  push.update.version = Version(version);
  push.update.valid_until = daemon.loop().Now() + validity;
  push.routings = Boxed(std::vector<RoutingSpec>{std::move(routing)});
  return push;
}

}  // namespace holdfast::server
