// What the command line of holdfast-checker asks for. A plain value; ParseOptions says what is wrong and what to do.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/log_time.h"
#include "controlplane/v1/types.pb.h"
#include "tools/checker/check_settings.h"
#include "tools/common/exit_codes.h"

namespace holdfast::checker {

struct CheckerOptions {
  std::string server;         // as it was typed
  std::string server_target;  // as gRPC wants it
  std::string checker_id;     // [A-Za-z0-9._-]{1,128}
  std::string zone;
  std::map<std::string, std::string> labels;
  std::uint32_t max_concurrency = 200;
  std::vector<controlplane::v1::CheckLevel> levels;
  CheckSettings checks;
  std::string secrets_file;  // empty: the environment alone
  Duration summary_interval = std::chrono::seconds(60);
  Duration drain_bound = std::chrono::seconds(20);  // of a drain, from the signal on
  bool json = false;
};

// The options, or the exit code where there is nothing to run (help, or a mistake, which was said on stderr).
struct Parsed {
  std::optional<CheckerOptions> options;
  ExitCode exit_code = ExitCode::kDone;
};
Parsed ParseOptions(int argc, const char* const* argv);

}  // namespace holdfast::checker
