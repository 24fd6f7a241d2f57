// What most tests of the replay tool begin with: the story as blocks in memory, made once, and commands whose output is
// caught.
//
// Thread: one.

#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "replay/environment.h"
#include "replay/verify_log.h"
#include "tests/replay/block_list.h"

namespace holdfast::testing {

// The story; the same for everybody.
const BlockList& ToldStory();
// Its beginning alone: shorter, with bulky inputs.
const BlockList& ShortStory();

// A command's surroundings, with its output kept.
struct Caught {
  std::ostringstream out, errors;
  replay::Environment environment{
      .out = out, .errors = errors, .shows_progress = false, .is_interrupted = nullptr, .wait = nullptr};
};

// A failure to run fails the test.
replay::VerifyReport Verify(const EventLog& log, int jobs = 1, Sequence from = Sequence(1));

// The first entry whose events hold this name, and its sequence.
Sequence FirstWith(const BlockList& log, const std::string& event_name);

}  // namespace holdfast::testing
