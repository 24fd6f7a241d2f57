#include "tools/cli/checks_text.h"

#include <algorithm>

#include "tools/cli/enum_word.h"
#include "tools/cli/health_text.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using admin::v1::HealthStatus;

// What was wrong when it last failed. One that passes has a phase as well, which says nothing here.
std::string FailureText(const HealthStatus& check) {
  const bool error = check.last_error() != controlplane::v1::OUTCOME_ERROR_UNSPECIFIED &&
                     check.last_error() != controlplane::v1::OUTCOME_ERROR_NONE;
  return error || check.consecutive_failures() > 0 ? EndText(check.last_phase(), check.last_error()) : "";
}

std::string UncheckedText(std::int64_t observed_at_micros, std::int64_t now_micros) {
  return DurationText(std::max<std::int64_t>(now_micros - observed_at_micros, 0));
}

std::string DueText(const HealthStatus& check, std::int64_t now_micros) {
  if (!check.has_next_due_at()) return "";
  const std::int64_t due = ToMicros(check.next_due_at());
  return due < now_micros ? DurationText(now_micros - due) + " overdue" : AgeText(due, now_micros);
}

}  // namespace

std::vector<std::string> CheckColumns() {
  return {"PROXY",     "LEVEL",    "STATE",        "#PASSES", "#FAILURES", "LAST OBSERVED",
          "UNCHECKED", "#LATENCY", "LAST FAILURE", "EGRESS",  "NEXT DUE",  "CHECKER"};
}

std::vector<std::string> CheckCells(const std::string& proxy_id, const HealthStatus& check, std::int64_t now_micros) {
  const bool observed = check.has_last_observed_at();
  const std::int64_t observed_at = ToMicros(check.last_observed_at());
  return {proxy_id,
          LevelText(check.level(), check.routing_id()),
          EnumWord(check.state()),
          CountText(check.consecutive_passes()),
          CountText(check.consecutive_failures()),
          observed ? TimeText(observed_at) : "never",
          observed ? UncheckedText(observed_at, now_micros) : "always",
          check.has_last_latency() ? DurationText(ToMicros(check.last_latency())) : "",
          FailureText(check),
          EgressText(check.egress_ip(), check.anonymity()),
          DueText(check, now_micros),
          check.checker_id()};
}

Json ProxyHealthJson(const admin::v1::ProxyHealth& proxy) {
  Json json;
  json["proxy_id"] = proxy.proxy_id();
  json["health"] = Json::array();
  for (const HealthStatus& check : proxy.health()) json["health"].push_back(HealthJson(check));
  return json;
}

void CheckTally::AddCheck(const std::string& proxy_id, const HealthStatus& check) {
  ++checks_;
  ++states_[check.state()];
  if (!check.has_last_observed_at()) {
    ++never_observed_;
    return;
  }
  const std::int64_t observed_at = ToMicros(check.last_observed_at());
  if (oldest_ && oldest_->observed_at_micros <= observed_at) return;
  oldest_ = {observed_at, proxy_id + " " + LevelText(check.level(), check.routing_id())};
}

std::string CheckTally::Summary(std::int64_t now_micros) const {
  std::string text = CountOf(checks_, "check", "checks") + " of " + CountOf(proxies_, "proxy", "proxies");
  const char* before = ": ";
  for (const auto& [state, count] : states_) {
    text += before + CountText(count) + " " + EnumWord(state);
    before = ", ";
  }
  if (never_observed_ > 0) text += "; " + CountText(never_observed_) + " never observed";
  if (oldest_) {
    text +=
        "; longest unchecked: " + oldest_->check + ", for " + UncheckedText(oldest_->observed_at_micros, now_micros);
  }
  return text;
}

}  // namespace holdfast::cli
