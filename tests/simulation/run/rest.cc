#include "tests/simulation/run/rest.h"

#include <map>
#include <set>

namespace holdfast::simulation {
namespace {

constexpr Micros kMoment = 500 * kMillisecond;
constexpr Micros kOwnershipBound = 600 * kSecond;  // windows, hold-offs, drains, backoffs: several times over; calls of
                                                   // the store that are late by 90 s
constexpr Micros kOperatorsLook = 15 * kSecond;    // every so often

}  // namespace

Rest::Rest(Scene& scene)
    : scene_(scene),
      began_(scene.world.time.now()),
      all_well_(scene.world.random.Chance(1, 2)),
      operators_act_at_(began_ + kOperatorsLook) {
  World& world = scene_.world;
  world.faults.BeQuiet();
  all_well_ ? world.truth.AllReturn() : world.truth.EndOutages();
  scene_.controller.Recover();
  scene_.store.BeWell();
  for (const auto& host : scene_.checkers) SendUncordonChecker(scene_, host->identity().checker_id);
}

void Rest::Pass(const std::function<bool()>& stop) {
  for (const auto& host : scene_.hosts) host->BeAlone();
  for (const auto& host : scene_.checkers) host->BeAlone();
  for (const auto& host : scene_.clients) host->Rest();
  if (scene_.world.time.now() >= operators_act_at_) OperatorsAct();
  scene_.world.time.RunUntil(scene_.world.time.now() + kMoment, stop);
}

// Where many are down in truth, most of what is said goes on failing: only an operator can say that it is so.
void Rest::OperatorsAct() {
  operators_act_at_ += kOperatorsLook;
  for (const auto& host : scene_.checkers) {
    const std::string& checker_id = host->identity().checker_id;
    if (scene_.world.checkers.checks().cordoned(checker_id)) SendUncordonChecker(scene_, checker_id);
  }
  if (scene_.world.checkers.model().alarmed(admin::v1::ALARM_KIND_POOL_FOREIGN, "")) SendAdoptPool(scene_);
  if (all_well_) return;
  for (const auto& [kind, subject] : scene_.world.checkers.model().alarms()) {
    if (kind == admin::v1::ALARM_KIND_HEALTH_FROZEN) SendClearFreeze(scene_, subject);
  }
}

std::string Rest::Missing() const {
  if (!scene_.controller.serving()) return "the controller is down";
  std::string missing = MissingOfHealth();
  if (missing.empty()) missing = MissingOfOwnership();
  return missing.empty() ? MissingOfStore() : missing;
}

Micros Rest::Bound() const {
  const Micros health = scene_.world.checkers.health_liveness().Bound();
  return MissingOfHealth().empty() ? health + kOwnershipBound : health;
}

std::string Rest::MissingOfHealth() const {
  if (scene_.checkers.empty()) return "";
  const Checkers& checkers = scene_.world.checkers;
  std::set<std::string> alive;
  for (const auto& host : scene_.checkers) alive.insert(host->identity().checker_id);
  std::map<std::string, TrueHealth> truths;
  for (const auto& [key, proxy] : checkers.checks().proxies()) {
    controlplane::v1::Endpoint endpoint;
    endpoint.set_scheme(proxy.spec.scheme());
    endpoint.set_host(proxy.spec.host());
    endpoint.set_port(proxy.spec.port());
    truths.emplace(proxy.spec.proxy_id(), scene_.world.truth.Of(endpoint));
  }
  return checkers.health_liveness().Missing(alive, truths, ToMicros(scene_.controller.Now()));
}

std::string Rest::MissingOfOwnership() const {
  std::map<std::string, std::uint64_t> versions;
  for (const auto& host : scene_.hosts) {
    versions[host->identity().worker_id] = host->current().view() ? host->current().view()->version : 0;
  }
  return scene_.world.checkers.liveness().Missing(versions);
}

// As readers outside see it.
std::string Rest::MissingOfStore() const {
  StoreServer& store = scene_.store;
  ShownStore shown;
  for (const pool::AddressRow& row : store.Addresses()) {
    shown.addresses[row.id] = {
        std::string(pool::AddressStateName(row.state)),           row.owner,         row.epoch.value(),
        row.available_until ? ToMicros(*row.available_until) : 0, row.extraction_id, ToMicros(row.extracted_until)};
  }
  for (const pool::ProxyRow& row : store.Proxies()) {
    shown.proxies[row.id] = {row.address, row.scheme, row.health, ToMicros(row.usable_until)};
  }
  for (const pool::SessionRow& row : store.Sessions()) {
    const std::map<std::string, std::string> fields(row.fields.begin(), row.fields.end());
    shown.sessions[row.worker] = {fields.at("session"), fields.at("state"), fields.at("attached"), fields.at("epoch")};
  }
  for (const auto& [worker, addresses] : store.Owned()) shown.owned[worker] = {addresses.begin(), addresses.end()};
  return scene_.world.checkers.store().Missing(shown);
}

}  // namespace holdfast::simulation
