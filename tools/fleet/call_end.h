// How a call ended, in the words of the judge. Pure.

#pragma once

#include "client/call_result.h"
#include "tools/judge/happening.h"

namespace holdfast::fleet {

inline judge::CallEnd EndOf(const client::CallResult& result) { return {static_cast<int>(result.code), result.detail}; }

}  // namespace holdfast::fleet
