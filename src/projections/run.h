// The controller's own run: which log this is, what settings and rules are in force, waits, clock, alarms, rejections.
//
// Thread: the state's owner. Covers nothing of members or proxies.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "events/run_events.h"
#include "events/session_events.h"
#include "projections/projection.h"

namespace holdfast {

struct Alarm {
  std::string detail;
  LogTime raised_at;
  Sequence raised_sequence;
};

class Run {
 public:
  static constexpr std::uint32_t kVersion = 2;
  using AlarmKey = std::pair<AlarmKind, std::string>;  // kind, subject

  void Apply(const LogCreated& event, const EntryPoint& entry);
  void Apply(const ControllerStarted& event, const EntryPoint& entry);
  void Apply(const SettingsChanged& event, const EntryPoint& entry);
  void Apply(const WaitStarted& event, const EntryPoint& entry);
  void Apply(const WaitEnded& event, const EntryPoint& entry);
  void Apply(const ClockJumped& event, const EntryPoint& entry);
  void Apply(const TimeMarked& event, const EntryPoint& entry);
  void Apply(const HoldOffStarted& event, const EntryPoint& entry);
  void Apply(const AlarmRaised& event, const EntryPoint& entry);
  void Apply(const AlarmCleared& event, const EntryPoint& entry);
  void Apply(const InputRejected& event, const EntryPoint& entry);
  void Apply(const RejectionsSuppressed& event, const EntryPoint& entry);
  void Apply(const HistoryLost& event, const EntryPoint& entry);
  void Apply(const ClockAccepted& event, const EntryPoint& entry);

  // Told of every entry, with or without events.
  void Passed(const EntryPoint& entry);

  bool created() const { return created_; }
  const LogId& log_id() const { return log_id_; }
  std::string log_id_text() const;  // 32 hexadecimal digits
  std::uint64_t base() const { return base_; }
  const Settings& settings() const { return settings_; }
  std::uint64_t controller_epoch() const { return controller_epoch_; }
  std::uint32_t rules_version() const { return rules_version_; }
  const std::string& software_version() const { return software_version_; }
  LogTime started_at() const { return started_at_; }
  // No grants before it; absent: no wait. The reason goes with it.
  LogTime wait_until() const { return wait_until_; }
  WaitReason wait_reason() const { return wait_reason_; }
  LogTime hold_off_until() const { return hold_off_until_; }
  Duration clock_offset() const { return clock_offset_; }
  const std::map<AlarmKey, Alarm>& alarms() const { return alarms_; }
  const std::map<RejectReason, std::uint64_t>& rejections() const { return rejections_; }
  std::uint64_t rejections_suppressed() const { return rejections_suppressed_; }
  const EntryPoint& last() const { return last_; }

  Digest digest() const;

 private:
  bool created_ = false;
  LogId log_id_{};
  std::uint64_t base_ = 0;
  Settings settings_;
  std::uint64_t controller_epoch_ = 0;
  std::uint32_t rules_version_ = 0;
  std::string software_version_;
  LogTime started_at_;
  LogTime wait_until_;
  WaitReason wait_reason_ = WaitReason::kUnspecified;
  LogTime hold_off_until_;
  Duration clock_offset_{};
  std::map<AlarmKey, Alarm> alarms_;
  std::map<RejectReason, std::uint64_t> rejections_;
  std::uint64_t rejections_suppressed_ = 0;
  std::uint64_t histories_lost_ = 0;
  EntryPoint last_;
};

}  // namespace holdfast
