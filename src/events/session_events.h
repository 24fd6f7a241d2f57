// Events of worker sessions. Each: written when, meaning of fields, who folds it: docs/event_catalog.md.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/log_time.h"
#include "events/vocabulary.h"

namespace holdfast {

struct SessionOpened {
  static constexpr std::uint32_t kNumber = 20;
  static constexpr std::string_view kName = "session_opened";
  WorkerKey worker;
  WorkerId worker_id;
  SessionId session_id;
  InstanceId instance_id;
  std::string registration_id;
  Epoch epoch;
  bool new_instance = false;  // another process than the latest session's: the epoch has grown
  std::string zone;
  std::uint32_t weight = 0;
  std::uint32_t max_proxies = 0;
  std::uint32_t capabilities = 0;  // kCapability… bits
  std::uint32_t protocol_version = 0;
  std::uint64_t max_message_bytes = 0;  // what it can receive, bounded by ours
  std::uint32_t reconnect_attempt = 0;
  std::string software_version;
  std::string principal;
  Duration lapse_grace{};  // holds for this session
  Version version_floor;   // the next version is above it
  friend bool operator==(const SessionOpened&, const SessionOpened&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
    field(2, self.worker_id);
    field(3, self.session_id);
    field(4, self.instance_id);
    field(5, self.registration_id);
    field(6, self.epoch);
    field(7, self.new_instance);
    field(8, self.zone);
    field(9, self.weight);
    field(10, self.max_proxies);
    field(11, self.capabilities);
    field(12, self.protocol_version);
    field(13, self.max_message_bytes);
    field(14, self.reconnect_attempt);
    field(15, self.software_version);
    field(16, self.principal);
    field(17, self.lapse_grace);
    field(18, self.version_floor);
  }
};

struct SessionActivated {
  static constexpr std::uint32_t kNumber = 21;
  static constexpr std::string_view kName = "session_activated";
  WorkerKey worker;
  friend bool operator==(const SessionActivated&, const SessionActivated&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
  }
};

struct SessionAttached {
  static constexpr std::uint32_t kNumber = 22;
  static constexpr std::string_view kName = "session_attached";
  WorkerKey worker;
  StreamId stream;
  bool resumed = false;  // it holds the accepted reference: a delta will do
  friend bool operator==(const SessionAttached&, const SessionAttached&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
    field(2, self.stream);
    field(3, self.resumed);
  }
};

struct SessionDetached {
  static constexpr std::uint32_t kNumber = 23;
  static constexpr std::string_view kName = "session_detached";
  WorkerKey worker;
  StreamId stream;
  RejectReason reason{};  // with which we ended it; kUnspecified: it ended by itself
  friend bool operator==(const SessionDetached&, const SessionDetached&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
    field(2, self.stream);
    field(3, self.reason);
  }
};

struct SessionHeard {
  static constexpr std::uint32_t kNumber = 24;
  static constexpr std::string_view kName = "session_heard";
  WorkerKey worker;
  friend bool operator==(const SessionHeard&, const SessionHeard&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
  }
};

struct SessionDraining {
  static constexpr std::uint32_t kNumber = 25;
  static constexpr std::string_view kName = "session_draining";
  WorkerKey worker;
  DrainReason reason{};
  LogTime deadline;
  friend bool operator==(const SessionDraining&, const SessionDraining&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
    field(2, self.reason);
    field(3, self.deadline);
  }
};

struct SessionClosed {
  static constexpr std::uint32_t kNumber = 26;
  static constexpr std::string_view kName = "session_closed";
  WorkerKey worker;
  SessionId session_id;
  CloseReason reason{};
  friend bool operator==(const SessionClosed&, const SessionClosed&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
    field(2, self.session_id);
    field(3, self.reason);
  }
};

// A worker remembers more than this log does.
struct HistoryLost {
  static constexpr std::uint32_t kNumber = 27;
  static constexpr std::string_view kName = "history_lost";
  WorkerId worker_id;
  std::string named_log_id;
  Epoch named_epoch;
  Version named_version;
  friend bool operator==(const HistoryLost&, const HistoryLost&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker_id);
    field(2, self.named_log_id);
    field(3, self.named_epoch);
    field(4, self.named_version);
  }
};

struct EligibilitySet {
  static constexpr std::uint32_t kNumber = 28;
  static constexpr std::string_view kName = "eligibility_set";
  WorkerId member_id;  // seen or not; of a checker too
  bool eligible = false;
  std::string reason;
  bool checker = false;  // it is a checker's id
  friend bool operator==(const EligibilitySet&, const EligibilitySet&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.member_id);
    field(2, self.eligible);
    field(3, self.reason);
    field(4, self.checker);
  }
};

struct InstancesSwapped {
  static constexpr std::uint32_t kNumber = 29;
  static constexpr std::string_view kName = "instances_swapped";
  WorkerKey worker;
  SessionId session_id;    // the superseded session that is alive all the same
  LogTime conflict_until;  // absent: no conflict
  friend bool operator==(const InstancesSwapped&, const InstancesSwapped&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
    field(2, self.session_id);
    field(3, self.conflict_until);
  }
};

}  // namespace holdfast
