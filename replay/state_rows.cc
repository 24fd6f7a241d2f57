#include "replay/state_rows.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "base/endpoint.h"
#include "replay/enum_word.h"
#include "replay/time_text.h"

namespace holdfast::replay {
namespace {

std::string YesNo(bool value) { return value ? "yes" : "no"; }

std::string AcceptedText(const WorkerSnapshots& snapshots) {
  return snapshots.accepted ? std::to_string(snapshots.accepted->version.value()) : "-";
}

std::string OwnerOf(const ControllerState& state, const HoldRow& hold) {
  return hold.owner.value() == 0 ? std::string() : state.ownership().holder(hold.owner).worker_id.value();
}

std::string LabelsText(const std::map<std::string, std::string>& labels) {
  return absl::StrJoin(labels, ",", absl::PairFormatter("="));
}

}  // namespace

std::vector<std::string> SessionColumns() {
  return {"WORKER",   "STATE",  "SESSION", "EPOCH", "ATTACHED", "ISSUED",
          "ACCEPTED", "FENCED", "OWNED",   "HEARD", "EXPIRES"};
}

std::vector<std::string> SessionCells(const ControllerState& state, WorkerKey worker) {
  const WorkerRow& row = state.sessions().At(worker);
  const WorkerSnapshots& snapshots = state.snapshots().At(worker);
  std::string word = Word(row.state);
  if (!row.open()) absl::StrAppend(&word, " (", Word(row.close_reason), ")");
  return {row.opened.worker_id.value(),
          word,
          row.opened.session_id.value(),
          std::to_string(row.opened.epoch.value()),
          YesNo(row.stream.value() != 0),
          std::to_string(snapshots.last_version.value()),
          AcceptedText(snapshots),
          YesNo(snapshots.fenced),
          std::to_string(state.ownership().holder(worker).owned.size()),
          TimeText(row.heard_at),
          TimeText(row.expires_at)};
}

Json SessionRowJson(const ControllerState& state, WorkerKey worker) {
  const WorkerRow& row = state.sessions().At(worker);
  const WorkerSnapshots& snapshots = state.snapshots().At(worker);
  const HolderRow& holder = state.ownership().holder(worker);
  Json json;
  json["worker_id"] = row.opened.worker_id.value();
  json["session_id"] = row.opened.session_id.value();
  json["instance_id"] = row.opened.instance_id.value();
  json["ownership_epoch"] = row.opened.epoch.value();
  json["state"] = Word(row.state);
  json["close_reason"] = row.open() ? Json(nullptr) : Json(Word(row.close_reason));
  json["zone"] = row.opened.zone;
  json["weight"] = row.opened.weight;
  json["max_proxies"] = row.opened.max_proxies;
  json["attached"] = row.stream.value() != 0;
  json["opened_at"] = TimeJson(row.opened_at);
  json["heard_at"] = TimeJson(row.heard_at);
  json["expires_at"] = TimeJson(row.expires_at);
  json["drain_deadline_at"] = TimeJson(row.drain_deadline);
  json["issued_version"] = snapshots.last_version.value();
  json["accepted_version"] = snapshots.accepted ? Json(snapshots.accepted->version.value()) : Json(nullptr);
  json["runtime_fenced"] = snapshots.fenced;
  json["listed_proxies"] = snapshots.content.size();
  json["owned_addresses"] = holder.owned.size();
  json["report_sequence"] = state.runtime().At(worker).report_sequence;
  json["inflight"] = state.runtime().At(worker).inflight;
  json["outcome_sequence"] = state.outcomes().At(worker).sequence;
  return json;
}

std::vector<std::string> AddressColumns() {
  return {"ADDRESS", "OWNERSHIP", "WORKER", "EPOCH", "SHOWN", "CAUSE", "OWNED_UNTIL"};
}

std::vector<std::string> AddressCells(const ControllerState& state, AddressKey address) {
  const HoldRow& hold = state.ownership().hold(address);
  const bool held = hold.state != OwnershipState::kUnowned;
  return {state.pool().address(address).text,
          Word(hold.state),
          OwnerOf(state, hold),
          held ? std::to_string(hold.epoch.value()) : "",
          YesNo(hold.shown),
          hold.lapse_cause == LapseCause::kUnspecified ? "" : Word(hold.lapse_cause),
          TimeText(state.ownership().OwnedUntil(address))};
}

Json AddressRowJson(const ControllerState& state, AddressKey address) {
  const HoldRow& hold = state.ownership().hold(address);
  const bool lapsing = hold.lapse_cause != LapseCause::kUnspecified;
  Json json;
  json["address"] = state.pool().address(address).text;
  json["ownership_state"] = Word(hold.state);
  json["owner_worker_id"] = TextJson(OwnerOf(state, hold));
  json["ownership_epoch"] = hold.owner.value() == 0 ? Json(nullptr) : Json(hold.epoch.value());
  json["shown"] = hold.shown;
  json["lapse_cause"] = lapsing ? Json(Word(hold.lapse_cause)) : Json(nullptr);
  json["owned_until"] = TimeJson(state.ownership().OwnedUntil(address));
  return json;
}

std::vector<std::string> ProxyColumns() {
  return {"PROXY", "STATE", "ENDPOINT", "USABLE", "USABLE_UNTIL", "EXPIRES", "SOURCE", "LABELS"};
}

std::vector<std::string> ProxyCells(const ControllerState& state, ProxyKey proxy) {
  const ProxyRow& row = state.pool().proxy(proxy);
  const ProxySpec& spec = *row.spec;
  return {spec.proxy_id.value(),
          Word(row.state),
          CanonicalUrl(spec.endpoint, spec.secret_ref),
          YesNo(row.usable),
          TimeText(row.usable_until),
          TimeText(row.expires_at),
          spec.source,
          LabelsText(spec.labels)};
}

Json ProxyRowJson(const ControllerState& state, ProxyKey proxy) {
  const ProxyRow& row = state.pool().proxy(proxy);
  const ProxySpec& spec = *row.spec;
  Json json;
  json["proxy_id"] = spec.proxy_id.value();
  json["address"] = state.pool().address(row.address).text;
  json["scheme"] = SchemeName(spec.endpoint.scheme);
  json["host"] = spec.endpoint.host;
  json["port"] = spec.endpoint.port;
  json["secret_ref"] = TextJson(spec.secret_ref);
  json["capacity"] = spec.capacity;
  json["pool_state"] = Word(row.state);
  json["usable"] = row.usable;
  json["usable_until"] = TimeJson(row.usable_until);
  json["expires_at"] = TimeJson(row.expires_at);
  json["zone"] = spec.zone;
  json["source"] = spec.source;
  json["labels"] = spec.labels;
  return json;
}

std::vector<std::string> RoutingColumns() { return {"ROUTING", "HOSTS", "PORTS", "LABELS", "ZONES"}; }

std::vector<std::string> RoutingCells(const RoutingSpec& routing) {
  return {routing.routing_id, absl::StrJoin(routing.host_patterns, ","), absl::StrJoin(routing.ports, ","),
          LabelsText(routing.proxy_labels), absl::StrJoin(routing.zones, ",")};
}

Json RoutingRowJson(const RoutingSpec& routing) {
  Json json;
  json["routing_id"] = routing.routing_id;
  json["host_patterns"] = routing.host_patterns;
  json["ports"] = routing.ports;
  json["proxy_labels"] = routing.proxy_labels;
  json["zones"] = routing.zones;
  json["targets"] = Json::array();
  for (const RoutingTarget& target : routing.targets) {
    json["targets"].push_back({{"url", target.url},
                               {"expected_status", target.expected_status},
                               {"method", target.method},
                               {"timeout_ms", MillisJson(target.timeout)}});
  }
  return json;
}

}  // namespace holdfast::replay
