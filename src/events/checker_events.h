// Events of checker sessions and of their tasks. Each: written when, meaning of fields, who folds it:
// docs/event_catalog.md.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/log_time.h"
#include "events/snapshot_events.h"
#include "events/vocabulary.h"

namespace holdfast {

struct CheckerOpened {
  static constexpr std::uint32_t kNumber = 100;
  static constexpr std::string_view kName = "checker_opened";
  CheckerKey checker;
  CheckerId checker_id;
  SessionId session_id;
  InstanceId instance_id;
  std::string zone;
  std::uint32_t max_concurrency = 0;
  std::uint32_t levels = 0;        // LevelBit of each
  std::uint32_t capabilities = 0;  // kCheckerCapability… bits
  std::uint32_t protocol_version = 0;
  std::uint32_t reconnect_attempt = 0;
  std::string software_version;
  std::string principal;
  friend bool operator==(const CheckerOpened&, const CheckerOpened&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.checker);
    field(2, self.checker_id);
    field(3, self.session_id);
    field(4, self.instance_id);
    field(5, self.zone);
    field(6, self.max_concurrency);
    field(7, self.levels);
    field(8, self.capabilities);
    field(9, self.protocol_version);
    field(10, self.reconnect_attempt);
    field(11, self.software_version);
    field(12, self.principal);
  }
};

// Its task stream is there: it is active from the first one on.
struct CheckerAttached {
  static constexpr std::uint32_t kNumber = 101;
  static constexpr std::string_view kName = "checker_attached";
  CheckerKey checker;
  StreamId stream;
  friend bool operator==(const CheckerAttached&, const CheckerAttached&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.checker);
    field(2, self.stream);
  }
};

struct CheckerDetached {
  static constexpr std::uint32_t kNumber = 102;
  static constexpr std::string_view kName = "checker_detached";
  CheckerKey checker;
  StreamId stream;
  RejectReason reason{};  // with which we ended it; kUnspecified: it ended by itself
  friend bool operator==(const CheckerDetached&, const CheckerDetached&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.checker);
    field(2, self.stream);
    field(3, self.reason);
  }
};

// A report was accepted, with observations or without.
struct CheckerHeard {
  static constexpr std::uint32_t kNumber = 103;
  static constexpr std::string_view kName = "checker_heard";
  CheckerKey checker;
  std::uint64_t sequence = 0;  // 0: alive, nothing more
  ContentHash content_hash{};  // of the report, for a repeated sequence
  std::uint32_t running = 0;   // tasks under way, as it says
  std::uint64_t queued = 0;
  std::vector<std::string> ignored_task_ids;  // of observations that count for nothing: they were not outstanding
  friend bool operator==(const CheckerHeard&, const CheckerHeard&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.checker);
    field(2, self.sequence);
    field(3, self.content_hash);
    field(4, self.running);
    field(5, self.queued);
    field(6, self.ignored_task_ids);
  }
};

struct CheckerDraining {
  static constexpr std::uint32_t kNumber = 104;
  static constexpr std::string_view kName = "checker_draining";
  CheckerKey checker;
  DrainReason reason{};
  LogTime deadline;  // absent: none
  friend bool operator==(const CheckerDraining&, const CheckerDraining&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.checker);
    field(2, self.reason);
    field(3, self.deadline);
  }
};

struct CheckerClosed {
  static constexpr std::uint32_t kNumber = 105;
  static constexpr std::string_view kName = "checker_closed";
  CheckerKey checker;
  SessionId session_id;
  CloseReason reason{};
  friend bool operator==(const CheckerClosed&, const CheckerClosed&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.checker);
    field(2, self.session_id);
    field(3, self.reason);
  }
};

// Which checks a proxy gets besides BASIC. What it got before and is not named ends.
struct ChecksPlanned {
  static constexpr std::uint32_t kNumber = 110;
  static constexpr std::string_view kName = "checks_planned";
  ProxyKey proxy;
  bool egress = false;
  std::vector<RoutingKey> routings;     // TARGET, ascending
  LogTime due_at;                       // of those that it did not get before
  std::uint64_t routings_revision = 0;  // that they follow from
  friend bool operator==(const ChecksPlanned&, const ChecksPlanned&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.proxy);
    field(2, self.egress);
    field(3, self.routings);
    field(4, self.due_at);
    field(5, self.routings_revision);
  }
};

