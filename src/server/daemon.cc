#include "server/daemon.h"

#include <algorithm>
#include <utility>

#include "pool/embedded_store.h"
#include "server/config_load.h"
#include "server/config_text.h"
#include "server/daemon_log.h"
#include "server/daemon_services.h"
#include "server/rejection_status.h"

namespace holdfast::server {
namespace {

// What one stream of snapshots may hold: the message that is written, one that waits, and some notices.
constexpr std::size_t kMailboxMessages = 16;
constexpr std::size_t kNoticeBytes = 64 * 1024;
// What one stream of tasks may hold: as many as a checker may have outstanding (100,000, decide_checker.cc), at about
// 300 bytes each, and some notices.
constexpr std::size_t kMailboxTasks = 100'000 + 16;
constexpr std::size_t kTaskBytes = 32 * 1024 * 1024;

WatchStream::Limits SnapshotLimits(const Config& config) {
  WatchStream::Limits limits;
  limits.mailbox_messages = kMailboxMessages;
  limits.message_bytes = config.settings.max_message;
  limits.mailbox_bytes = 2 * config.settings.max_message + kNoticeBytes;
  limits.longest = config.watch_max_duration;
  limits.ack_timeout = config.settings.ack_timeout;
  return limits;
}

WatchStream::Limits TaskLimits(const Config& config) {
  WatchStream::Limits limits = SnapshotLimits(config);
  limits.mailbox_messages = kMailboxTasks;
  limits.mailbox_bytes = kTaskBytes;
  return limits;
}

GrpcServer::Options ServerOptionsOf(const Config& config, std::size_t max_connections) {
  GrpcServer::Options options;
  options.max_receive_bytes = config.max_receive;
  options.max_streams = config.max_streams;
  options.max_connections = max_connections;
  options.keepalive_time = config.keepalive_time;
  options.keepalive_timeout = config.keepalive_timeout;
  options.min_ping_interval = config.min_ping_interval;
  return options;
}

}  // namespace

Daemon::Daemon(const Config& config, const Options& options)
    : config_(config),
      options_(options),
      admission_(config.max_waiting_registrations),
      streams_(SnapshotLimits(config), TaskLimits(config)),
      extractions_(config.max_waiting_extractions) {}

Daemon::~Daemon() { Stop(); }

absl::StatusOr<std::unique_ptr<Daemon>> Daemon::Start(const Config& config, const Parts& parts, const Options& options,
                                                      std::unique_ptr<Listener> listener,
                                                      std::unique_ptr<pool::PoolStore> store) {
  std::unique_ptr<Daemon> daemon(new Daemon(config, options));
  if (absl::Status status = daemon->OpenLoop(parts); !status.ok()) return status;
  daemon->StartPool(parts, std::move(store));
  if (absl::Status status = daemon->Serve(parts, std::move(listener)); !status.ok()) return status;
  return daemon;
}

absl::Status Daemon::OpenLoop(const Parts& parts) {
  ControllerLoop::Options options;
  options.settings = config_.settings;
  options.bootstrap = options_.bootstrap;
  options.software_version = options_.software_version;
  options.queue_bytes = config_.command_queue_bytes;
  options.queue_share = config_.command_queue_share;
  options.recovery_progress = options_.recovery_progress;
  options.on_write_failure = options_.on_write_failure;
  auto loop = ControllerLoop::Open(parts.log, parts.clocks, parts.random, effects_, options);
  if (!loop.ok()) return loop.status();
  loop_ = std::move(*loop);
  // No stream is there before this, so no effect has been looked at.
  streams_.Connect({[this] { return loop_->Now(); }, [this](const log::v1::Input& input) { loop_->SubmitOwn(input); }});
  return absl::OkStatus();
}

void Daemon::StartPool(const Parts& parts, std::unique_ptr<pool::PoolStore> store) {
  if (!store) store = std::make_unique<pool::EmbeddedStore>(*parts.clocks.boot);
  const auto settle_sink = [this] { return std::make_unique<SettleSink>(extractions_); };
  pool_ = std::make_unique<PoolDriver>(*loop_, std::move(store), settle_sink);
  if (options_.drive_pool) pool_->Start();
}

absl::Status Daemon::Serve(const Parts& parts, std::unique_ptr<Listener> listener) {
  StartAudit(parts.log);
  const CallContext context{*loop_, streams_, extractions_, admission_, shed_, parts.random, config_.settings};
  services_ = std::make_unique<DaemonServices>(context, *pool_, Sources());
  auto server =
      GrpcServer::Start(std::move(listener), ServerOptionsOf(config_, options_.max_connections), services_->all());
  if (!server.ok()) return server.status();
  server_ = std::move(*server);
  server_->SetServing(true);
  LookAround();
  housekeeping_ = std::make_unique<Housekeeping>([this] { LookAtTime(); }, [this] { LookAround(); });
  housekeeping_->Start();
  return absl::OkStatus();
}

void Daemon::StartAudit(const EventLog& log) {
  if (!config_.self_audit) return;
  audit_ = std::make_unique<SelfAudit>(log, [this](const SelfAudit::Divergence& divergence) {
    log::v1::Input input;
    input.mutable_audit_diverged()->set_sequence(divergence.sequence.value());
    input.mutable_audit_diverged()->set_finding(divergence.text);
    loop_->SubmitOwn(input);
  });
  audit_->Start();
}

StatusSources Daemon::Sources() const {
  StatusSources sources;
  sources.verified_through = [this] { return verified(); };
  sources.disk_free_bytes = [this] { return options_.free_disk_bytes ? admission_.free_bytes() : 0; };
  sources.not_serving_because = [this] {
    if (stopping_.load()) return std::string("it is being stopped");
    return admission_.disk_low() ? std::string("the disk is nearly full (log.min_free)") : std::string();
  };
  sources.pool = [this] { return pool_->status(); };
  sources.pool_backend = config_.pool.store;
  sources.config_hash = std::string(AsBytes(ConfigHash(config_)));
  return sources;
}

std::optional<audit::v1::GetStatusResponse> Daemon::StatusWithin(Duration patience) const {
  return services_->StatusWithin(patience);
}

void Daemon::LookAtTime() {
  streams_.Tick();
  services_->Tick(loop_->Now());
}

void Daemon::LookAround() {
  if (audit_) audit_->Nudge();
  if (const std::optional<log::v1::Input> shed = shed_.Take()) loop_->SubmitOwn(*shed);
  if (!options_.free_disk_bytes) return;
  const absl::StatusOr<std::uint64_t> free = options_.free_disk_bytes();
  if (!free.ok()) return LogWarning(std::string(free.status().message()));
  admission_.SetDisk(*free, config_.min_free);
  const bool low = admission_.disk_low();
  const bool first = !std::exchange(disk_was_looked_at_, true);
  const bool changed = low != std::exchange(disk_was_low_, low);
  if (first || changed) TellDisk(*free);
  if (!changed) return;
  server_->SetServing(!low);
  const std::string numbers =
      SizeText(*free) + " free where the log stands, log.min_free is " + SizeText(config_.min_free);
  if (low) {
    LogError("the disk is nearly full (" + numbers +
             "): imports, registrations, extractions and outcomes are refused until there is room");
  } else {
    LogInfo("the disk has room again (" + numbers + "): everything is served");
  }
}

// Also at the first look: the alarm may stand from the run before.
void Daemon::TellDisk(std::uint64_t free_bytes) {
  log::v1::Input input;
  input.mutable_disk_watched()->set_free_bytes(free_bytes);
  input.mutable_disk_watched()->set_least_bytes(config_.min_free);
  loop_->SubmitOwn(input);
}

void Daemon::Stop() {
  if (stopping_.exchange(true)) return;
  if (server_) {
    server_->BeginShutdown();
    streams_.CloseAll(ShuttingDownRejection());
    services_->CloseAll(ShuttingDownRejection());
    pool_->Stop();  // and with it the calls that wait for the store
    server_->Shutdown(config_.shutdown_patience);
  }
  if (housekeeping_) housekeeping_->Stop();
  if (audit_) audit_->Stop();
  if (services_) services_->Stop();
  if (pool_) pool_->Stop();
  if (loop_) loop_->Stop();
}

}  // namespace holdfast::server
