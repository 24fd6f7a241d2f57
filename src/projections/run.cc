#include "projections/run.h"

#include "events/field_codec.h"

namespace holdfast {

void Run::Apply(const LogCreated& event, const EntryPoint&) {
  created_ = true;
  log_id_ = event.log_id;
  base_ = event.base;
}

void Run::Apply(const ControllerStarted& event, const EntryPoint& entry) {
  controller_epoch_ = event.controller_epoch;
  rules_version_ = event.rules_version;
  software_version_ = event.software_version;
  started_at_ = entry.at;
}

void Run::Apply(const SettingsChanged& event, const EntryPoint&) { settings_ = event.settings; }

void Run::Apply(const WaitStarted& event, const EntryPoint&) {
  wait_until_ = event.until;
  wait_reason_ = event.reason;
}

void Run::Apply(const WaitEnded&, const EntryPoint&) {
  wait_until_ = LogTime();
  wait_reason_ = WaitReason::kUnspecified;
}

void Run::Apply(const ClockJumped& event, const EntryPoint&) { clock_offset_ = event.offset; }

void Run::Apply(const TimeMarked&, const EntryPoint&) {}

void Run::Apply(const HoldOffStarted& event, const EntryPoint&) { hold_off_until_ = event.until; }

void Run::Apply(const AlarmRaised& event, const EntryPoint& entry) {
  alarms_.insert_or_assign(AlarmKey(event.kind, event.subject), Alarm{event.detail, entry.at, entry.sequence});
}

void Run::Apply(const AlarmCleared& event, const EntryPoint&) { alarms_.erase(AlarmKey(event.kind, event.subject)); }

void Run::Apply(const InputRejected& event, const EntryPoint&) { ++rejections_[event.reason]; }

void Run::Apply(const RejectionsSuppressed& event, const EntryPoint&) { rejections_suppressed_ += event.count; }

void Run::Apply(const HistoryLost&, const EntryPoint&) { ++histories_lost_; }

void Run::Apply(const ClockAccepted& event, const EntryPoint&) {
  for (LogTime* time : {&wait_until_, &hold_off_until_}) {
    if (!IsAbsent(*time)) *time += event.moved;
  }
}

void Run::Passed(const EntryPoint& entry) { last_ = entry; }

std::string Run::log_id_text() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : log_id_) text.append({kDigits[byte >> 4], kDigits[byte & 15]});
  return text;
}

Digest Run::digest() const {
  RowHasher row(1);
  std::string settings;
  wire::PutStruct(settings, settings_);
  row.Number(created_)
      .Number(base_)
      .Text(log_id_text())
      .Text(settings)
      .Number(controller_epoch_)
      .Number(rules_version_);
  row.Text(software_version_).Number(ToMicros(started_at_)).Number(ToMicros(wait_until_));
  row.Number(static_cast<std::uint64_t>(wait_reason_)).Number(ToMicros(hold_off_until_));
  row.Number(static_cast<std::uint64_t>(clock_offset_.count())).Number(rejections_suppressed_).Number(histories_lost_);
  for (const auto& [key, alarm] : alarms_) {
    row.Number(static_cast<std::uint64_t>(key.first)).Text(key.second).Text(alarm.detail);
    row.Number(ToMicros(alarm.raised_at)).Number(alarm.raised_sequence.value());
  }
  for (const auto& [reason, count] : rejections_) row.Number(static_cast<std::uint64_t>(reason)).Number(count);
  row.Number(last_.sequence.value()).Number(ToMicros(last_.at));
  return row.Finish();
}

}  // namespace holdfast
