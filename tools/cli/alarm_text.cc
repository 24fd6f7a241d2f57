#include "tools/cli/alarm_text.h"

#include "tools/cli/enum_word.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {

std::vector<std::string> AlarmColumns() { return {"KIND", "SUBJECT", "SINCE", "DETAIL", "RUNBOOK"}; }

std::vector<std::string> AlarmCells(const admin::v1::Alarm& alarm, std::int64_t now_micros) {
  return {EnumWord(alarm.kind()), alarm.subject(),
          alarm.has_raised_at() ? TimeWithAge(ToMicros(alarm.raised_at()), now_micros) : "", alarm.detail(),
          alarm.runbook()};
}

Json AlarmJson(const admin::v1::Alarm& alarm) {
  Json json;
  json["kind"] = EnumWord(alarm.kind());
  json["subject"] = TextJson(alarm.subject());
  json["detail"] = TextJson(alarm.detail());
  json["raised_at"] = TimeJson(alarm.has_raised_at(), alarm.raised_at());
  json["raised_sequence"] = alarm.raised_sequence();
  json["runbook"] = TextJson(alarm.runbook());
  return json;
}

}  // namespace holdfast::cli
