#include "tools/cli/health_text.h"

#include "tools/cli/enum_word.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using controlplane::v1::Anonymity;
using controlplane::v1::CheckLevel;
using controlplane::v1::OutcomeError;
using controlplane::v1::OutcomePhase;

}  // namespace

std::string LevelText(CheckLevel level, const std::string& routing_id) {
  return EnumWord(level) + (routing_id.empty() ? "" : " " + routing_id);
}

std::string EndText(OutcomePhase phase, OutcomeError error) {
  std::string text = phase == controlplane::v1::OUTCOME_PHASE_UNSPECIFIED ? "" : EnumWord(phase);
  if (error == controlplane::v1::OUTCOME_ERROR_UNSPECIFIED || error == controlplane::v1::OUTCOME_ERROR_NONE) {
    return text;
  }
  return text + (text.empty() ? "" : ": ") + EnumWord(error);
}

std::string EgressText(const std::string& egress_ip, Anonymity anonymity) {
  if (anonymity == controlplane::v1::ANONYMITY_UNSPECIFIED) return egress_ip;
  return egress_ip + (egress_ip.empty() ? "" : ", ") + EnumWord(anonymity);
}

Json HealthJson(const admin::v1::HealthStatus& health) {
  const auto word = [](auto value) { return static_cast<int>(value) == 0 ? Json(nullptr) : Json(EnumWord(value)); };
  Json json;
  json["level"] = EnumWord(health.level());
  json["routing_id"] = TextJson(health.routing_id());
  json["state"] = EnumWord(health.state());
  json["consecutive_passes"] = health.consecutive_passes();
  json["consecutive_failures"] = health.consecutive_failures();
  json["last_observed_at"] = TimeJson(health.has_last_observed_at(), health.last_observed_at());
  json["last_latency_ms"] = health.has_last_latency() ? Json(ToMicros(health.last_latency()) / 1000) : Json(nullptr);
  json["egress_ip"] = TextJson(health.egress_ip());
  json["anonymity"] = word(health.anonymity());
  json["last_phase"] = word(health.last_phase());
  json["last_error"] = word(health.last_error());
  json["next_due_at"] = TimeJson(health.has_next_due_at(), health.next_due_at());
  json["checker_id"] = TextJson(health.checker_id());
  return json;
}

}  // namespace holdfast::cli
