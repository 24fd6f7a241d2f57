// What a command gets from the process it runs in: streams, clock, environment variables, waiting, chance.
//
// Filled in by main.cc from the real process and by the tests from memory, so that every command runs whole in a test.
// Thread: the command's own; `interrupt` may be requested from any. Promises nothing by itself.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

#include "tools/cli/interrupt.h"

namespace holdfast::cli {

struct Environment {
  std::ostream& out;
  std::ostream& error;
  std::istream& in;
  bool out_is_terminal = false;
  bool error_is_terminal = false;
  Interrupt& interrupt;

  // Wall clock, microseconds since the Unix epoch. Only for showing ages and for an import's expiry.
  std::function<std::int64_t()> now_micros;
  // Absent: not set.
  std::function<std::optional<std::string>(const std::string& name)> variable;
  // Waits before another attempt. Returns false when it was interrupted.
  std::function<bool(std::chrono::milliseconds)> wait;
  // Uniform 64-bit numbers: they spread the waits of many clients.
  std::function<std::uint64_t()> random;
  // Ids that nobody has drawn before and nobody can guess, from the operating system.
  std::function<std::string()> draw_id;
};

}  // namespace holdfast::cli
