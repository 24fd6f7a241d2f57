// What is wrong with an answer that gives a client machines, by the words of its request alone.
//
// Pure; any thread. Who else has the machines, and what the same request was answered before: ClientJudge.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/judge/happening.h"

namespace holdfast::judge {

// What is known of when it was given.
struct GivenWhen {
  std::optional<std::int64_t> known_us;  // log time had reached this when it was first asked for
  bool in_this_call = false;             // nothing was asked for under its request_id before
};

std::vector<std::string> WrongsOf(const distribution::v1::ExtractRequest& request,
                                  const distribution::v1::ExtractResponse& answer, const GivenWhen& given);

// Whether a repeat was answered with the same extraction. When it was said, and until when it stands, may differ.
bool SameExtraction(const distribution::v1::ExtractResponse& one, const distribution::v1::ExtractResponse& other);

}  // namespace holdfast::judge
