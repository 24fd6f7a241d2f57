#include "tests/replay/log_maker.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "controller/proto_time.h"
#include "controller/recovery.h"
#include "controller/rules_version.h"

namespace holdfast::testing {
namespace {

constexpr std::int64_t kBeginMicros = 1'900'000'000'000'000;  // some day in 2030
constexpr int kMostSteps = 1'000'000;

log::v1::Settings StoredSettings(const Settings& in) {
  log::v1::Settings out;
  const google::protobuf::Reflection* reflection = out.GetReflection();
  Settings::Fields(in, [&]<class T>(std::uint32_t number, const T& value) {
    const auto* field = log::v1::Settings::descriptor()->FindFieldByNumber(static_cast<int>(number));
    if constexpr (std::is_same_v<T, Duration>) {
      reflection->SetInt64(&out, field, value.count());
    } else if constexpr (std::is_same_v<T, bool>) {
      reflection->SetBool(&out, field, value);
    } else {
      reflection->SetUInt64(&out, field, value);
    }
  });
  return out;
}

std::string BytesOf(const Checksum& checksum) {
  return std::string(reinterpret_cast<const char*>(checksum.data()), checksum.size());
}

}  // namespace

LogMaker::LogMaker(EventLog& log) : log_(log), rules_version_(kRulesVersion), now_(LogTimeFromMicros(kBeginMicros)) {}
LogMaker::~LogMaker() = default;

// ---- the controller ----

void LogMaker::Start(bool bootstrap) { StartRun(bootstrap, sequencer_ != nullptr || log_.Tip().value() != 0); }

void LogMaker::StartOnAnotherBoot() {
  ++boot_;
  StartRun(false, false);
}

void LogMaker::Recover() {
  auto state = std::make_unique<ControllerState>();
  const absl::StatusOr<RecoveredLog> recovered = holdfast::Recover(log_, {state.get()}, nullptr);
  HOLDFAST_CHECK(recovered.ok());
  LogId log_id{};
  for (std::size_t i = 0; i < log_id.size(); ++i) log_id[i] = static_cast<std::uint8_t>(i * 7 + 1);
  now_ = std::max(now_, recovered->last_at);
  sequencer_ = std::make_unique<Sequencer>(std::move(state), recovered->tip, recovered->log_id.value_or(log_id),
                                           "boot-" + std::to_string(boot_), Sequencer::Options());
}

void LogMaker::StartRun(bool bootstrap, bool same_boot) {
  Recover();
  log::v1::Input input;
  log::v1::StartController& start = *input.mutable_start_controller();
  start.set_boot_id("boot-" + std::to_string(boot_));
  start.set_boot_micros(ToMicros(now_) - kBeginMicros + 1'000'000);
  start.set_same_boot(same_boot);
  std::string log_id(16, '\0');
  for (std::size_t i = 0; i < log_id.size(); ++i) log_id[i] = static_cast<char>(i * 7 + 1);
  start.set_log_id(log_id);
  start.set_bootstrap(bootstrap);
  start.set_rules_version(rules_version_);
  start.set_software_version(software_version_);
  Settings settings;
  settings.trust_unchecked = true;  // no checkers
  *start.mutable_settings() = StoredSettings(settings);
  Send(input, kControllerPrincipal);
}

void LogMaker::Offer(const log::v1::Input& input, const std::string& principal) {
  sequencer_->Offer(MakeCommand(input, principal, principal, nullptr));
}

void LogMaker::Send(const log::v1::Input& input, const std::string& principal) {
  Offer(input, principal);
  Settle();
}

void LogMaker::SendTogether(const std::vector<log::v1::Input>& inputs) {
  for (const log::v1::Input& input : inputs) Offer(input, "loopback");
  Settle();
}

// Steps until nothing is due at this time.
void LogMaker::Settle() {
  for (int steps = 0; steps < kMostSteps; ++steps) {
    sequencer_->Step(now_);
    now_ += sequencer_->TakeClockMove();
    const bool wrote = sequencer_->HasBlock();
    Commit();
    if (!wrote && !sequencer_->HasBacklog()) return;
  }
  HOLDFAST_CHECK(!"the sequencer does not come to rest");
}

void LogMaker::Commit() {
  if (!sequencer_->HasBlock()) return;
  const SealedBlock block = sequencer_->TakeBlock(ToMicros(now_) - kBeginMicros + 1'000'000);
  const absl::Status status = log_.Append({.follows = block.follows,
                                           .first = block.encoded.first,
                                           .last = block.encoded.last,
                                           .block = block.encoded.block,
                                           .bulk = block.encoded.bulk,
                                           .ownership_periods = &block.ownership_periods});
  HOLDFAST_CHECK(status.ok());
  sequencer_->OnDurable(block.encoded.last);
}

void LogMaker::Pass(Duration duration) {
  const LogTime end = now_ + duration;
  for (int steps = 0; steps < kMostSteps; ++steps) {
    const std::optional<LogTime> next = sequencer_->NextDeadline();
    if (!next || *next > end) break;
    const bool stands = *next <= now_;
    now_ = std::max(now_, *next);
    Settle();
    if (stands) now_ += std::min(end - now_, Duration(1'000));  // due, and nothing follows from it yet
    if (now_ == end) break;
  }
  now_ = end;
  Settle();
}

void LogMaker::Live(const std::vector<std::string>& workers, int seconds) {
  for (int second = 0; second < seconds; ++second) {
    Pass(std::chrono::seconds(1));
    for (const std::string& worker : workers) {
      Acknowledge(worker);
      Send(RuntimeReport(worker));
    }
  }
}

// ---- workers ----

const WorkerRow& LogMaker::Row(const std::string& worker) const {
  const WorkerRow* row = state().sessions().Find(worker);
  HOLDFAST_CHECK(row != nullptr);
  return *row;
}

std::string LogMaker::session_of(const std::string& worker) const { return Row(worker).opened.session_id.value(); }

const WorkerSnapshots& LogMaker::snapshots_of(const std::string& worker) const {
  return state().snapshots().At(Row(worker).opened.worker);
}

void LogMaker::Register(const std::string& worker, const WorkerOptions& options) {
  log::v1::Input input;
  input.mutable_register_worker()->set_session_id("session-" + std::to_string(++sessions_));
  controlplane::v1::RegisterWorkerRequest& request = *input.mutable_register_worker()->mutable_request();
  request.set_worker_id(worker);
  request.set_instance_id(options.instance_id.empty() ? worker + "-instance-1" : options.instance_id);
  request.set_zone(options.zone);
  request.set_supported_protocol_version(1);
  request.set_weight(options.weight);
  if (options.deltas) request.add_capabilities(controlplane::v1::WORKER_CAPABILITY_DELTA);
  if (options.secrets) request.add_capabilities(controlplane::v1::WORKER_CAPABILITY_SECRET_REF);
  request.set_previous_session_id(options.previous_session);
  request.set_last_version(options.last_version);
  request.set_software_version("worker-1");
  Send(input);
}

void LogMaker::Watch(const std::string& worker) {
  log::v1::Input input;
  input.mutable_watch_snapshots()->set_stream(++streams_);
  controlplane::v1::WatchSnapshotsRequest& request = *input.mutable_watch_snapshots()->mutable_request();
  request.set_worker_id(worker);
  request.set_session_id(session_of(worker));
  request.set_ownership_epoch(Row(worker).opened.epoch.value());
  if (const auto& accepted = snapshots_of(worker).accepted) {
    request.set_last_version(accepted->version.value());
    request.set_last_checksum(BytesOf(accepted->checksum));
  }
  Send(input);
}

void LogMaker::Join(const std::string& worker, const WorkerOptions& options) {
  Register(worker, options);
  Watch(worker);
  for (int update = 0; update < 4; ++update) Acknowledge(worker);
}

void LogMaker::Acknowledge(const std::string& worker) {
  const WorkerSnapshots& snapshots = snapshots_of(worker);
  if (snapshots.outstanding.value() == 0) return;
  log::v1::Input input;
  controlplane::v1::AcknowledgeSnapshotRequest& request = *input.mutable_acknowledge_snapshot();
  request.set_worker_id(worker);
  request.set_session_id(session_of(worker));
  request.set_version(snapshots.outstanding.value());
  request.set_ownership_epoch(Row(worker).opened.epoch.value());
  request.set_checksum(BytesOf(snapshots.issued.back().checksum));
  request.set_accepted(true);
  Send(input);
}

void LogMaker::Refuse(const std::string& worker, const std::string& detail) {
  log::v1::Input input;
  controlplane::v1::AcknowledgeSnapshotRequest& request = *input.mutable_acknowledge_snapshot();
  request.set_worker_id(worker);
  request.set_session_id(session_of(worker));
  request.set_version(snapshots_of(worker).last_version.value());
  request.set_ownership_epoch(Row(worker).opened.epoch.value());
  request.set_refusal(controlplane::v1::SNAPSHOT_REFUSAL_CHECKSUM);
  request.set_reject_detail(detail);
  Send(input);
}

log::v1::Input LogMaker::RuntimeReport(const std::string& worker, std::uint64_t sequence_step, bool draining) {
  log::v1::Input input;
  controlplane::v1::ReportRuntimeRequest& request = *input.mutable_report_runtime()->mutable_request();
  const WorkerSnapshots& snapshots = snapshots_of(worker);
  request.set_worker_id(worker);
  request.set_session_id(session_of(worker));
  std::uint64_t& sequence = reports_[session_of(worker)];
  sequence += sequence_step;
  request.set_report_sequence(sequence);
  request.set_snapshot_version(snapshots.accepted ? snapshots.accepted->version.value() : 0);
  request.set_ownership_epoch(Row(worker).opened.epoch.value());
  request.set_draining(draining);
  int listed = 0;
  for (const auto& [proxy, grant] : snapshots.content) {
    if (++listed > 5) break;
    controlplane::v1::ProxyRuntime& counter = *request.add_counters();
    counter.set_proxy_id(grant->spec->proxy_id.value());
    counter.set_active(static_cast<std::uint32_t>((sequence + static_cast<std::uint64_t>(listed)) % 4));
    counter.set_reserved(static_cast<std::uint32_t>(sequence % 2));
  }
  return input;
}

log::v1::Input LogMaker::Outcomes(const std::string& worker, std::uint64_t sequence) {
  log::v1::Input input;
  controlplane::v1::ReportOutcomesRequest& request = *input.mutable_report_outcomes()->mutable_request();
  request.set_worker_id(worker);
  request.set_session_id(session_of(worker));
  request.set_ownership_epoch(Row(worker).opened.epoch.value());
  request.set_sequence(sequence);
  for (const char* proxy : {"alpha1", "alpha2", "nobody"}) {
    controlplane::v1::Outcome& outcome = *request.add_outcomes();
    outcome.set_proxy_id(proxy);
    outcome.set_phase(controlplane::v1::OUTCOME_PHASE_DIAL);
    outcome.set_error(controlplane::v1::OUTCOME_ERROR_TIMEOUT);
    outcome.set_count(3);
  }
  return input;
}

// ---- the pool ----

log::v1::Input LogMaker::Import(const std::string& name, const std::string& network, int count,
                                const ProxyOptions& options) {
  log::v1::Input input;
  for (int i = 1; i <= count; ++i) {
    admin::v1::ProxySpec& proxy = *input.mutable_import_proxies()->mutable_request()->add_proxies();
    proxy.set_proxy_id(name + std::to_string(i));
    proxy.mutable_endpoint()->set_scheme(options.scheme);
    proxy.mutable_endpoint()->set_host(network + "." + std::to_string(i % 250));
    proxy.mutable_endpoint()->set_port(static_cast<std::uint32_t>(8000 + i / 250));
    proxy.set_secret_ref(options.secret_ref);
    proxy.set_source(options.source);
    if (!options.label.empty()) (*proxy.mutable_labels())["tier"] = options.label;
    if (options.lifetime.count() != 0) PutTime(now_ + options.lifetime, proxy.mutable_expires_at());
  }
  return input;
}

log::v1::Input LogMaker::Remove(const std::vector<std::string>& proxy_ids) {
  log::v1::Input input;
  for (const std::string& proxy_id : proxy_ids) input.mutable_remove_proxies()->add_proxy_ids(proxy_id);
  return input;
}

log::v1::Input LogMaker::Routings(const std::vector<std::string>& hosts) {
  log::v1::Input input;
  for (const std::string& host : hosts) {
    controlplane::v1::Routing& routing = *input.mutable_apply_routings()->add_routings()->mutable_routing();
    routing.set_routing_id("to-" + host);
    routing.add_host_patterns(host);
    routing.add_ports(443);
    if (host == "only-a.example") routing.add_zones("zone-a");
  }
  return input;
}

}  // namespace holdfast::testing
