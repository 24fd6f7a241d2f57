#include "tools/cli/period_text.h"

#include "tools/cli/enum_word.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using audit::v1::OwnershipPeriod;

std::string At(const std::string& time, std::uint64_t sequence) { return time + " #" + std::to_string(sequence); }

std::string RevokedText(const OwnershipPeriod& period) {
  if (!period.has_revoked_at()) return "";
  std::string text = At(TimeText(ToMicros(period.revoked_at())), period.revoked_sequence());
  text += " " + EnumWord(period.revoke_reason());
  if (!period.revoked_by().empty()) text += " by " + period.revoked_by();
  return text;
}

std::string EndedText(const OwnershipPeriod& period, std::int64_t now_micros) {
  if (period.has_ended_at()) {
    return At(TimeText(ToMicros(period.ended_at())), period.ended_sequence()) + " " + EnumWord(period.end_reason());
  }
  if (!period.has_owned_until()) return "held";
  return "held, until " + TimeWithAge(ToMicros(period.owned_until()), now_micros);
}

// The entries that prove a drain: what was issued, acknowledged, reported.
std::string ProofText(const OwnershipPeriod& period) {
  if (period.report_sequence() == 0) return "";
  return "v" + std::to_string(period.target_version()) + ": #" + std::to_string(period.issue_sequence()) + ", #" +
         std::to_string(period.ack_sequence()) + ", #" + std::to_string(period.report_sequence());
}

Json SequenceJson(std::uint64_t sequence) { return sequence == 0 ? Json(nullptr) : Json(sequence); }

}  // namespace

std::vector<std::string> PeriodColumns() {
  return {"PROXY", "HOLDER", "EPOCH", "GRANTED", "REVOKED", "ENDED", "PROOF", "SESSION OR EXTRACTION"};
}

std::vector<std::string> PeriodCells(const OwnershipPeriod& period, std::int64_t now_micros) {
  return {period.proxy_id(),
          EnumWord(period.holder_kind()) + " " + period.holder_id(),
          std::to_string(period.ownership_epoch()),
          At(TimeText(ToMicros(period.granted_at())), period.granted_sequence()),
          RevokedText(period),
          EndedText(period, now_micros),
          ProofText(period),
          period.session_id().empty() ? period.extraction_id() : period.session_id()};
}

Json PeriodJson(const OwnershipPeriod& period) {
  const auto word = [](auto value) { return static_cast<int>(value) == 0 ? Json(nullptr) : Json(EnumWord(value)); };
  Json json;
  json["proxy_id"] = period.proxy_id();
  json["holder_kind"] = EnumWord(period.holder_kind());
  json["holder_id"] = period.holder_id();
  json["session_id"] = TextJson(period.session_id());
  json["extraction_id"] = TextJson(period.extraction_id());
  json["ownership_epoch"] = period.ownership_epoch();
  json["granted_at"] = TimeJson(period.has_granted_at(), period.granted_at());
  json["granted_sequence"] = SequenceJson(period.granted_sequence());
  json["revoked_at"] = TimeJson(period.has_revoked_at(), period.revoked_at());
  json["revoked_sequence"] = SequenceJson(period.revoked_sequence());
  json["revoke_reason"] = word(period.revoke_reason());
  json["revoked_by"] = TextJson(period.revoked_by());
  json["target_version"] = SequenceJson(period.target_version());
  json["issue_sequence"] = SequenceJson(period.issue_sequence());
  json["ack_sequence"] = SequenceJson(period.ack_sequence());
  json["report_sequence"] = SequenceJson(period.report_sequence());
  json["owned_until"] = TimeJson(period.has_owned_until(), period.owned_until());
  json["ended_at"] = TimeJson(period.has_ended_at(), period.ended_at());
  json["ended_sequence"] = SequenceJson(period.ended_sequence());
  json["end_reason"] = word(period.end_reason());
  return json;
}

}  // namespace holdfast::cli
