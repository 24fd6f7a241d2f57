// The settings that decisions depend on, with their names in the configuration file, defaults and ranges. They are part
// of the log: what is in force is what the last SettingsChanged says, never what a file says now.
//
// Thread: a plain value. Sizes in bytes, counts plain, durations in microseconds.

#pragma once

#include <cstdint>

#include "base/log_time.h"

namespace holdfast {

struct Settings {
  Duration session_ttl = std::chrono::seconds(15);
  Duration report_interval = std::chrono::seconds(1);
  Duration runtime_ttl = std::chrono::seconds(3);
  Duration snapshot_validity = std::chrono::seconds(30);
  Duration renewal_interval = std::chrono::seconds(10);
  Duration max_stale_age = std::chrono::seconds(30);
  Duration recovery_hold_off = std::chrono::seconds(30);
  Duration default_lifetime = std::chrono::hours(24);
  std::uint64_t default_capacity = 1;
  Duration allocation_safety_margin = std::chrono::seconds(60);
  Duration lapse_grace = std::chrono::seconds(10);
  Duration drain_grace = std::chrono::seconds(60);
  Duration ack_timeout = std::chrono::seconds(5);
  std::uint64_t max_message = 3'670'016;  // 3.5 MiB
  std::uint64_t max_batch = 10'000;
  std::uint64_t max_proxies_per_worker = 20'000;
  std::uint64_t max_labels = 32;
  std::uint64_t max_label_bytes = 256;
  bool trust_unchecked = false;
  bool allow_special = false;
  std::uint64_t reserve_ppm = 100'000;  // of the available addresses that nobody is granted, parts per million
  std::uint64_t rebalance_max_moves = 500;

  // Checks and health.
  Duration basic_interval = std::chrono::seconds(60);
  Duration basic_timeout = std::chrono::seconds(10);
  Duration egress_interval = std::chrono::minutes(10);
  Duration egress_timeout = std::chrono::seconds(10);
  bool egress_required = false;
  std::uint64_t egress_min_anonymity = 0;  // the number of an Anonymity; 0: none
  Duration target_interval = std::chrono::minutes(5);
  Duration target_timeout = std::chrono::seconds(10);
  Duration suspect_interval = std::chrono::seconds(10);
  Duration unhealthy_max_interval = std::chrono::minutes(10);
  std::uint64_t failures_to_suspect = 1;
  std::uint64_t failures_to_unhealthy = 3;
  std::uint64_t passes_to_available = 1;
  std::uint64_t passes_from_unhealthy = 2;
  Duration guard_window = std::chrono::minutes(1);
  std::uint64_t guard_share_ppm = 300'000;  // of the proxies that were up, parts per million
  std::uint64_t guard_minimum = 20;
  Duration outcomes_window = std::chrono::minutes(1);
  std::uint64_t outcomes_count = 20;
  std::uint64_t outcomes_failures = 5;

  friend bool operator==(const Settings&, const Settings&) = default;

