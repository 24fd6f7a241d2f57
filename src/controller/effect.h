// What is to be done outside because of committed events: effects are data, derived from events and the state after
// them.
//
// Thread: plain values; an update's rows are immutable and may be serialised on any thread.

#pragma once

#include <string>
#include <variant>
#include <vector>

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

// Write an issued update to its stream, unless its validity has less than a second left then (UpdateNotWritten).
struct PushUpdate {
  StreamId stream;
  std::string worker_id;
  std::string session_id;
  std::string zone;
  BuiltUpdate update;
  Boxed<std::vector<RoutingSpec>> routings;
};

struct PushDrain {
  StreamId stream;
  DrainReason reason{};
  LogTime deadline;
};

// End a stream with a reason.
struct EndStream {
  StreamId stream;
  Rejection reason;
};

// Give a checker a task, or take one back.
struct PushTask {
  StreamId stream;
  controlplane::v1::TaskUpdate update;
};

// Tell the call that waits for this extraction that nothing comes of it. No input brought that: time did.
struct TellExtraction {
  ExtractionId extraction_id;
  Rejection told;
};

using Effect = std::variant<PushUpdate, PushDrain, EndStream, PushTask, TellExtraction>;

// Appends the effects of one event. Requires: the state is that after the event.
void AppendEffects(const ControllerState& state, const Event& event, std::vector<Effect>& effects);

}  // namespace holdfast
