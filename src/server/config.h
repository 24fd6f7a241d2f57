// The configuration of the daemon: what decisions depend on (base/settings.h), and what the server alone needs.
//
// Life cycle: defaults, then a file, then --set, then checked as a whole (config_load.h). Thread: a plain value.
// Names, ranges and defaults stand here and in base/settings.h, once; docs/configuration.md lists them, and a test
// holds the two against each other.

#pragma once

#include <cstdint>
#include <string>

#include "base/settings.h"
#include "server/config_pool.h"

namespace holdfast::server {

struct Config {
  std::string listen = "127.0.0.1:7443";
  std::string data_dir = "var/log";
  std::string metrics_listen;  // empty: nowhere
  std::uint64_t max_receive = 8 * 1024 * 1024;
  Duration watch_max_duration = std::chrono::hours(1);
  std::uint64_t max_streams = 256;
  std::uint64_t max_connections = 10'000;
  std::uint64_t max_waiting_registrations = 256;
  std::uint64_t max_waiting_extractions = 1'000;
  Duration keepalive_time = std::chrono::seconds(20);
  Duration keepalive_timeout = std::chrono::seconds(5);
  Duration min_ping_interval = std::chrono::seconds(10);
  std::uint64_t command_queue_bytes = 256 * 1024 * 1024;
  double command_queue_share = 0.25;
  std::uint64_t min_free = 512 * 1024 * 1024;
  bool self_audit = true;
  Duration shutdown_patience = std::chrono::seconds(5);
  std::string logging_level = "info";
  std::string clock_source = "system";
  PoolConfig pool;
  Settings settings;

  friend bool operator==(const Config&, const Config&) = default;

  // text(name, member), text_or_none(name, member), texts(name, member, most), duration(name, member, least, most),
  // size(…), count(…), ratio(name, member, above, most), share(name, member in parts per million), choice(name, member,
  // words), word(name, place of one in words, words), flag(name, member): for the file and for --set.
  template <class Self, class Visitor>
  static void Describe(Self& self, Visitor&& visit) {
    using std::chrono::hours;
    using std::chrono::milliseconds;
    using std::chrono::minutes;
    using std::chrono::seconds;
    constexpr std::uint64_t kMebibyte = 1024 * 1024;
    visit.text("listen", self.listen);
    visit.text("data_dir", self.data_dir);
    visit.text_or_none("metrics.listen", self.metrics_listen);
    visit.size("control_plane.max_receive", self.max_receive, 64 * 1024, 64 * kMebibyte);
    visit.duration("control_plane.watch_max_duration", self.watch_max_duration, milliseconds(100), hours(24 * 7));
    visit.count("control_plane.max_streams", self.max_streams, 1, 100'000);
    visit.count("control_plane.max_connections", self.max_connections, 1, 1'000'000);
    visit.count("control_plane.max_waiting_registrations", self.max_waiting_registrations, 1, 100'000);
    visit.count("distribution.max_waiting", self.max_waiting_extractions, 1, 100'000);
    visit.duration("control_plane.keepalive_time", self.keepalive_time, seconds(1), hours(2));
    visit.duration("control_plane.keepalive_timeout", self.keepalive_timeout, milliseconds(100), minutes(10));
    visit.duration("control_plane.min_ping_interval", self.min_ping_interval, milliseconds(10), hours(2));
    visit.size("control_plane.command_queue_bytes", self.command_queue_bytes, kMebibyte, 64 * 1024 * kMebibyte);
    visit.ratio("control_plane.command_queue_share", self.command_queue_share, 0.0, 1.0);
    visit.size("log.min_free", self.min_free, 0, 1024 * 1024 * kMebibyte);
    visit.flag("log.self_audit", self.self_audit);
    visit.duration("shutdown_patience", self.shutdown_patience, milliseconds(0), minutes(10));
    visit.choice("logging.level", self.logging_level, {"debug", "info", "warning", "error"});
    visit.choice("clock.source", self.clock_source, {"system", "redis"});
    PoolConfig::Describe(self.pool, visit);
    Settings::Describe(self.settings, visit);
  }
};

}  // namespace holdfast::server