  // field(number in log.v1.Settings, member)
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.session_ttl);
    field(2, self.report_interval);
    field(3, self.runtime_ttl);
    field(4, self.snapshot_validity);
    field(5, self.renewal_interval);
    field(6, self.max_stale_age);
    field(7, self.recovery_hold_off);
    field(8, self.default_lifetime);
    field(9, self.default_capacity);
    field(10, self.allocation_safety_margin);
    field(11, self.lapse_grace);
    field(12, self.drain_grace);
    field(13, self.ack_timeout);
    field(14, self.max_message);
    field(15, self.max_batch);
    field(16, self.max_proxies_per_worker);
    field(17, self.max_labels);
    field(18, self.max_label_bytes);
    field(19, self.trust_unchecked);
    field(20, self.allow_special);
    field(21, self.reserve_ppm);
    field(22, self.rebalance_max_moves);
    field(23, self.basic_interval);
    field(24, self.basic_timeout);
    field(25, self.egress_interval);
    field(26, self.egress_timeout);
    field(27, self.egress_required);
    field(28, self.egress_min_anonymity);
    field(29, self.target_interval);
    field(30, self.target_timeout);
    field(31, self.suspect_interval);
    field(32, self.unhealthy_max_interval);
    field(33, self.failures_to_suspect);
    field(34, self.failures_to_unhealthy);
    field(35, self.passes_to_available);
    field(36, self.passes_from_unhealthy);
    field(37, self.guard_window);
    field(38, self.guard_share_ppm);
    field(39, self.guard_minimum);
    field(40, self.outcomes_window);
    field(41, self.outcomes_count);
    field(42, self.outcomes_failures);
  }

  // duration(name, member, least, most), size(...), count(...), flag(name, member), word(name, member, words: member is
  // the place of one, from 0): for the configuration file.
  template <class Self, class Visitor>
  static void Describe(Self& self, Visitor&& visit) {
    using std::chrono::hours;
    using std::chrono::milliseconds;
    using std::chrono::seconds;
    visit.duration("control_plane.session_ttl", self.session_ttl, milliseconds(300), hours(1));
    visit.duration("control_plane.report_interval", self.report_interval, milliseconds(10), hours(1));
    visit.duration("control_plane.runtime_ttl", self.runtime_ttl, milliseconds(30), hours(1));
    visit.duration("control_plane.snapshot_validity", self.snapshot_validity, milliseconds(1100), hours(24));
    visit.duration("control_plane.renewal_interval", self.renewal_interval, milliseconds(50), hours(24));
    visit.duration("control_plane.max_stale_age", self.max_stale_age, milliseconds(100), hours(24));
    visit.duration("control_plane.recovery_hold_off", self.recovery_hold_off, milliseconds(100), hours(1));
    visit.duration("control_plane.default_lifetime", self.default_lifetime, seconds(1), hours(24 * 3650));
    visit.count("control_plane.default_capacity", self.default_capacity, 1, 1'000'000);
    visit.duration("control_plane.allocation_safety_margin", self.allocation_safety_margin, Duration(0), hours(24));
    visit.duration("control_plane.lapse_grace", self.lapse_grace, Duration(0), hours(1));
    visit.duration("control_plane.drain_grace", self.drain_grace, Duration(0), hours(24));
    visit.duration("control_plane.ack_timeout", self.ack_timeout, milliseconds(50), hours(1));
    visit.size("control_plane.max_message", self.max_message, 64 * 1024, 64 * 1024 * 1024);
    visit.count("control_plane.max_batch", self.max_batch, 1, 10'000);
    visit.count("control_plane.max_proxies_per_worker", self.max_proxies_per_worker, 1, 100'000);
    visit.count("control_plane.max_labels", self.max_labels, 0, 32);
    visit.count("control_plane.max_label_bytes", self.max_label_bytes, 1, 256);
    visit.flag("health.trust_unchecked", self.trust_unchecked);
    visit.flag("import.allow_special", self.allow_special);
    visit.share("distribution.reserve", self.reserve_ppm);
    visit.count("rebalance.max_moves", self.rebalance_max_moves, 1, 100'000);
    DescribeHealth(self, visit);
  }

  template <class Self, class Visitor>
  static void DescribeHealth(Self& self, Visitor&& visit) {
    using std::chrono::hours;
    using std::chrono::milliseconds;
    const auto every = [&](const char* name, auto& interval) {
      visit.duration(name, interval, milliseconds(50), hours(24));
    };
    every("health.basic.interval", self.basic_interval);
    every("health.basic.timeout", self.basic_timeout);
    every("health.egress.interval", self.egress_interval);
    every("health.egress.timeout", self.egress_timeout);
    visit.flag("health.egress.required", self.egress_required);
    visit.word("health.egress.min_anonymity", self.egress_min_anonymity, {"none", "transparent", "anonymous", "elite"});
    every("health.target.interval", self.target_interval);
    every("health.target.timeout", self.target_timeout);
    every("health.suspect_interval", self.suspect_interval);
    every("health.unhealthy_max_interval", self.unhealthy_max_interval);
    visit.count("health.failures_to_suspect", self.failures_to_suspect, 1, 16);
    visit.count("health.failures_to_unhealthy", self.failures_to_unhealthy, 1, 16);
    visit.count("health.passes_to_available", self.passes_to_available, 1, 16);
    visit.count("health.passes_from_unhealthy", self.passes_from_unhealthy, 1, 16);
    every("health.guard.window", self.guard_window);
    visit.share("health.guard.share", self.guard_share_ppm);
    visit.count("health.guard.minimum", self.guard_minimum, 1, 1'000'000);
    every("health.outcomes.window", self.outcomes_window);
    visit.count("health.outcomes.count", self.outcomes_count, 1, 32);
    visit.count("health.outcomes.failures", self.outcomes_failures, 1, 32);
  }
};

}  // namespace holdfast
