// What clients and the pool store do in the story that tests verify. Part of log_story.cc.
//
// Thread: one.

#pragma once

#include <string>
#include <vector>

#include "tests/replay/log_maker.h"

namespace holdfast::testing {

// Clients take, keep, give back in part, lack, and are not answered; one intent and two extractions stand at the end.
// workers: active; they live meanwhile.
void ServeClients(LogMaker& maker, const std::vector<std::string>& workers);

// The store is met again after restarts, is found to be another log's, and is adopted.
void ChangeTheStore(LogMaker& maker, const std::vector<std::string>& workers);

}  // namespace holdfast::testing
