#include "tools/cli/check_text.h"

#include <ostream>

#include "tools/cli/enum_word.h"
#include "tools/cli/health_text.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/row_text.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using admin::v1::CheckProxyRequest;
using admin::v1::CheckProxyResponse;
using admin::v1::HealthStatus;
using controlplane::v1::HealthObservation;

// Where it ended, what was wrong, and what the target answered.
std::string WhereText(const HealthObservation& observation) {
  std::string text = EndText(observation.phase(), observation.error());
  if (observation.http_status() == 0) return text;
  return text + (text.empty() ? "" : ", ") + "HTTP " + std::to_string(observation.http_status());
}

std::string StreakText(const HealthStatus& status) {
  if (status.consecutive_failures() > 0) {
    return ", " + CountOf(status.consecutive_failures(), "failure", "failures") + " in a row";
  }
  if (status.consecutive_passes() > 0) {
    return ", " + CountOf(status.consecutive_passes(), "pass", "passes") + " in a row";
  }
  return "";
}

std::string StateText(const HealthStatus& status, std::int64_t now_micros) {
  std::string text = EnumWord(status.state()) + StreakText(status);
  text += status.has_last_observed_at() ? "; observed " + TimeWithAge(ToMicros(status.last_observed_at()), now_micros)
                                        : "; never observed";
  if (status.has_next_due_at()) text += "; due " + TimeWithAge(ToMicros(status.next_due_at()), now_micros);
  return text;
}

Json ObservationJson(const HealthObservation& observation) {
  const auto word = [](auto value) { return static_cast<int>(value) == 0 ? Json(nullptr) : Json(EnumWord(value)); };
  Json json;
  json["task_id"] = observation.task_id();
  json["verdict"] = EnumWord(observation.verdict());
  json["phase"] = word(observation.phase());
  json["error"] = word(observation.error());
  json["latency_ms"] = observation.has_latency() ? Json(ToMicros(observation.latency()) / 1000) : Json(nullptr);
  json["egress_ip"] = TextJson(observation.egress_ip());
  json["anonymity"] = word(observation.anonymity());
  json["http_status"] = observation.http_status() == 0 ? Json(nullptr) : Json(observation.http_status());
  json["observed_at"] = TimeJson(observation.has_observed_at(), observation.observed_at());
  return json;
}

// Of an observation that is no pass: " (dial: refused)".
std::string InBrackets(const HealthObservation& observation) {
  const std::string where = WhereText(observation);
  return where.empty() ? "" : " (" + where + ")";
}

std::string Failed(const CheckProxyRequest& asked, const HealthObservation& observation) {
  return "failed" + InBrackets(observation) + ". The controller has taken it into account: `holdfast checks --proxy " +
         asked.proxy_id() + "` shows where it stands, `holdfast log --proxy " + asked.proxy_id() +
         "` what was decided.";
}

std::string Inconclusive(const HealthObservation& observation) {
  return "was inconclusive" + InBrackets(observation) +
         ": the checker had trouble of its own, which says nothing of the proxy and changes nothing. Run it again; if "
         "it stays so, look at `holdfast checkers` and at what the checker itself writes.";
}

std::string NotObserved() {
  return "was not observed in time, which says nothing of the proxy and changes nothing: no checker had room for it, "
         "or the one that took it said nothing. `holdfast checkers` shows who is active and how many tasks each has; "
         "a proxy with a secret_ref needs one that resolves secrets.";
}

std::string NotUnderstood(const HealthObservation& observation) {
  return "was answered with the verdict \"" + EnumWord(observation.verdict()) +
         "\", which this program does not know. Compare `holdfast status` with `holdfast --version`.";
}

}  // namespace

std::string CheckName(const CheckProxyRequest& asked) {
  return LevelText(asked.level(), asked.routing_id()) + " check of " + asked.proxy_id();
}

void WriteCheck(std::ostream& out, const CheckProxyRequest& asked, const CheckProxyResponse& answer,
                std::int64_t now_micros) {
  const HealthObservation& observation = answer.observation();
  WriteRow(out, "check", CheckName(asked));
  WriteRow(out, "verdict", answer.has_observation() ? EnumWord(observation.verdict()) : "none came in time");
  WriteRow(out, "ended at", WhereText(observation));
  WriteRow(out, "latency", observation.has_latency() ? DurationText(ToMicros(observation.latency())) : "");
  WriteRow(out, "egress", EgressText(observation.egress_ip(), observation.anonymity()));
  WriteRow(out, "state", answer.has_status() ? StateText(answer.status(), now_micros) : "");
}

Json CheckJson(const CheckProxyRequest& asked, const CheckProxyResponse& answer) {
  Json json;
  json["proxy_id"] = asked.proxy_id();
  json["level"] = EnumWord(asked.level());
  json["routing_id"] = TextJson(asked.routing_id());
  json["observation"] = answer.has_observation() ? ObservationJson(answer.observation()) : Json(nullptr);
  json["status"] = answer.has_status() ? HealthJson(answer.status()) : Json(nullptr);
  return json;
}

Result CheckVerdict(const CheckProxyRequest& asked, const CheckProxyResponse& answer) {
  const auto fail = [&asked](ExitCode code, const std::string& what) {
    return Result::Fail(code, PrintableText("the " + CheckName(asked) + " " + what));
  };
  const HealthObservation& observation = answer.observation();
  if (!answer.has_observation()) return fail(ExitCode::kDeadline, NotObserved());
  switch (observation.verdict()) {
    case controlplane::v1::VERDICT_PASS:
      return Result::Done();
    case controlplane::v1::VERDICT_FAIL:
      return fail(ExitCode::kFoundWanting, Failed(asked, observation));
    case controlplane::v1::VERDICT_INCONCLUSIVE:
      return fail(ExitCode::kCouldNotRun, Inconclusive(observation));
    default:
      return fail(ExitCode::kCouldNotRun, NotUnderstood(observation));
  }
}

}  // namespace holdfast::cli
