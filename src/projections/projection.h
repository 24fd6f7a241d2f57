// What every projection is: a fold of the events that it lists, by having an Apply for each.
//
//   Apply(const E& event, const EntryPoint& entry)   total: no clock, no randomness, no configuration, no I/O, cannot
//   fail Digest() const                                   of its rows; equal folds give equal digests kVersion grows
//   when the meaning of its rows changes
//
// Thread: whoever owns the state (the sequencer's, or the follower's).

#pragma once

#include "base/digest.h"
#include "base/ids.h"
#include "base/log_time.h"

namespace holdfast {

// The entry that an event stands in.
struct EntryPoint {
  Sequence sequence;
  LogTime at;
};

template <class P, class E>
concept Handles = requires(P projection, const E& event, const EntryPoint& entry) {
  projection.Apply(event, entry);
};

}  // namespace holdfast
