#include "tests/simulation/checkers/log_model.h"

#include <algorithm>

namespace holdfast::simulation {

using log::v1::Event;

std::string HoldStateName(HoldState state) {
  constexpr const char* kNames[] = {"unowned", "granted", "revoking", "lapsing", "extracting", "extracted"};
  return kNames[static_cast<std::size_t>(state)];
}

void LogModel::Apply(const Event& event) {
  switch (event.event_case()) {
    case Event::kSettingsChanged:
      settings_ = event.settings_changed().settings();
      return;
    case Event::kWaitStarted:
      waiting_ = true;
      return;
    case Event::kWaitEnded:
      waiting_ = false;
      return;
    case Event::kAlarmRaised:
      alarms_.emplace(event.alarm_raised().kind(), event.alarm_raised().subject());
      return;
    case Event::kAlarmCleared:
      alarms_.erase({event.alarm_cleared().kind(), event.alarm_cleared().subject()});
      return;
    default:
      break;
  }
  const int number = event.event_case();
  if (number >= 20 && number < 40) ApplyMember(event);
  if (number >= 40 && number < 60) ApplyUpdate(event);
  if (number >= 60 && number < 80) ApplyPool(event);
  if (number >= 80 && number < 100) ApplyOwnership(event);
  if (number >= 130 && number < 140) ApplyExtraction(event);
  if (event.has_proxy_state_changed()) {
    proxies_[event.proxy_state_changed().proxy()].state = event.proxy_state_changed().state();
  }
  ApplyDrains(event);
}

void LogModel::ApplyMember(const Event& event) {
  switch (event.event_case()) {
    case Event::kSessionOpened:
      Open(event.session_opened());
      return;
    case Event::kSessionActivated:
      workers_[event.session_activated().worker()].state = controlplane::v1::SESSION_STATE_ACTIVE;
      return;
    case Event::kSessionAttached:
      workers_[event.session_attached().worker()].stream = event.session_attached().stream();
      return;
    case Event::kSessionDetached:
      workers_[event.session_detached().worker()].stream = 0;
      return;
    case Event::kSessionDraining:
      workers_[event.session_draining().worker()].state = controlplane::v1::SESSION_STATE_DRAINING;
      return;
    case Event::kSessionClosed:
      workers_[event.session_closed().worker()].state = controlplane::v1::SESSION_STATE_CLOSED;
      workers_[event.session_closed().worker()].stream = 0;
      return;
    default:
      return;
  }
}

void LogModel::Open(const log::v1::SessionOpened& opened) {
  ModelWorker& worker = workers_[opened.worker()];
  if (opened.new_instance()) {
    worker.content.clear();
    worker.deferred.clear();
    worker.lapse_grace = 0;
  }
  worker.worker_id = opened.worker_id();
  worker.session_id = opened.session_id();
  worker.epoch = opened.epoch();
  worker.state = controlplane::v1::SESSION_STATE_HANDSHAKING;
  worker.stream = 0;
  worker.resolves_secrets = (opened.capabilities() >> controlplane::v1::WORKER_CAPABILITY_SECRET_REF & 1u) != 0;
  worker.weight = opened.weight();
  worker.max_proxies = opened.max_proxies();
  worker.lapse_grace = std::max(worker.lapse_grace, opened.lapse_grace());
  worker.last_version = std::max(worker.last_version, opened.version_floor());
  worker.accepted = 0;
  worker.fenced = false;
}

void LogModel::ApplyUpdate(const Event& event) {
  if (event.has_snapshot_issued()) return Issue(event.snapshot_issued());
  if (event.has_snapshot_acknowledged()) {
    ModelWorker& worker = workers_[event.snapshot_acknowledged().worker()];
    worker.accepted = event.snapshot_acknowledged().version();
    worker.fenced = false;
  }
  if (event.has_snapshot_refused()) {
    ModelWorker& worker = workers_[event.snapshot_refused().worker()];
    worker.accepted = 0;
    worker.fenced = true;
  }
}

void LogModel::Issue(const log::v1::SnapshotIssued& issued) {
  ModelWorker& worker = workers_[issued.worker()];
  worker.last_version = issued.version();
  for (const std::uint32_t proxy : issued.removed()) worker.content.erase(proxy);
  for (int i = 0; i < issued.upserted_size() && i < issued.states_size(); ++i) {
    const ModelProxy* proxy = Proxy(issued.upserted(i));
    if (proxy == nullptr) continue;
    worker.content[issued.upserted(i)] = {proxy->address, proxy->expires_at,
                                          static_cast<controlplane::v1::GrantState>(issued.states(i))};
  }
  worker.deferred = {issued.deferred().begin(), issued.deferred().end()};
}

void LogModel::Renew(std::uint32_t key, std::int64_t expires_at, std::int64_t usable_until,
                     admin::v1::PoolState revived) {
  ModelProxy& proxy = proxies_[key];
  proxy.expires_at = expires_at;
  proxy.usable_until = usable_until;
  proxy.usable = true;
  if (proxy.state == admin::v1::POOL_STATE_EXPIRED) proxy.state = revived;
}

void LogModel::ApplyPool(const Event& event) {
  if (event.has_proxy_added()) {
    const log::v1::ProxyAdded& added = event.proxy_added();
    const log::v1::StoredProxy& spec = added.spec();
    proxies_[added.proxy()] = {added.address(), spec.proxy_id(),     spec.expires_at(), true,
                               added.state(),   spec.usable_until(), added.waits_for()};
    ModelAddress& address = addresses_[added.address()];
    address.needs_secret = !spec.secret_ref().empty();
    address.text =
        (address.needs_secret ? spec.secret_ref() + "@" : "") + spec.host() + ":" + std::to_string(spec.port());
    address.proxies.insert(added.proxy());
  }
  if (event.has_proxy_updated()) {
    const log::v1::ProxyUpdated& updated = event.proxy_updated();
    Renew(updated.proxy(), updated.spec().expires_at(), updated.spec().usable_until(), updated.revived());
  }
  if (event.has_proxies_named() && event.proxies_named().expires_at() != 0) {
    for (const std::uint32_t proxy : event.proxies_named().proxies()) {
      Renew(proxy, event.proxies_named().expires_at(), event.proxies_named().usable_until(),
            event.proxies_named().revived());
    }
  }
  if (event.has_proxy_unusable()) proxies_[event.proxy_unusable().proxy()].usable = false;
  if (event.has_proxy_expired()) {
    proxies_[event.proxy_expired().proxy()].usable = false;
    proxies_[event.proxy_expired().proxy()].state = admin::v1::POOL_STATE_EXPIRED;
  }
  if (event.has_proxy_removed()) {
    const std::uint32_t key = event.proxy_removed().proxy();
    addresses_[proxies_[key].address].proxies.erase(key);
    proxies_.erase(key);
  }
  if (event.has_address_retired()) addresses_.erase(event.address_retired().address());
}

void LogModel::ApplyOwnership(const Event& event) {
  if (event.has_ownership_granted()) {
    ModelAddress& address = addresses_[event.ownership_granted().address()];
    address.hold = HoldState::kGranted;
    address.worker = event.ownership_granted().worker();
    address.epoch = event.ownership_granted().epoch();
  }
  if (event.has_ownership_lapsing()) {
    for (const std::uint32_t key : event.ownership_lapsing().addresses()) {
      addresses_[key].hold = HoldState::kLapsing;
      addresses_[key].lapse_cause = event.ownership_lapsing().cause();
    }
  }
  if (event.has_ownership_resumed()) {
    for (const std::uint32_t key : event.ownership_resumed().addresses()) addresses_[key].hold = HoldState::kGranted;
  }
  if (event.has_ownership_released()) {
    ModelAddress& address = addresses_[event.ownership_released().address()];
    address.hold = HoldState::kUnowned;
    address.worker = 0;
    address.epoch = 0;
    for (const std::uint32_t ready : event.ownership_released().ready()) {
      if (proxies_.contains(ready)) proxies_[ready].waits_for = 0;
    }
  }
}

void LogModel::ApplyExtraction(const Event& event) {
  const auto put = [&](const auto& keys, HoldState hold, std::uint64_t extraction) {
    for (const std::uint32_t key : keys) {
      addresses_[key].hold = hold;
      addresses_[key].extraction = extraction;
    }
  };
  if (event.has_extraction_prepared()) {
    put(event.extraction_prepared().addresses(), HoldState::kExtracting, event.extraction_prepared().extraction());
  }
  if (event.has_proxies_extracted()) {
    put(event.proxies_extracted().addresses(), HoldState::kExtracted, event.proxies_extracted().extraction());
    put(event.proxies_extracted().returned(), HoldState::kUnowned, 0);
  }
  if (event.has_extraction_given_back()) put(event.extraction_given_back().addresses(), HoldState::kUnowned, 0);
  if (event.has_extraction_ended()) put(event.extraction_ended().addresses(), HoldState::kUnowned, 0);
}

bool LogModel::Grantable(const ModelAddress& address) const {
  return std::any_of(address.proxies.begin(), address.proxies.end(), [&](std::uint32_t key) {
    const ModelProxy* proxy = Proxy(key);
    return proxy != nullptr && IsFree(*proxy);
  });
}

bool LogModel::Useful(const ModelAddress& address) const {
  return std::any_of(address.proxies.begin(), address.proxies.end(), [&](std::uint32_t key) {
    const ModelProxy* proxy = Proxy(key);
    return proxy != nullptr && proxy->usable &&
           (proxy->state == admin::v1::POOL_STATE_AVAILABLE || proxy->state == admin::v1::POOL_STATE_SUSPECT);
  });
}

std::uint64_t LogModel::GrantedProxies(std::uint32_t worker) const {
  std::uint64_t granted = 0;
  for (const auto& [key, address] : addresses_) {
    const bool listed = address.hold == HoldState::kGranted || address.hold == HoldState::kRevoking;
    if (listed && address.worker == worker) granted += address.proxies.size();
  }
  return granted;
}

void LogModel::ApplyDrains(const log::v1::Event& event) {
  if (event.has_eligibility_set() && !event.eligibility_set().checker()) {
    const log::v1::EligibilitySet& set = event.eligibility_set();
    if (set.eligible()) cordoned_.erase(set.member_id());
    if (!set.eligible()) cordoned_.insert(set.member_id());
  }
  if (event.has_ownership_revoked()) {
    for (const std::uint32_t key : event.ownership_revoked().addresses()) addresses_[key].hold = HoldState::kRevoking;
  }
  if (event.has_proxy_leaving()) proxies_[event.proxy_leaving().proxy()].usable = false;
}

std::uint64_t LogModel::Reserve() const {
  const auto available = std::count_if(addresses_.begin(), addresses_.end(),
                                       [&](const auto& address) { return Grantable(address.second); });
  return static_cast<std::uint64_t>(available) * settings_.reserve_ppm() / 1'000'000;
}

}  // namespace holdfast::simulation
