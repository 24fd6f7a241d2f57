// Runs one command line in the test's process, with everything that it would get from a process made up.
//
// For the tests. The waits between attempts take no time and are written down.

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tools/cli/environment.h"
#include "tools/common/exit_codes.h"

namespace holdfast::cli {

// 2026-09-01T00:00:00Z, the "now" of the shared lists.
constexpr std::int64_t kTestNowMicros = 1'788'220'800'000'000;

struct CliSetup {
  std::string in = {};
  bool terminal = false;  // both streams
  std::map<std::string, std::string> variables = {};
  Interrupt* interrupt = nullptr;                            // absent: one that nobody requests
  std::function<bool(std::chrono::milliseconds)> wait = {};  // absent: comes back at once
};

struct CliRun {
  ExitCode code = ExitCode::kDone;
  std::string out;
  std::string error;
  std::vector<std::chrono::milliseconds> waits;
  int drawn = 0;  // ids: "drawn-1", "drawn-2"

  // Of a command with --json. Discarded (is_discarded()) when it is none.
  nlohmann::json Json() const { return nlohmann::json::parse(out, nullptr, false); }
};

CliRun RunCommand(const std::vector<std::string>& arguments, const CliSetup& setup = {});

// With --server before the arguments.
CliRun RunAt(const std::string& server, std::vector<std::string> arguments, const CliSetup& setup = {});

// A file in the test's own directory. Returns its path.
std::string WriteTestFile(const std::string& name, const std::string& content);
std::string TestPath(const std::string& name);
std::string ReadTestFile(const std::string& path);

}  // namespace holdfast::cli
