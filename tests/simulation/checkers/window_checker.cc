#include "tests/simulation/checkers/window_checker.h"

#include <algorithm>

namespace holdfast::simulation {

using log::v1::Event;

void WindowChecker::Wrong(const Entry& entry, std::uint32_t address, const std::string& what) {
  std::string text = "sequence " + std::to_string(entry.sequence) + ", address " + std::to_string(address) + ": " +
                     what + " (log time " + std::to_string(entry.at_us) + " µs";
  for (const auto& [process, until] : windows_[address]) {
    text += "; worker " + std::to_string(process.first) + " epoch " + std::to_string(process.second) +
            " may use it until " + std::to_string(until) + " µs";
  }
  violations_.Add("windows", text + ")");
}

std::int64_t WindowChecker::LatestWindow(std::uint32_t address, const Process& except) const {
  const auto found = windows_.find(address);
  std::int64_t latest = 0;
  if (found == windows_.end()) return latest;
  for (const auto& [process, until] : found->second) {
    if (process != except) latest = std::max(latest, until);
  }
  return latest;
}

void WindowChecker::ShiftAll(std::int64_t by) {
  for (auto& [address, processes] : windows_) {
    for (auto& [process, until] : processes) until += by;
  }
  for (auto& [address, processes] : given_back_) {
    for (auto& [process, until] : processes) until += by;
  }
  for (auto& [address, until] : owned_until_) until += by;
}

// Ends of ownership fire before anything that was queued: what is decided after them finds no hold past its window.
void WindowChecker::OnEntry(const Entry& entry) {
  if (entry.input.input_case() < log::v1::Input::kRegisterWorker) return;
  const std::int64_t slack = model_.settings().snapshot_validity() + model_.settings().lapse_grace();
  for (const auto& [key, address] : model_.addresses()) {
    if (!IsWorkers(address.hold)) continue;
    const std::int64_t until = std::max(owned_until_[key], LatestWindow(key, {}));
    if (until + slack < entry.at_us) Wrong(entry, key, HoldStateName(address.hold) + " long after its window");
  }
}

void WindowChecker::Before(const Entry& entry, const Event& event) {
  switch (event.event_case()) {
    case Event::kControllerStarted:
      // On another boot what was left at the last entry is counted from the recovery.
      if (!event.controller_started().same_boot()) ShiftAll(event.controller_started().downtime());
      return;
    case Event::kOwnershipGranted:
      return BeforeGrant(entry, event.ownership_granted());
    case Event::kOwnershipLapsing:
      return BeforeLapse(entry, event.ownership_lapsing());
    case Event::kOwnershipResumed:
      return BeforeResume(entry, event.ownership_resumed());
    case Event::kOwnershipReleased:
      return BeforeRelease(entry, event.ownership_released());
    case Event::kAddressRetired:
      return BeforeRetire(entry, event.address_retired().address());
    default:
      return BeforeDrain(entry, event);
  }
}

void WindowChecker::After(const Entry& entry, const Event& event) {
  if (event.has_snapshot_issued()) AfterIssue(entry, event.snapshot_issued());
}

void WindowChecker::BeforeGrant(const Entry& entry, const log::v1::OwnershipGranted& granted) {
  const std::uint32_t key = granted.address();
  const ModelAddress* address = model_.Address(key);
  const ModelWorker* worker = model_.Worker(granted.worker());
  if (address == nullptr || worker == nullptr) return Wrong(entry, key, "granted, but it or its worker is unknown");
  if (address->hold != HoldState::kUnowned) Wrong(entry, key, "granted while " + HoldStateName(address->hold));
  if (LatestWindow(key, {}) > entry.at_us) Wrong(entry, key, "granted while somebody may still be using it");
  if (!model_.Grantable(*address)) Wrong(entry, key, "granted, but no proxy on it may be used");
  if (model_.waiting()) Wrong(entry, key, "granted during a wait");
  if (worker->state != controlplane::v1::SESSION_STATE_ACTIVE || worker->stream == 0) {
    Wrong(entry, key, "granted to " + worker->worker_id + ", which is not active and attached");
  }
  if (worker->fenced) Wrong(entry, key, "granted to " + worker->worker_id + ", whose fence is closed");
  if (model_.cordoned(worker->worker_id)) Wrong(entry, key, "granted to " + worker->worker_id + ", which is cordoned");
  if (granted.epoch() != worker->epoch) Wrong(entry, key, "granted under another epoch than the worker's");
  if (address->needs_secret && !worker->resolves_secrets) Wrong(entry, key, "granted without CAPABILITY_SECRET_REF");
  owned_until_[key] = granted.owned_until();
}

void WindowChecker::BeforeLapse(const Entry& entry, const log::v1::OwnershipLapsing& lapsing) {
  for (int i = 0; i < lapsing.addresses_size(); ++i) {
    const std::uint32_t key = lapsing.addresses(i);
    const ModelAddress* address = model_.Address(key);
    if (address == nullptr || address->worker != lapsing.worker() || address->epoch != lapsing.epoch()) {
      Wrong(entry, key, "lapses for a worker that does not hold it");
      continue;
    }
    if (lapsing.owned_until(i) < LatestWindow(key, {})) Wrong(entry, key, "lapses sooner than its windows end");
    // What lapses may be asked back as well, and never the other way round.
    const bool asked_back = lapsing.cause() == log::v1::LAPSE_CAUSE_REVOKED;
    if (address->hold == HoldState::kLapsing && address->lapse_cause != lapsing.cause() && !asked_back) {
      Wrong(entry, key, "lapses again for another cause");
    }
    owned_until_[key] = lapsing.owned_until(i);
  }
}

void WindowChecker::BeforeResume(const Entry& entry, const log::v1::OwnershipResumed& resumed) {
  for (const std::uint32_t key : resumed.addresses()) {
    const ModelAddress* address = model_.Address(key);
    if (address == nullptr || address->hold != HoldState::kLapsing) {
      Wrong(entry, key, "taken again, but it does not lapse");
    } else if (address->lapse_cause != log::v1::LAPSE_CAUSE_SESSION_OVER) {
      Wrong(entry, key, "taken again after it was asked back, or by another process");
    } else if (address->worker != resumed.worker() || address->epoch != resumed.epoch()) {
      Wrong(entry, key, "taken again by an instance that did not have it");
    }
  }
}

void WindowChecker::BeforeRelease(const Entry& entry, const log::v1::OwnershipReleased& released) {
  const std::uint32_t key = released.address();
  const ModelAddress* address = model_.Address(key);
  if (address == nullptr || address->hold == HoldState::kUnowned) {
    return Wrong(entry, key, "released, but nobody holds it");
  }
  if (released.epoch() != address->epoch) Wrong(entry, key, "released under another epoch than it is held");
  const bool drained = released.reason() == audit::v1::END_REASON_DRAINED;  // its proof: drain_checker.h
  if (!drained && released.reason() != audit::v1::END_REASON_LAPSED)
    Wrong(entry, key, "ended without its time or a proof");
  if (!drained && LatestWindow(key, {}) > entry.at_us) Wrong(entry, key, "lapsed before its windows were over");
  for (const auto& [process, until] : windows_[key]) {
    std::int64_t& given_back = given_back_[key][process];
    given_back = std::max(given_back, until);
  }
  windows_.erase(key);
  owned_until_.erase(key);
}

void WindowChecker::BeforeRetire(const Entry& entry, std::uint32_t key) {
  const ModelAddress* address = model_.Address(key);
  if (address == nullptr) return Wrong(entry, key, "forgotten, but it was not known");
  if (address->hold != HoldState::kUnowned) Wrong(entry, key, "forgotten while " + HoldStateName(address->hold));
  if (!address->proxies.empty()) Wrong(entry, key, "forgotten with proxies on it");
  if (LatestWindow(key, {}) > entry.at_us) Wrong(entry, key, "forgotten while somebody may still be using it");
}

void WindowChecker::AfterIssue(const Entry& entry, const log::v1::SnapshotIssued& issued) {
  const ModelWorker* worker = model_.Worker(issued.worker());
  if (worker == nullptr || !worker->open()) {
    return violations_.Add("windows", "sequence " + std::to_string(entry.sequence) + ": an update to nobody");
  }
  std::map<std::uint32_t, std::int64_t> latest_expiry;
  for (const auto& [proxy, shown] : worker->content) {
    if (shown.state == controlplane::v1::GRANT_STATE_HELD) continue;
    latest_expiry[shown.address] = std::max(latest_expiry[shown.address], shown.expires_at);
  }
  for (const auto& [key, expires_at] : latest_expiry) {
    const ModelAddress* address = model_.Address(key);
    const bool holds = address != nullptr && address->worker == issued.worker() && address->epoch == issued.epoch() &&
                       (address->hold == HoldState::kGranted || address->hold == HoldState::kRevoking);
    if (!holds) Wrong(entry, key, "listed to " + worker->worker_id + ", which does not hold it");
    // It may be held for longer than it is shown, where a renewal of its lifetime was deferred.
    std::int64_t renewed = expires_at;
    for (const std::uint32_t proxy : holds ? address->proxies : std::set<std::uint32_t>()) {
      renewed = std::max(renewed, model_.Proxy(proxy) == nullptr ? 0 : model_.Proxy(proxy)->expires_at);
    }
    std::int64_t& owned = owned_until_[key];
    owned = std::max(owned, std::min(issued.valid_until(), renewed) + worker->lapse_grace);
    Extend(entry, key, {issued.worker(), issued.epoch()},
           std::min(issued.valid_until(), expires_at) + worker->lapse_grace);
  }
}

void WindowChecker::Extend(const Entry& entry, std::uint32_t address, const Process& process, std::int64_t until) {
  if (LatestWindow(address, process) > entry.at_us) Wrong(entry, address, "shown while another process may use it");
  std::int64_t& window = windows_[address][process];
  window = std::max({window, until, given_back_[address][process]});
}

void WindowChecker::BeforeDrain(const Entry& entry, const log::v1::Event& event) {
  if (event.has_clock_accepted()) ShiftAll(event.clock_accepted().moved());
  if (!event.has_ownership_revoked()) return;
  const log::v1::OwnershipRevoked& revoked = event.ownership_revoked();
  for (const std::uint32_t key : revoked.addresses()) {
    const ModelAddress* address = model_.Address(key);
    const bool held = address != nullptr && address->worker == revoked.worker() && address->epoch == revoked.epoch() &&
                      (address->hold == HoldState::kGranted || address->hold == HoldState::kRevoking);
    if (!held) Wrong(entry, key, "asked back from an instance that it is not granted to");
  }
}

}  // namespace holdfast::simulation
