#include "tests/simulation/world/truth.h"

#include <iterator>
#include <utility>

namespace holdfast::simulation {
namespace {

using controlplane::v1::Anonymity;
using controlplane::v1::CheckLevel;
using controlplane::v1::Endpoint;

constexpr std::uint64_t kMostDeadPercent = 45;
constexpr std::uint64_t kWhole = 100;

}  // namespace

Truth::Truth(fleet::Prng& random, Scheduler& time)
    : random_(random), time_(time), dead_percent_(random.Below(kMostDeadPercent)) {}

TrueHealth& Truth::Find(const Endpoint& endpoint) {
  std::string key = std::to_string(endpoint.scheme()) + " " + endpoint.host() + ":" + std::to_string(endpoint.port());
  const auto [found, is_new] = proxies_.try_emplace(std::move(key));
  TrueHealth& health = found->second;
  if (!is_new || all_well_) return health;
  health.alive = !random_.Chance(dead_percent_, kWhole);
  health.answers = !random_.Chance(1, 20);
  const std::uint64_t drawn = random_.Below(5);
  if (drawn == 0) health.anonymity = controlplane::v1::ANONYMITY_TRANSPARENT;
  if (drawn == 1) health.anonymity = controlplane::v1::ANONYMITY_ANONYMOUS;
  for (int i = 0; i < kRoutingIds; ++i) {
    if (random_.Chance(1, 8)) health.unreachable.insert(RoutingId(static_cast<std::uint64_t>(i)));
  }
  return health;
}

bool Truth::Passes(const Endpoint& endpoint, CheckLevel level, const std::string& routing_id, Anonymity min_anonymity) {
  const TrueHealth& health = Find(endpoint);
  if (!health.alive) return false;
  if (level == controlplane::v1::CHECK_LEVEL_EGRESS) return health.answers && health.anonymity >= min_anonymity;
  return level != controlplane::v1::CHECK_LEVEL_TARGET || !health.unreachable.contains(routing_id);
}

TrueHealth* Truth::Any() {
  if (proxies_.empty()) return nullptr;
  return &std::next(proxies_.begin(), static_cast<std::ptrdiff_t>(random_.Below(proxies_.size())))->second;
}

void Truth::OneFails() {
  TrueHealth* health = Any();
  if (health == nullptr) return;
  switch (random_.Below(5)) {
    case 0:
      health->answers = false;
      return;
    case 1:
      health->anonymity = controlplane::v1::ANONYMITY_TRANSPARENT;
      return;
    case 2:
      health->unreachable.insert(RoutingId(random_.Below(kRoutingIds)));
      return;
    default:
      health->alive = false;
  }
}

void Truth::OneReturns() {
  if (TrueHealth* health = Any()) *health = TrueHealth();
}

void Truth::ManyDie(std::uint64_t percent, Micros length) {
  std::vector<TrueHealth*> died;
  for (auto& [key, health] : proxies_) {
    if (!health.alive || !random_.Chance(percent, kWhole)) continue;
    health.alive = false;
    died.push_back(&health);
  }
  EndsAfter(length, [died = std::move(died)] {
    for (TrueHealth* health : died) health->alive = true;
  });
}

void Truth::TargetsFail(Micros length) {
  const std::string routing_id = RoutingId(random_.Below(kRoutingIds));
  std::vector<TrueHealth*> failed;
  for (auto& [key, health] : proxies_) {
    if (health.unreachable.insert(routing_id).second) failed.push_back(&health);
  }
  EndsAfter(length, [failed = std::move(failed), routing_id] {
    for (TrueHealth* health : failed) health->unreachable.erase(routing_id);
  });
}

void Truth::EndsAfter(Micros length, Restore restore) {
  const auto outage = std::make_shared<Restore>(std::move(restore));
  outages_.push_back(outage);
  time_.After(length, [outage] {
    if (*outage) std::exchange(*outage, nullptr)();
  });
}

void Truth::EndOutages() {
  for (const auto& outage : std::exchange(outages_, {})) {
    if (*outage) std::exchange(*outage, nullptr)();
  }
}

void Truth::AllReturn() {
  EndOutages();
  all_well_ = true;
  for (auto& [key, health] : proxies_) health = TrueHealth();
}

}  // namespace holdfast::simulation