// Due at once.
struct CheckRequested {
  static constexpr std::uint32_t kNumber = 111;
  static constexpr std::string_view kName = "check_requested";
  ProxyKey proxy;
  CheckLevel level{};
  RoutingKey routing;  // TARGET; else 0
  bool by_operator = false;
  friend bool operator==(const CheckRequested&, const CheckRequested&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.proxy);
    field(2, self.level);
    field(3, self.routing);
    field(4, self.by_operator);
  }
};

// A task for a checker.
struct CheckIssued {
  static constexpr std::uint32_t kNumber = 112;
  static constexpr std::string_view kName = "check_issued";
  TaskId task;
  CheckerKey checker;
  ProxyKey proxy;
  CheckLevel level{};
  RoutingKey routing;        // TARGET; else 0
  std::uint32_t target = 0;  // TARGET: which of the routing's, from 0
  LogTime deadline;
  friend bool operator==(const CheckIssued&, const CheckIssued&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.task);
    field(2, self.checker);
    field(3, self.proxy);
    field(4, self.level);
    field(5, self.routing);
    field(6, self.target);
    field(7, self.deadline);
  }
};

// What a checker found, and what the reducer made of it for its key.
struct CheckObserved {
  static constexpr std::uint32_t kNumber = 113;
  static constexpr std::string_view kName = "check_observed";
  TaskId task;
  CheckerKey checker;
  ProxyKey proxy;
  CheckLevel level{};
  RoutingKey routing;  // TARGET; else 0
  Verdict verdict{};   // as it counts: a PASS below the anonymity that is required is a FAIL
  OutcomePhase phase{};
  OutcomeError error{};
  Duration latency{};
  std::string egress_ip;
  Anonymity anonymity{};
  std::uint32_t http_status = 0;
  std::uint32_t passes = 0;    // in a row, after it
  std::uint32_t failures = 0;  // in a row, after it; held below what makes UNHEALTHY while that is frozen
  LogTime due_at;              // the next one
  bool weighed = false;        // by the guard: the key had passed before, and was not UNHEALTHY
  friend bool operator==(const CheckObserved&, const CheckObserved&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.task);
    field(2, self.checker);
    field(3, self.proxy);
    field(4, self.level);
    field(5, self.routing);
    field(6, self.verdict);
    field(7, self.phase);
    field(8, self.error);
    field(9, self.latency);
    field(10, self.egress_ip);
    field(11, self.anonymity);
    field(12, self.http_status);
    field(13, self.passes);
    field(14, self.failures);
    field(15, self.due_at);
    field(16, self.weighed);
  }
};

// No observation came before the deadline: it says nothing of the proxy.
struct CheckExpired {
  static constexpr std::uint32_t kNumber = 114;
  static constexpr std::string_view kName = "check_expired";
  TaskId task;
  CheckerKey checker;
  ProxyKey proxy;
  CheckLevel level{};
  RoutingKey routing;  // TARGET; else 0
  LogTime due_at;
  friend bool operator==(const CheckExpired&, const CheckExpired&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.task);
    field(2, self.checker);
    field(3, self.proxy);
    field(4, self.level);
    field(5, self.routing);
    field(6, self.due_at);
  }
};

// Its checker's session is over, or nobody wants to know any more.
struct CheckCancelled {
  static constexpr std::uint32_t kNumber = 115;
  static constexpr std::string_view kName = "check_cancelled";
  TaskId task;
  CheckerKey checker;
  ProxyKey proxy;
  CheckLevel level{};
  RoutingKey routing;  // TARGET; else 0
  LogTime due_at;      // absent: not checked any more
  bool told = false;   // the checker is told to drop it
  friend bool operator==(const CheckCancelled&, const CheckCancelled&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.task);
    field(2, self.checker);
    field(3, self.proxy);
    field(4, self.level);
    field(5, self.routing);
    field(6, self.due_at);
    field(7, self.told);
  }
};

}  // namespace holdfast
