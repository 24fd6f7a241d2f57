// Checks as table rows, as JSON, and summed up in a line.
//
// Called by command_checks. Pure: now comes in as an argument. A check is what stands of one proxy at one level, at
// TARGET for one routing.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/admin/v1/admin.pb.h"
#include "tools/cli/json_text.h"

namespace holdfast::cli {

std::vector<std::string> CheckColumns();
std::vector<std::string> CheckCells(const std::string& proxy_id, const admin::v1::HealthStatus& check,
                                    std::int64_t now_micros);
Json ProxyHealthJson(const admin::v1::ProxyHealth& proxy);

// Counts a list as it comes by; holds a count for each state and the oldest check, whatever the list's length.
class CheckTally {
 public:
  void AddProxy() { ++proxies_; }
  void AddCheck(const std::string& proxy_id, const admin::v1::HealthStatus& check);

  // "4 checks of 2 proxies: 1 unknown, 3 available; 1 never observed; longest unchecked: P basic, for 12m".
  std::string Summary(std::int64_t now_micros) const;

 private:
  struct Oldest {
    std::int64_t observed_at_micros = 0;
    std::string check;
  };

  std::uint64_t proxies_ = 0;
  std::uint64_t checks_ = 0;
  std::uint64_t never_observed_ = 0;
  std::map<admin::v1::HealthState, std::uint64_t> states_;
  std::optional<Oldest> oldest_;  // absent: none was ever observed
};

}  // namespace holdfast::cli
