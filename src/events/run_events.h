// Events of the controller's run: the log's creation, starts, settings, waits, clock, alarms, rejections.
// Each: written when, from which input; meaning of fields; who folds it: docs/event_catalog.md.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/log_time.h"
#include "base/settings.h"
#include "events/vocabulary.h"

namespace holdfast {

using LogId = std::array<std::uint8_t, 16>;

struct LogCreated {
  static constexpr std::uint32_t kNumber = 1;
  static constexpr std::string_view kName = "log_created";
  LogId log_id{};
  std::uint64_t base = 0;  // epochs and versions start above it
  bool bootstrap = false;
  friend bool operator==(const LogCreated&, const LogCreated&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.log_id);
    field(2, self.base);
    field(3, self.bootstrap);
  }
};

struct ControllerStarted {
  static constexpr std::uint32_t kNumber = 2;
  static constexpr std::string_view kName = "controller_started";
  std::uint64_t controller_epoch = 0;
  std::uint32_t rules_version = 0;
  std::string software_version;
  std::string boot_id;
  bool same_boot = false;
  Duration downtime{};  // from the last entry to this one
  friend bool operator==(const ControllerStarted&, const ControllerStarted&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.controller_epoch);
    field(2, self.rules_version);
    field(3, self.software_version);
    field(4, self.boot_id);
    field(5, self.same_boot);
    field(6, self.downtime);
  }
};

struct SettingsChanged {
  static constexpr std::uint32_t kNumber = 3;
  static constexpr std::string_view kName = "settings_changed";
  Settings settings;
  friend bool operator==(const SettingsChanged&, const SettingsChanged&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.settings);
  }
};

struct WaitStarted {
  static constexpr std::uint32_t kNumber = 4;
  static constexpr std::string_view kName = "wait_started";
  WaitReason reason{};
  LogTime until;
  friend bool operator==(const WaitStarted&, const WaitStarted&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.reason);
    field(2, self.until);
  }
};

struct WaitEnded {
  static constexpr std::uint32_t kNumber = 5;
  static constexpr std::string_view kName = "wait_ended";
  friend bool operator==(const WaitEnded&, const WaitEnded&) = default;
  template <class Self, class F>
  static void Fields(Self&, F&&) {}
};

struct ClockJumped {
  static constexpr std::uint32_t kNumber = 6;
  static constexpr std::string_view kName = "clock_jumped";
  std::int64_t wall_micros = 0;
  Duration offset{};  // log clock minus wall clock
  friend bool operator==(const ClockJumped&, const ClockJumped&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.wall_micros);
    field(2, self.offset);
  }
};

struct TimeMarked {
  static constexpr std::uint32_t kNumber = 7;
  static constexpr std::string_view kName = "time_marked";
  friend bool operator==(const TimeMarked&, const TimeMarked&) = default;
  template <class Self, class F>
  static void Fields(Self&, F&&) {}
};

struct HoldOffStarted {
  static constexpr std::uint32_t kNumber = 8;
  static constexpr std::string_view kName = "hold_off_started";
  Duration stalled{};
  LogTime until;
  friend bool operator==(const HoldOffStarted&, const HoldOffStarted&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.stalled);
    field(2, self.until);
  }
};

struct AlarmRaised {
  static constexpr std::uint32_t kNumber = 9;
  static constexpr std::string_view kName = "alarm_raised";
  AlarmKind kind{};
  std::string subject;
  std::string detail;
  friend bool operator==(const AlarmRaised&, const AlarmRaised&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.kind);
    field(2, self.subject);
    field(3, self.detail);
  }
};

struct AlarmCleared {
  static constexpr std::uint32_t kNumber = 10;
  static constexpr std::string_view kName = "alarm_cleared";
  AlarmKind kind{};
  std::string subject;
  friend bool operator==(const AlarmCleared&, const AlarmCleared&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.kind);
    field(2, self.subject);
  }
};

struct InputRejected {
  static constexpr std::uint32_t kNumber = 11;
  static constexpr std::string_view kName = "input_rejected";
  RejectReason reason{};
  std::string message;
  std::string field;
  std::map<std::string, std::string> metadata;
  Duration retry_after{};  // 0: not by waiting
  friend bool operator==(const InputRejected&, const InputRejected&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& f) {
    f(1, self.reason);
    f(2, self.message);
    f(3, self.field);
    f(4, self.metadata);
    f(5, self.retry_after);
  }
};

struct RejectionsSuppressed {
  static constexpr std::uint32_t kNumber = 12;
  static constexpr std::string_view kName = "rejections_suppressed";
  std::string peer;
  std::uint64_t count = 0;
  friend bool operator==(const RejectionsSuppressed&, const RejectionsSuppressed&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.peer);
    field(2, self.count);
  }
};

// An operator moved the log clock forward: every deadline of members and windows moves with it.
struct ClockAccepted {
  static constexpr std::uint32_t kNumber = 13;
  static constexpr std::string_view kName = "clock_accepted";
  Duration moved{};
  std::string reason;
  friend bool operator==(const ClockAccepted&, const ClockAccepted&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.moved);
    field(2, self.reason);
  }
};

}  // namespace holdfast
