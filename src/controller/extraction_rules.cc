#include "controller/extraction_rules.h"

#include <map>
#include <set>
#include <string>

#include "controller/proto_time.h"

namespace holdfast {
namespace {

constexpr Duration kRetryAfter = std::chrono::seconds(1);

std::uint64_t Micros(bool present, const google::protobuf::Duration& duration) {
  return present ? static_cast<std::uint64_t>(ReadDuration(duration).value_or(Duration(0)).count()) : 0;
}

void PutProxy(const ProxySpec& spec, distribution::v1::ExtractedProxy* out) {
  out->set_proxy_id(spec.proxy_id.value());
  out->mutable_endpoint()->set_scheme(static_cast<controlplane::v1::ProxyScheme>(spec.endpoint.scheme));
  out->mutable_endpoint()->set_host(spec.endpoint.host);
  out->mutable_endpoint()->set_port(spec.endpoint.port);
  out->set_secret_ref(spec.secret_ref);
  out->set_capacity(spec.capacity);
  PutTime(spec.usable_until, out->mutable_usable_until());
  for (const auto& [key, value] : spec.labels) (*out->mutable_labels())[key] = value;
}

bool Leaves(const ProxyRow& row) { return row.leaving || row.state == PoolState::kExpired; }

// Whether what BASIC has said may be forgotten: nothing bad is hidden, and nothing that was never known.
bool IsForgettable(const ControllerState& state, ProxyKey proxy) {
  if (state.settings().trust_unchecked) return false;
  const HealthState basic = state.health().proxy(proxy).basic.state;
  return basic == HealthState::kAvailable || basic == HealthState::kSuspect;
}

}  // namespace

RequestHash RequestHashOf(const distribution::v1::ExtractRequest& request) {
  RowHasher hash(1);
  hash.Number(request.count()).Number(request.all_or_nothing()).Number(request.resolves_secrets());
  hash.Number(request.has_min_remaining()).Number(Micros(request.has_min_remaining(), request.min_remaining()));
  hash.Number(request.has_hold()).Number(Micros(request.has_hold(), request.hold())).Text(request.routing_id());
  for (const int scheme : std::set<int>(request.schemes().begin(), request.schemes().end())) {
    hash.Number(static_cast<std::uint64_t>(scheme));
  }
  for (const auto& [key, value] :
       std::map<std::string, std::string>(request.labels().begin(), request.labels().end())) {
    hash.Text(key).Text(value);
  }
  return hash.Finish().Bytes();
}

RequestHash RequestHashOf(const distribution::v1::ReleaseRequest& request) {
  RowHasher hash(2);
  hash.Text(request.extraction_id());
  for (const std::string& id : std::set<std::string>(request.proxy_ids().begin(), request.proxy_ids().end())) {
    hash.Text(id);
  }
  return hash.Finish().Bytes();
}

distribution::v1::ExtractResponse ResponseOf(const ExtractionRow& row, LogTime now) {
  distribution::v1::ExtractResponse response;
  response.set_extraction_id(row.extraction_id.value());
  for (const ProxySpec& spec : row.specs) PutProxy(spec, response.add_proxies());
  PutTime(row.extracted_until, response.mutable_extracted_until());
  response.set_log_sequence(row.answered.value());
  response.set_requested(row.requested);
  PutTime(now, response.mutable_server_time());
  return response;
}

Rejection PoolUnavailable(const char* why) { return {RejectReason::kPoolUnavailable, why, "", {}, kRetryAfter}; }

Rejection PoolSilent() {
  return PoolUnavailable("the pool store did not answer in time; nothing is extracted, ask again");
}

void AppendLeavers(const ControllerState& state, const std::vector<AddressKey>& addresses, std::vector<Event>& events) {
  for (const AddressKey address : addresses) {
    const std::vector<ProxyKey>& proxies = state.pool().address(address).proxies;
    std::size_t left = proxies.size();
    for (const ProxyKey proxy : proxies) {
      const ProxyRow& row = state.pool().proxy(proxy);
      if (!Leaves(row)) continue;
      events.emplace_back(
          ProxyRemoved{proxy, row.spec->proxy_id, row.leaving ? row.leaving_because : RemovalReason::kExpired});
      --left;
    }
    if (left == 0) events.emplace_back(AddressRetired{address});
  }
}

void AppendReturned(const ControllerState& state, const std::vector<AddressKey>& addresses,
                    std::vector<Event>& events) {
  HealthForgotten forgotten;
  std::vector<Event> followers;
  for (const AddressKey address : addresses) {
    for (const ProxyKey proxy : state.pool().address(address).proxies) {
      const ProxyRow& row = state.pool().proxy(proxy);
      if (Leaves(row)) continue;
      if (IsForgettable(state, proxy)) {
        forgotten.proxies.push_back(proxy);
        const bool pending = row.state == PoolState::kPending;
        if (!pending) followers.emplace_back(ProxyStateChanged{proxy, PoolState::kPending, CheckLevel::kBasic, {}});
      }
      if (row.usable) followers.emplace_back(CheckRequested{proxy, CheckLevel::kBasic, RoutingKey(), false});
    }
  }
  if (!forgotten.proxies.empty()) events.emplace_back(std::move(forgotten));
  events.insert(events.end(), std::make_move_iterator(followers.begin()), std::make_move_iterator(followers.end()));
  AppendLeavers(state, addresses, events);
}

void AppendGiveBack(const ControllerState& state, ExtractionKey extraction, GiveBackReason reason,
                    std::vector<Event>& events) {
  const ExtractionRow& row = state.extractions().At(extraction);
  events.emplace_back(ExtractionGivenBack{extraction, row.extraction_id, row.client_id, row.addresses, reason});
  AppendLeavers(state, row.addresses, events);
}

}  // namespace holdfast
