#include "tests/controller/rule_fixture.h"
#include "controller/rules_version.h"

#include <algorithm>

#include "controller/check_due.h"
#include "controller/proto_time.h"
#include "controller/snapshot_checksum.h"
#include "events/event_codec.h"
#include "events/field_codec.h"

namespace holdfast::testing {
namespace {

using controlplane::v1::RegisterWorkerRequest;
using log::v1::Input;

template <class Request>
void Address(const Worker& worker, Request& request) {
  request.set_worker_id(worker.id);
  request.set_session_id(worker.session);
  request.set_ownership_epoch(worker.epoch);
}

std::vector<RoutingSpec> Seen(const ControllerState& state, const std::string& zone) {
  std::vector<RoutingSpec> seen;
  for (const RoutingSpec& routing : *state.routings().routings()) {
    const bool named = std::find(routing.zones.begin(), routing.zones.end(), zone) != routing.zones.end();
    if (routing.zones.empty() || named) seen.push_back(routing);
  }
  return seen;
}

}  // namespace

Story::Story(const Settings& settings, bool bootstrap) : settings_(settings) { Start(false, bootstrap); }

void Story::Start(bool same_boot, bool bootstrap) {
  Input input;
  log::v1::StartController& start = *input.mutable_start_controller();
  start.set_boot_id("boot-" + std::to_string(boots_));
  start.set_same_boot(same_boot);
  start.set_log_id(std::string(16, '\x5a'));
  start.set_bootstrap(bootstrap);
  start.set_rules_version(kRulesVersion);
  std::string bytes;
  wire::PutStruct(bytes, settings_);
  start.mutable_settings()->ParseFromString(bytes);
  When(input);
}

void Story::Restart(bool same_boot, Duration downtime) {
  Advance(downtime);
  if (!same_boot) ++boots_;
  Start(same_boot, false);
}

const Decision& Story::When(const Input& input) {
  const EntryPoint point{Sequence(entries_.empty() ? 1 : entries_.back().point.sequence.value() + 1), now_};
  last_ = Decide(state_, input, {now_, point.sequence, "loopback"});
  if (last_.events.empty() && !IsFromOutside(input)) return last_;
  for (const Event& event : last_.events) {
    state_.Apply(event, point);
    Observe(event);
  }
  state_.Passed(point);
  entries_.push_back({point, "loopback", input, last_.events});
  return last_;
}

void Story::Observe(const Event& event) {
  const auto* released = std::get_if<OwnershipReleased>(&event);
  if (released != nullptr && released->reason == EndReason::kDrained) {
    oracle_.Proven(released->address_text, released->worker_id.value(), released->epoch);
  }
  const auto* issued = std::get_if<SnapshotIssued>(&event);
  if (issued == nullptr) return;
  const WorkerRow& worker = state_.sessions().At(issued->worker);
  oracle_.Issued(worker.opened.worker_id.value(), state_.snapshots().Build(issued->worker),
                 Seen(state_, worker.opened.zone), worker.opened.lapse_grace, now_);
}

void Story::AdvanceInSteps(Duration duration, Duration step, const std::function<void()>& each) {
  for (const LogTime end = now_ + duration; now_ < end;) {
    Advance(std::min(step, end - now_));
    each();
    Settle();
  }
}

void Story::TickOwnership() {
  Input tick;
  tick.mutable_tick()->set_scope(log::v1::Tick::SCOPE_OWNERSHIP);
  while (!When(tick).events.empty()) {
  }
}

void Story::TickSessions() {
  Input tick;
  tick.mutable_tick()->set_scope(log::v1::Tick::SCOPE_SESSIONS);
  while (!When(tick).events.empty()) {
  }
}

void Story::Place() {
  Input place;
  place.mutable_place();
  while (!When(place).events.empty()) {
  }
}

void Story::Check() {
  Input check;
  check.mutable_check();
  while (IsCheckDue(state_, now_) && !When(check).events.empty()) {
  }
}

void Story::IssueDue() {
  for (const WorkerKey worker : state_.snapshots().issues().Due(now_, 1000)) {
    Input issue;
    issue.mutable_issue_snapshot()->set_worker(worker.value());
    When(issue);
  }
}

void Story::Settle() {
  TickOwnership();
  TickSessions();
  Place();
  Check();
  IssueDue();
  if (now_ - state_.run().last().at < state_.settings().session_ttl / 3) return;
  Input mark;
  mark.mutable_time_mark();
  When(mark);
}

RegisterWorkerRequest Story::RegisterRequest(const std::string& id, const std::string& instance) const {
  RegisterWorkerRequest request;
  request.set_worker_id(id);
  request.set_instance_id(instance);
  request.set_supported_protocol_version(1);
  request.add_capabilities(controlplane::v1::WORKER_CAPABILITY_DELTA);
  request.add_capabilities(controlplane::v1::WORKER_CAPABILITY_SECRET_REF);
  return request;
}

const Decision& Story::TryRegister(const std::string& id, const std::string& instance, const Edit& edit) {
  Input input;
  *input.mutable_register_worker()->mutable_request() = RegisterRequest(id, instance);
  if (edit) edit(*input.mutable_register_worker()->mutable_request());
  input.mutable_register_worker()->set_session_id("session-" + std::to_string(++drawn_));
  return When(input);
}

Worker Story::Register(const std::string& id, const std::string& instance, const Edit& edit) {
  const auto reply = ReplyOf<controlplane::v1::RegisterWorkerResponse>(TryRegister(id, instance, edit));
  return {id, instance, reply.session_id(), reply.ownership_epoch(), 0, 0};
}

Worker Story::Reconnect(const Worker& worker, const Edit& edit) {
  return Register(worker.id, worker.instance, [&](RegisterWorkerRequest& request) {
    request.set_previous_session_id(worker.session);
    if (edit) edit(request);
  });
}

const Decision& Story::Watch(Worker& worker, std::uint64_t last_version, const std::string& last_checksum) {
  Input input;
  Address(worker, *input.mutable_watch_snapshots()->mutable_request());
  input.mutable_watch_snapshots()->mutable_request()->set_last_version(last_version);
  input.mutable_watch_snapshots()->mutable_request()->set_last_checksum(last_checksum);
  worker.stream = ++drawn_;
  input.mutable_watch_snapshots()->set_stream(worker.stream);
  return When(input);
}

const Decision& Story::StreamEnds(const Worker& worker) {
  Input input;
  input.mutable_stream_ended()->set_worker_id(worker.id);
  input.mutable_stream_ended()->set_session_id(worker.session);
  input.mutable_stream_ended()->set_stream(worker.stream);
  return When(input);
}

const Decision& Story::Ack(const Worker& worker, std::uint64_t version) {
  if (version == 0) version = LatestVersion(worker.id);
  std::string checksum(32, '\0');
  for (const IssuedReference& reference : SnapshotsOf(worker.id).issued) {
    if (reference.version.value() == version) checksum = std::string(AsBytes(reference.checksum));
  }
  return AckWith(worker, version, checksum);
}

const Decision& Story::AckWith(const Worker& worker, std::uint64_t version, const std::string& checksum) {
  Input input;
  Address(worker, *input.mutable_acknowledge_snapshot());
  input.mutable_acknowledge_snapshot()->set_version(version);
  input.mutable_acknowledge_snapshot()->set_checksum(checksum);
  input.mutable_acknowledge_snapshot()->set_accepted(true);
  return When(input);
}

const Decision& Story::Nack(const Worker& worker, std::uint64_t version) {
  Input input;
  Address(worker, *input.mutable_acknowledge_snapshot());
  input.mutable_acknowledge_snapshot()->set_version(version == 0 ? LatestVersion(worker.id) : version);
  input.mutable_acknowledge_snapshot()->set_refusal(controlplane::v1::SNAPSHOT_REFUSAL_MALFORMED);
  input.mutable_acknowledge_snapshot()->set_reject_detail("a host that it cannot parse");
  return When(input);
}

void Story::Drink(const Worker& worker) {
  Settle();
  for (int i = 0; i < 1000 && SnapshotsOf(worker.id).outstanding.value() != 0; ++i) {
    Ack(worker);
    Settle();
  }
}

Worker Story::Active(const std::string& id, const Edit& edit) {
  Worker worker = Register(id, "i1", edit);
  Watch(worker);
  Drink(worker);
  return worker;
}

const Decision& Story::Report(Worker& worker, const std::vector<Running>& counters, bool draining) {
  return ReportAs(worker, ++worker.report, counters,
                  [&](controlplane::v1::ReportRuntimeRequest& request) { request.set_draining(draining); });
}

const Decision& Story::ReportAs(const Worker& worker, std::uint64_t sequence, const std::vector<Running>& counters,
                                const std::function<void(controlplane::v1::ReportRuntimeRequest&)>& edit) {
  Input input;
  controlplane::v1::ReportRuntimeRequest& request = *input.mutable_report_runtime()->mutable_request();
  Address(worker, request);
  request.set_report_sequence(sequence);
  request.set_snapshot_version(AcceptedVersion(worker.id));
  for (const Running& running : counters) {
    controlplane::v1::ProxyRuntime& counter = *request.add_counters();
    counter.set_proxy_id(running.proxy_id);
    counter.set_active(running.active);
    counter.set_reserved(running.reserved);
  }
  if (edit) edit(request);
  return When(input);
}

const Decision& Story::Outcomes(const Worker& worker, std::uint64_t sequence,
                                const std::vector<std::string>& proxy_ids) {
  Input input;
  controlplane::v1::ReportOutcomesRequest& request = *input.mutable_report_outcomes()->mutable_request();
  Address(worker, request);
  request.set_sequence(sequence);
  for (const std::string& id : proxy_ids) {
    controlplane::v1::Outcome& outcome = *request.add_outcomes();
    outcome.set_proxy_id(id);
    outcome.set_phase(controlplane::v1::OUTCOME_PHASE_TUNNEL);
    outcome.set_error(controlplane::v1::OUTCOME_ERROR_NONE);
  }
  return When(input);
}

admin::v1::ImportProxiesResponse Story::Import(const std::vector<admin::v1::ProxySpec>& items, std::uint64_t import,
                                               std::uint64_t first_index) {
  Input input;
  for (const admin::v1::ProxySpec& item : items)
    *input.mutable_import_proxies()->mutable_request()->add_proxies() = item;
  input.mutable_import_proxies()->set_import(import);
  input.mutable_import_proxies()->set_first_index(first_index);
  return ReplyOf<admin::v1::ImportProxiesResponse>(When(input));
}

admin::v1::RemoveProxiesResponse Story::Remove(const std::vector<std::string>& proxy_ids) {
  Input input;
  for (const std::string& id : proxy_ids) input.mutable_remove_proxies()->add_proxy_ids(id);
  return ReplyOf<admin::v1::RemoveProxiesResponse>(When(input));
}

admin::v1::ImportProxiesResponse Story::RemoveUnnamed(const std::string& source, std::uint64_t import,
                                                      std::uint32_t limit) {
  Input input;
  input.mutable_remove_unnamed()->set_source(source);
  input.mutable_remove_unnamed()->set_import(import);
  input.mutable_remove_unnamed()->set_limit(limit);
  return ReplyOf<admin::v1::ImportProxiesResponse>(When(input));
}

const Decision& Story::Apply(const std::vector<admin::v1::RoutingSpec>& routings) {
  Input input;
  input.mutable_apply_routings();
  for (const admin::v1::RoutingSpec& routing : routings) *input.mutable_apply_routings()->add_routings() = routing;
  return When(input);
}

WorkerKey Story::Key(const std::string& worker_id) const { return SessionOf(worker_id).opened.worker; }

const WorkerSnapshots& Story::SnapshotsOf(const std::string& worker_id) const {
  return state_.snapshots().At(Key(worker_id));
}

Content Story::View(const std::string& worker_id) const {
  return oracle_.At(worker_id, SnapshotsOf(worker_id).last_version);
}

std::uint64_t Story::AcceptedVersion(const std::string& worker_id) const {
  const std::optional<IssuedReference>& accepted = SnapshotsOf(worker_id).accepted;
  return accepted ? accepted->version.value() : 0;
}

const HoldRow& Story::HoldOf(const std::string& proxy_id) const {
  return state_.ownership().hold(state_.pool().proxy(state_.pool().FindProxy(proxy_id)).address);
}

LogTime Story::OwnedUntil(const std::string& proxy_id) const {
  return state_.ownership().OwnedUntil(state_.pool().proxy(state_.pool().FindProxy(proxy_id)).address);
}

std::string Story::OwnerOf(const std::string& proxy_id) const {
  const WorkerKey owner = HoldOf(proxy_id).owner;
  return owner.value() == 0 ? "" : state_.ownership().holder(owner).worker_id.value();
}

namespace {

std::string HostOf(int number) { return "198.18." + std::to_string(number / 256) + "." + std::to_string(number % 256); }

}  // namespace

std::string IdOf(int number) { return "http://" + HostOf(number) + ":8080"; }

admin::v1::ProxySpec Item(int number, const std::function<void(admin::v1::ProxySpec&)>& edit) {
  admin::v1::ProxySpec item;
  item.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_HTTP);
  item.mutable_endpoint()->set_host(HostOf(number));
  item.mutable_endpoint()->set_port(8080);
  if (edit) edit(item);
  return item;
}

std::vector<admin::v1::ProxySpec> Items(int from, int to) {
  std::vector<admin::v1::ProxySpec> items;
  for (int number = from; number <= to; ++number) items.push_back(Item(number));
  return items;
}

google::protobuf::Timestamp Time(LogTime time) {
  google::protobuf::Timestamp out;
  PutTime(time, &out);
  return out;
}

admin::v1::RoutingSpec Routing(const std::string& id, const std::string& pattern) {
  admin::v1::RoutingSpec routing;
  routing.mutable_routing()->set_routing_id(id);
  routing.mutable_routing()->add_host_patterns(pattern);
  return routing;
}

RejectReason ReasonOf(const Decision& decision) {
  const auto* rejection = std::get_if<Rejection>(&decision.reply);
  return rejection ? rejection->reason : RejectReason::kUnspecified;
}

std::vector<std::string> NamesOf(const Decision& decision) {
  std::vector<std::string> names;
  for (const Event& event : decision.events) names.emplace_back(EventName(event));
  return names;
}

}  // namespace holdfast::testing
