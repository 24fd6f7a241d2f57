#include "server/daemon_run.h"

#include <absl/strings/str_cat.h>
#include <absl/synchronization/mutex.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "events/log_directory.h"
#include "events/rocksdb_log.h"
#include "pool/redis_clock.h"
#include "server/config_load.h"
#include "server/daemon.h"
#include "server/daemon_log.h"
#include "server/daemon_port_file.h"
#include "server/daemon_signals.h"
#include "server/followed_clock.h"
#include "server/metrics_server.h"
#include "server/pool_store_factory.h"
#include "server/recovery_progress.h"
#include "server/redis_config.h"

namespace holdfast::server {
namespace {

constexpr Duration kScrapePatience = std::chrono::seconds(5);

// What a process of its own stands on; tests bring theirs to Daemon::Start.
struct Machine {
  std::unique_ptr<BootClock> boot_clock;
  std::unique_ptr<WallClock> wall_clock = SystemWallClock();
  std::unique_ptr<RandomSource> random = SystemRandomSource();
  std::unique_ptr<RocksDbLog> log;
  std::size_t max_connections = 0;
};

absl::Status ChooseClocks(const Config& config, Machine& machine) {
  absl::StatusOr<std::unique_ptr<BootClock>> boot_clock = SystemBootClock();
  if (!boot_clock.ok()) return boot_clock.status();
  machine.boot_clock = std::move(*boot_clock);
  if (config.clock_source == "system") return absl::OkStatus();
  absl::StatusOr<pool::RedisSettings> settings = ReadRedisSettings(config.pool.redis, "clock.source");
  if (!settings.ok()) return settings.status();
  auto sampler = pool::RedisClockSampler::Make(*std::move(settings), *machine.boot_clock);
  if (!sampler.ok()) return sampler.status();
  auto clock = FollowedClock::Start(*std::move(sampler), *machine.boot_clock, {});
  if (!clock.ok()) return clock.status();
  machine.wall_clock = *std::move(clock);
  return absl::OkStatus();
}

// What is needed against what is allowed: the log first, connections from what is left.
absl::Status DivideDescriptors(const Config& config, std::uint64_t& log_tables, Machine& machine) {
  const absl::StatusOr<DescriptorBudget> budget = RaiseDescriptorLimit();
  if (!budget.ok()) return budget.status();
  log_tables = budget->log_tables;
  machine.max_connections = std::min<std::uint64_t>(config.max_connections, budget->connections);
  if (machine.max_connections < config.max_connections) {
    LogWarning(absl::StrCat("the process may open ", budget->limit, " files: ", budget->log_tables,
                            " are kept for the log, so at most ", machine.max_connections, " connections are taken (",
                            config.max_connections, " are configured); raise the limit (ulimit -n, LimitNOFILE=)"));
  }
  return absl::OkStatus();
}

absl::Status OpenLog(const Config& config, Machine& machine) {
  RocksDbLogOptions options;
  if (absl::Status status = DivideDescriptors(config, options.open_tables, machine); !status.ok()) return status;
  if (absl::Status status = PrepareLogDirectory(config.data_dir); !status.ok()) return status;
  auto log = RocksDbLog::Open(config.data_dir, options);
  if (!log.ok()) return log.status();
  machine.log = std::move(*log);
  if (machine.log->torn_end()) LogWarning(*machine.log->torn_end());
  return absl::OkStatus();
}

Daemon::Options OptionsOf(const Config& config, const DaemonFlags& flags, const Machine& machine) {
  Daemon::Options options;
  options.bootstrap = flags.bootstrap;
  options.software_version = std::string(kSoftwareVersion);
  options.max_connections = machine.max_connections;
  options.recovery_progress = RecoveryProgress(*machine.boot_clock, [](Sequence sequence) {
    LogInfo(absl::StrCat("recovering: folded through sequence ", sequence.value()));
  });
  options.free_disk_bytes = [path = config.data_dir] { return FreeDiskBytes(path); };
  return options;
}

absl::StatusOr<std::unique_ptr<Daemon>> StartOn(const Config& config, const DaemonFlags& flags, Machine& machine) {
  const absl::StatusOr<ListenAddress> address = ParseListenAddress(config.listen);
  if (!address.ok()) return address.status();
  // The port before the log: a taken one is told at once, not after a long recovery.
  absl::StatusOr<std::unique_ptr<Listener>> listener = Listener::Bind(*address);
  if (!listener.ok()) return listener.status();
  if (absl::Status status = ChooseClocks(config, machine); !status.ok()) return status;
  auto store = MakePoolStore(config.pool, *machine.boot_clock, *machine.random);
  if (!store.ok()) return store.status();
  if (absl::Status status = OpenLog(config, machine); !status.ok()) return status;
  return Daemon::Start(config, {*machine.log, {machine.boot_clock.get(), machine.wall_clock.get()}, *machine.random},
                       OptionsOf(config, flags, machine), std::move(*listener), *std::move(store));
}

// Null: they are switched off.
absl::StatusOr<std::unique_ptr<MetricsServer>> StartMetrics(const Config& config) {
  if (config.metrics_listen.empty()) return nullptr;
  auto metrics = MetricsServer::Start(config.metrics_listen);
  if (metrics.ok()) LogInfo(absl::StrCat("metrics on ", (*metrics)->url()));
  return metrics;
}

int Fail(const absl::Status& status) {
  LogError(std::string(status.message()));
  return kExitCouldNotRun;
}

}  // namespace

absl::StatusOr<Config> ConfigFrom(const DaemonFlags& flags) {
  Config config;
  if (!flags.config_file.empty()) {
    if (absl::Status status = LoadConfigFile(flags.config_file, config); !status.ok()) return status;
  }
  for (const std::string& assignment : flags.assignments) {
    if (absl::Status status = SetConfigValue(assignment, config); !status.ok()) return status;
  }
  if (flags.data_dir) config.data_dir = *flags.data_dir;
  if (flags.listen) config.listen = *flags.listen;
  if (config.data_dir.empty()) return absl::InvalidArgumentError("--data-dir: name a directory for the log");
  if (absl::Status status = CheckConfig(config); !status.ok()) return status;
  if (const auto address = ParseListenAddress(config.listen); !address.ok()) return address.status();
  if (absl::Status status = CheckMetricsAddress(config.metrics_listen); !status.ok()) return status;
  return config;
}

int RunDaemon(const DaemonFlags& flags) {
  // Debian's abseil is built with a check of the order of every lock, which gRPC would pay for at every call.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  SetUpLogging("info");
  const absl::StatusOr<Config> config = ConfigFrom(flags);
  if (!config.ok()) return Fail(config.status());
  if (flags.check_config) {
    std::printf("%s\n", ConfigJson(*config).c_str());
    return kExitDone;
  }
  SetUpLogging(config->logging_level);
  EndSignals signals;
  Machine machine;
  // Before the log: that it is being recovered shows.
  auto metrics = StartMetrics(*config);
  if (!metrics.ok()) return Fail(metrics.status());
  absl::StatusOr<std::unique_ptr<Daemon>> daemon = StartOn(*config, flags, machine);
  if (!daemon.ok()) return Fail(daemon.status());
  std::unique_ptr<MetricsServer> shown = *std::move(metrics);  // gone before the daemon is
  if (shown) shown->Show([&running = **daemon] { return running.StatusWithin(kScrapePatience); });
  LogInfo(absl::StrCat("holdfastd ", absl::string_view(kSoftwareVersion.data(), kSoftwareVersion.size()), " serves on ",
                       (*daemon)->address(), ", log in ", config->data_dir, ", recovered through sequence ",
                       (*daemon)->loop().recovered_through().value(), ", configuration ", ToHex(ConfigHash(*config)),
                       "; plaintext: every caller on this machine may be anyone"));
  if (!flags.port_file.empty()) {
    if (absl::Status status = WritePortFile(flags.port_file, (*daemon)->address()); !status.ok()) return Fail(status);
  }
  const int signal = signals.Wait();
  LogInfo(absl::StrCat("signal ", signal, ": finishing what is under way; a second one ends it at once"));
  shown.reset();
  (*daemon)->Stop();
  if (!flags.port_file.empty()) RemovePortFile(flags.port_file);
  LogInfo("stopped");
  return kExitDone;
}

}  // namespace holdfast::server
