// The daemon's command line.
//
// Called by main, once. Thread: any. Exit codes are those of all programs of the house: 0 done, 2 usage or could not
// run.

#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace holdfast::server {

struct DaemonFlags {
  std::string config_file;  // empty: the built-in defaults
  std::optional<std::string> data_dir;
  std::optional<std::string> listen;
  std::string port_file;  // empty: none
  bool bootstrap = false;
  bool check_config = false;
  std::vector<std::string> assignments;  // of --set, in order
};

// What there is to do, or the exit code where that was said already (--help, --version, usage).
std::variant<DaemonFlags, int> ParseDaemonFlags(int argc, const char* const* argv);

}  // namespace holdfast::server
