// What checkers do in the story that tests verify. Part of log_story.cc.
//
// Thread: one.

#pragma once

#include <string>
#include <vector>

#include "tests/replay/log_maker.h"

namespace holdfast::testing {

// One checker finds that all passes, then that all fails, then nothing, then that all passes, and is silent.
// workers: active; they live meanwhile.
void CheckThePool(LogMaker& maker, const std::vector<std::string>& workers);

}  // namespace holdfast::testing
