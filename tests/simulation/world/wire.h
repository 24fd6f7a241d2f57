// What travels between a simulated process and the simulated controller: calls, answers, streams.
//
// Thread: plain values.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "controller/decision.h"
#include "controlplane/v1/controlplane.pb.h"
#include "holdfast/log/v1/input.pb.h"
#include "tests/simulation/world/network.h"
#include "tools/judge/happening.h"

namespace holdfast::simulation {

using judge::CallEnd;

struct CallAnswer {
  CallEnd end;
  Reply reply;  // meaningless unless end.ok()
};

// Both ends of a stream, a worker's or a checker's, as the controller needs them.
struct WatchEnds {
  Link* link = nullptr;
  std::uint64_t handle = 0;  // the client's own number of the stream
  std::function<void(const controlplane::v1::SnapshotUpdate&)> on_message;
  std::function<void(const controlplane::v1::TaskUpdate&)> on_task;
  std::function<void(const CallEnd&)> on_end;
};

struct IncomingCall {
  log::v1::Input input;  // without what the controller adds: session_id, stream
  std::string principal;
  std::string peer;
  std::function<void(const CallAnswer&)> respond;  // sends the answer on its way; null for a Watch
  std::shared_ptr<WatchEnds> watch;                // of a Watch
};

// As the daemon tells a refusal on the wire: code and detail.
CallEnd EndOf(const Rejection& rejection);
// What gRPC says by itself where nobody answers.
CallEnd Unavailable();

}  // namespace holdfast::simulation
