#include "server/list_alarms.h"

#include "controller/proto_time.h"

namespace holdfast::server {

void PutAlarms(const ControllerState& state, admin::v1::ListAlarmsResponse* out) {
  for (const auto& [key, alarm] : state.run().alarms()) {
    admin::v1::Alarm* row = out->add_alarms();
    row->set_kind(static_cast<admin::v1::AlarmKind>(key.first));
    row->set_subject(key.second);
    row->set_detail(alarm.detail);
    PutTime(alarm.raised_at, row->mutable_raised_at());
    row->set_raised_sequence(alarm.raised_sequence.value());
  }
}

}  // namespace holdfast::server
