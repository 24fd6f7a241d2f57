#include "tests/simulation/checkers/outcome_account.h"

#include <algorithm>

namespace holdfast::simulation {
namespace {

using controlplane::v1::Outcome;

constexpr std::size_t kMostOutcomes = 32;  // outcomes of one place: more than any setting asks for

}  // namespace

void OutcomeAccount::Add(const Place& place, bool failed, const Outcome& outcome, std::int64_t at_us) {
  std::deque<Seen>& seen = lately_[place];
  const std::size_t like = std::clamp<std::size_t>(outcome.count(), 1, kMostOutcomes);
  seen.insert(seen.end(), like, Seen{at_us, failed});
  while (seen.size() > kMostOutcomes) seen.pop_front();
}

void OutcomeAccount::Note(const Outcome& outcome, std::uint32_t proxy, std::int64_t at_us, std::set<Place>& failed) {
  if (outcome.error() == controlplane::v1::OUTCOME_ERROR_CANCELLED) return;
  const bool error = outcome.error() != controlplane::v1::OUTCOME_ERROR_NONE &&
                     outcome.error() != controlplane::v1::OUTCOME_ERROR_UNSPECIFIED;
  const bool at_proxy = outcome.phase() == controlplane::v1::OUTCOME_PHASE_DIAL ||
                        outcome.phase() == controlplane::v1::OUTCOME_PHASE_PROXY_HANDSHAKE;
  Add({proxy, 0}, error && at_proxy, outcome, at_us);
  if (error && at_proxy) failed.insert({proxy, 0});
  const ModelRouting* routing = checks_.RoutingOf(outcome.routing_id());
  if (at_proxy || routing == nullptr) return;
  Add({proxy, routing->key}, error, outcome, at_us);
  if (error) failed.insert({proxy, routing->key});
}

bool OutcomeAccount::Fails(const Place& place, std::int64_t now_us) const {
  const log::v1::Settings& settings = model_.settings();
  const std::deque<Seen>& seen = lately_.at(place);
  std::uint64_t count = 0, failed = 0;
  for (auto it = seen.rbegin(); it != seen.rend() && count < settings.outcomes_count(); ++it) {
    if (it->at_us <= now_us - settings.outcomes_window()) break;
    ++count;
    failed += it->failed ? 1 : 0;
  }
  return failed >= settings.outcomes_failures() && 2 * failed >= count;
}

std::set<ModelKey> OutcomeAccount::Take(const Entry& entry) {
  const auto& request = entry.input.report_outcomes().request();
  std::set<Place> failed;
  for (const Outcome& outcome : request.outcomes()) {
    for (const auto& [key, proxy] : model_.proxies()) {
      if (proxy.proxy_id != outcome.proxy_id()) continue;
      const ModelAddress* address = model_.Address(proxy.address);
      const ModelWorker* worker = address == nullptr ? nullptr : model_.Worker(address->worker);
      const bool own = worker != nullptr && worker->worker_id == request.worker_id();
      if (own) Note(outcome, key, entry.at_us, failed);
    }
  }
  std::set<ModelKey> suspects;
  for (const Place& place : failed) {
    const auto level = place.second == 0 ? controlplane::v1::CHECK_LEVEL_BASIC : controlplane::v1::CHECK_LEVEL_TARGET;
    const ModelKey key{place.first, level, place.second};
    const CheckedProxy* proxy = checks_.Proxy(place.first);
    if (!checks_.Knows(key) || proxy->stopped || !checks_.ever(level) || !Fails(place, entry.at_us)) continue;
    const admin::v1::HealthState state = checks_.StateOf(key);
    const bool better = state == admin::v1::HEALTH_STATE_UNKNOWN || state == admin::v1::HEALTH_STATE_AVAILABLE;
    if (better) suspects.insert(key);
  }
  for (const ModelKey& key : suspects) lately_.erase({key.proxy, key.routing});
  return suspects;
}

void OutcomeAccount::Forget(std::uint32_t proxy) {
  lately_.erase(lately_.lower_bound({proxy, 0}), lately_.lower_bound({proxy + 1, 0}));
}

}  // namespace holdfast::simulation
