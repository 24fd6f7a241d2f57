// What the command line asks for on the side of the checkers: how many, what they find, and by which settings the
// pool's states are judged. A plain value; part of FleetOptions.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controlplane/v1/types.pb.h"
#include "tools/judge/health_judge.h"

namespace CLI {
class App;
}

namespace holdfast::fleet {

struct CheckOptions {
  std::uint32_t checkers = 0;
  std::uint32_t concurrency = 500;  // of each checker
  std::vector<controlplane::v1::CheckLevel> levels = {
      controlplane::v1::CHECK_LEVEL_BASIC, controlplane::v1::CHECK_LEVEL_EGRESS, controlplane::v1::CHECK_LEVEL_TARGET};
  double dead_share = 0.1;
  std::chrono::microseconds flip_every = std::chrono::minutes(10);  // 0: never
  judge::HealthSettings health;

  bool Checks(controlplane::v1::CheckLevel level) const;
};

// What CLI11 fills before it is looked at closer.
struct RawCheckOptions {
  CheckOptions options;
  std::vector<std::string> levels = {"basic", "egress", "target"};
  std::string flip_every = "10m";
  std::string basic_interval = "60s";
  std::string egress_interval = "10m";
  std::string suspect_interval = "10s";
  std::string unhealthy_max_interval = "10m";
  std::string timeout = "10s";
  std::string margin = "30s";
};

void DescribeCheckOptions(CLI::App& app, RawCheckOptions& raw);

// What is wrong with the texts, or nothing; then raw.options is whole.
std::optional<std::string> ReadCheckOptions(RawCheckOptions& raw);

}  // namespace holdfast::fleet
