// What the command line of holdfast-judge asks for. A plain value; ParseOptions says what is wrong and what to do.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/ip_address.h"
#include "tools/common/exit_codes.h"

namespace holdfast::echo {

struct JudgeOptions {
  IpAddress address = IpAddress::V4(0x7f000001);
  std::uint16_t port = 0;               // 0: any free one
  std::string port_file;                // host:port, written once it serves; empty: none
  std::size_t connections_max = 4096;   // what comes above is closed at once
  std::uint32_t request_bytes = 16384;  // of a request's head; a body has as many again
  std::chrono::milliseconds idle = std::chrono::seconds(15);
  bool json = false;
};

// The options, or the exit code where there is nothing to run (help, or a mistake, which was said on stderr).
struct Parsed {
  std::optional<JudgeOptions> options;
  ExitCode exit_code = ExitCode::kDone;
};
Parsed ParseOptions(int argc, const char* const* argv);

}  // namespace holdfast::echo
