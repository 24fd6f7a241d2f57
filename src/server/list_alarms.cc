#include "server/list_alarms.h"

#include <string>
#include <string_view>

#include "controller/proto_time.h"

namespace holdfast::server {
namespace {

// "docs/operations/alarms.md#clock-jumped".
std::string RunbookOf(admin::v1::AlarmKind kind) {
  constexpr std::string_view kPrefix = "ALARM_KIND_";
  std::string place = "docs/operations/alarms.md#";
  for (const char letter : admin::v1::AlarmKind_Name(kind).substr(kPrefix.size())) {
    place += letter == '_' ? '-' : static_cast<char>(letter - 'A' + 'a');
  }
  return place;
}

}  // namespace

void PutAlarms(const ControllerState& state, admin::v1::ListAlarmsResponse* out) {
  for (const auto& [key, alarm] : state.run().alarms()) {
    admin::v1::Alarm* row = out->add_alarms();
    row->set_kind(static_cast<admin::v1::AlarmKind>(key.first));
    row->set_subject(key.second);
    row->set_detail(alarm.detail);
    PutTime(alarm.raised_at, row->mutable_raised_at());
    row->set_raised_sequence(alarm.raised_sequence.value());
    row->set_runbook(RunbookOf(row->kind()));
  }
}

}  // namespace holdfast::server
