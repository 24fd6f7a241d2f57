// What must hold at every sequence of a log (docs/replay.md lists it), checked by code that shares nothing with the
// projections and the rules but the events.
//
//   sequence and time ─► sessions, epochs, references, fences (session_invariants.h) ─► windows (window_invariants.h)
//                       ─► drains (drain_invariants.h) ─► checks and health (health_invariants.h)
//                       ─► extractions (extraction_invariants.h)
//
// Called by the verifier, and by whoever simulates, with every entry of a log in order, from the first. Thread: one at
// a time. After a violation it is not to be used further. Does not: decide again, or fold a state.

#pragma once

#include <vector>

#include "events/event.h"
#include "replay/drain_invariants.h"
#include "replay/extraction_invariants.h"
#include "replay/health_invariants.h"
#include "replay/session_invariants.h"
#include "replay/window_invariants.h"

namespace holdfast::replay {

class InvariantChecker {
 public:
  // What the entry breaks; nullopt: nothing.
  Violation Check(Sequence sequence, LogTime at, const std::vector<Event>& events);

 private:
  Sequence last_;
  LogTime last_at_;
  SessionInvariants sessions_;
  WindowInvariants windows_;
  DrainInvariants drains_;
  HealthInvariants health_;
  ExtractionInvariants extractions_;
};

}  // namespace holdfast::replay
