// The offset of the log's clock in words.
//
// Called by status_text and command_clock. Pure.

#pragma once

#include <cstdint>
#include <string>

namespace holdfast::cli {

// `offset` is log clock minus wall clock, microseconds; what nobody can see is none.
std::string ClockText(std::int64_t offset);

}  // namespace holdfast::cli
