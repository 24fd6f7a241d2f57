// The whole server in the test's process, on a free port of 127.0.0.1, with a log in memory and clocks that the test
// moves.
//
// Thread: the test's. Nothing waits for real time: Advance moves the clocks in small steps and returns when the loop
// has looked at each of them.

#pragma once

#include <grpcpp/channel.h>

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "holdfast/admin/v1/admin.pb.h"
#include "server/daemon.h"
#include "tests/server/gated_log.h"
#include "tests/server/manual_sources.h"

namespace holdfast::server {

// An entry as it stands in the log.
struct LoggedEntry {
  Sequence sequence;
  std::string principal;
  std::string input_bytes;
  log::v1::Input input;
};

class TestDaemon {
 public:
  // What is imported is granted to the last: no reserve, and unchecked proxies are trusted.
  static Config GrantingAll() {
    Config config;
    config.settings.reserve_ppm = 0;
    config.settings.trust_unchecked = true;
    return config;
  }
  // What is imported is PENDING until checkers have seen it.
  static Config Checked() {
    Config config = GrantingAll();
    config.settings.trust_unchecked = false;
    return config;
  }
  struct Options {
    Config config = GrantingAll();
    bool bootstrap = true;
    std::function<absl::StatusOr<std::uint64_t>()> free_disk_bytes = {};
    // Null: nobody drives a pool store, and a test may play it by its inputs.
    std::function<std::unique_ptr<pool::PoolStore>()> make_store = {};
    std::function<std::unique_ptr<WallClock>(const BootClock&)> wall_clock = {};  // instead of the manual one
  };

  TestDaemon() : TestDaemon(Options{}) {}
  explicit TestDaemon(Options options);
  ~TestDaemon();

  Daemon& daemon() { return *daemon_; }
  ControllerLoop& loop() { return daemon_->loop(); }
  GatedLog& log() { return log_; }
  std::string address() const { return daemon_->address(); }

  // A connection of its own.
  std::shared_ptr<grpc::Channel> NewChannel() const;

  void Advance(Duration duration);
  // Somebody sets the machine's date forward, or back.
  void SetWallBy(Duration duration) { clocks_.SetWallBy(duration.count()); }
  // What was queued before is decided, durable, carried out and answered.
  void Settle();

  // Decides an input as if it had come from `peer`, and waits for the answer.
  Reply Decide(const log::v1::Input& input, const std::string& peer = "test");
  // Imports `count` made-up proxies "proxy-0"…; fails the test if one is refused.
  admin::v1::ImportProxiesResponse Import(int count, const std::string& prefix = "proxy-");

  // Every entry of the log, with its input.
  std::vector<LoggedEntry> Entries() const;
  // Those whose input is of this kind.
  std::vector<LoggedEntry> Entries(log::v1::Input::InputCase kind) const;

  void Stop() { daemon_->Stop(); }
  // Another process on the same log: stops this one and starts anew.
  void Restart();

 private:
  void Start();

  const Options options_;
  GatedLog log_;
  ManualClocks clocks_;
  CountingRandom random_;
  std::unique_ptr<WallClock> wall_;  // null: the manual one
  std::unique_ptr<Daemon> daemon_;
  int settles_ = 0;
};

}  // namespace holdfast::server
