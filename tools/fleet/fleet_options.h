// What the command line asks for. A plain value; ParseOptions says what is wrong with the arguments and what to do.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "tools/fleet/check_options.h"
#include "tools/fleet/client_options.h"

namespace holdfast::fleet {

enum class Faults : std::uint8_t { kNone, kLight, kHeavy };

struct FleetOptions {
  std::string server = "127.0.0.1:7443";  // host:port or unix:path
  std::string port_file;                  // instead of `server`: a file with host:port, read again at each reconnect
  std::string name = "fleet";             // ids are NAME-0001, NAME-checker-0001, NAME-client-0001
  std::uint32_t workers = 8;
  std::uint64_t seed = 1;
  std::chrono::microseconds duration = std::chrono::seconds(60);  // 0: until stopped
  Faults faults = Faults::kNone;
  bool json = false;
  bool routings = false;  // requests follow the snapshot's routings
  std::string ack_log;    // directory; empty: none
  std::optional<std::chrono::microseconds> report_interval;
  CheckOptions checks;
  ClientOptions clients;
  std::chrono::microseconds drain = std::chrono::microseconds(0);  // how long to drain at the end; 0: not at all
};

// Exit codes of all programs.
inline constexpr int kExitDone = 0;
inline constexpr int kExitFoundWanting = 1;
inline constexpr int kExitCouldNotRun = 2;
inline constexpr int kExitUnreachable = 3;

// The options, or the exit code where there is nothing to run (help, or a mistake, which was said on stderr).
struct Parsed {
  std::optional<FleetOptions> options;
  int exit_code = kExitDone;
};
Parsed ParseOptions(int argc, char** argv);

}  // namespace holdfast::fleet
