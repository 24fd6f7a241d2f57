#include "tests/simulation/checkers/liveness_checker.h"

#include <algorithm>

namespace holdfast::simulation {

std::string LivenessChecker::Missing(const std::map<std::string, std::uint64_t>& versions) const {
  if (model_.waiting()) return "grants still wait";
  if (!extractions_.usable()) return "the pool store is not usable";
  if (extractions_.lacking() > 0) return "what clients lacked is still kept for them";
  for (const auto& [worker_id, version] : versions) {
    if (std::string missing = MissingOfWorker(worker_id, version); !missing.empty()) return missing;
  }
  std::uint64_t unplaced = 0;
  for (const auto& [key, address] : model_.addresses()) {
    const bool passes = address.hold != HoldState::kUnowned && address.hold != HoldState::kGranted &&
                        address.hold != HoldState::kExtracted;
    if (passes) {
      return "address " + std::to_string(key) + " is still " + HoldStateName(address.hold);
    }
    const std::string taker = TakerOf(address);
    if (taker.empty() || ++unplaced <= model_.Reserve()) continue;
    return "address " + std::to_string(key) + " is not granted, though " + taker + " could take it";
  }
  return "";
}

std::string LivenessChecker::MissingOfWorker(const std::string& worker_id, std::uint64_t version) const {
  const auto found = std::find_if(model_.workers().begin(), model_.workers().end(),
                                  [&](const auto& worker) { return worker.second.worker_id == worker_id; });
  if (found == model_.workers().end()) return worker_id + " is not registered";
  const ModelWorker& worker = found->second;
  if (worker.state != controlplane::v1::SESSION_STATE_ACTIVE) return worker_id + " is not active";
  if (worker.stream == 0) return worker_id + " watches no stream";
  if (worker.fenced) return worker_id + " is fenced";
  if (worker.accepted != worker.last_version) {
    return worker_id + " has accepted version " + std::to_string(worker.accepted) + ", issued is " +
           std::to_string(worker.last_version);
  }
  if (version != worker.accepted) {
    return worker_id + " holds version " + std::to_string(version) + ", accepted is " + std::to_string(worker.accepted);
  }
  return "";
}

std::string LivenessChecker::TakerOf(const ModelAddress& address) const {
  if (address.hold != HoldState::kUnowned || !model_.Grantable(address)) return "";
  for (const auto& [key, worker] : model_.workers()) {
    if (CouldTake(worker, key, address)) return worker.worker_id;
  }
  return "";
}

bool LivenessChecker::CouldTake(const ModelWorker& worker, std::uint32_t key, const ModelAddress& address) const {
  if (worker.state != controlplane::v1::SESSION_STATE_ACTIVE || worker.stream == 0 || worker.fenced) return false;
  if (model_.cordoned(worker.worker_id) || worker.weight == 0 || (address.needs_secret && !worker.resolves_secrets)) {
    return false;
  }
  if (model_.alarmed(admin::v1::ALARM_KIND_SNAPSHOT_OVERSIZE, worker.worker_id)) return false;
  if (model_.alarmed(admin::v1::ALARM_KIND_SNAPSHOT_REFUSED, worker.worker_id)) return false;
  if (model_.alarmed(admin::v1::ALARM_KIND_INSTANCE_CONFLICT, worker.worker_id)) return false;
  return model_.GrantedProxies(key) + address.proxies.size() <= worker.max_proxies;
}

}  // namespace holdfast::simulation
