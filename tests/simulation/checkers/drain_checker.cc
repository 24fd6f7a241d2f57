#include "tests/simulation/checkers/drain_checker.h"

#include <algorithm>

namespace holdfast::simulation {
namespace {

constexpr std::int64_t kDrainSlack = 120'000'000;  // of log time, over a pause of the controller
constexpr std::int64_t kAnswerSlack = 60'000'000;  // the same, longer pauses being told

}  // namespace

void DrainChecker::Wrong(const Entry& entry, std::uint32_t address, const std::string& what) {
  violations_.Add("drains",
                  "sequence " + std::to_string(entry.sequence) + ", address " + std::to_string(address) + ": " + what);
}

void DrainChecker::OnEntry(const Entry& entry) {
  if (entry.input.input_case() < log::v1::Input::kRegisterWorker) return;
  for (const auto& [key, deadline] : deadlines_) {
    if (deadline != 0 && deadline + kDrainSlack < entry.at_us) Wrong(entry, key, "asked back long after its deadline");
  }
  for (const auto& [key, address] : model_.addresses()) {
    const auto since = unanswered_.find(address.worker);
    if (address.hold != HoldState::kGranted || since == unanswered_.end()) continue;
    if (since->second + model_.settings().drain_grace() + kAnswerSlack < entry.at_us) {
      Wrong(entry, key, "still granted, though its worker has accepted nothing for far longer than drain_grace");
    }
  }
}

// The controller's own silence is not held against who could not answer.
void DrainChecker::NoteAnswers(const log::v1::Event& event) {
  const std::int64_t excused =
      event.controller_started().downtime() + event.hold_off_started().stalled() + event.clock_accepted().moved();
  for (auto& [worker, since] : unanswered_) since += excused;
  if (event.has_snapshot_acknowledged()) unanswered_.erase(event.snapshot_acknowledged().worker());
}

void DrainChecker::Before(const Entry& entry, const log::v1::Event& event) {
  NoteAnswers(event);
  if (event.has_snapshot_issued()) unanswered_.emplace(event.snapshot_issued().worker(), entry.at_us);
  if (event.has_clock_accepted()) {
    for (auto& [key, deadline] : deadlines_) deadline += deadline == 0 ? 0 : event.clock_accepted().moved();
  }
  for (const std::uint32_t key : event.ownership_revoked().addresses()) {
    const std::int64_t deadline = event.ownership_revoked().deadline();
    const auto known = deadlines_.find(key);
    const bool later = known != deadlines_.end() && known->second != 0 && (deadline == 0 || deadline > known->second);
    if (later) Wrong(entry, key, "its deadline moves away");
    deadlines_[key] = deadline;
  }
  for (const std::uint32_t key : event.ownership_lapsing().addresses()) deadlines_.erase(key);
  if (!event.has_ownership_released()) return;
  deadlines_.erase(event.ownership_released().address());
  if (event.ownership_released().reason() == audit::v1::END_REASON_DRAINED) {
    JudgeProof(entry, event.ownership_released());
  }
}

void DrainChecker::After(const Entry& entry, const log::v1::Event& event) {
  if (event.has_snapshot_issued()) {
    const log::v1::SnapshotIssued& issued = event.snapshot_issued();
    const ModelWorker* worker = model_.Worker(issued.worker());
    if (worker == nullptr) return;
    Shown shown{issued.worker(), issued.epoch(), issued.version(), {}};
    std::set<std::uint32_t> usable;
    for (const auto& [proxy, listed] : worker->content) {
      if (listed.state == controlplane::v1::GRANT_STATE_DRAINING) shown.draining.insert(listed.address);
      if (listed.state != controlplane::v1::GRANT_STATE_DRAINING) usable.insert(listed.address);
    }
    for (const std::uint32_t key : usable) shown.draining.erase(key);
    if (!shown.draining.empty()) shown_.emplace(entry.sequence, std::move(shown));
  }
  if (event.has_snapshot_acknowledged()) {
    const std::uint32_t key = event.snapshot_acknowledged().worker();
    const ModelWorker* worker = model_.Worker(key);
    if (worker == nullptr) return;
    acknowledged_[entry.sequence] = {key, worker->epoch, event.snapshot_acknowledged().version()};
  }
}

void DrainChecker::JudgeProof(const Entry& entry, const log::v1::OwnershipReleased& released) {
  const std::uint32_t key = released.address();
  const ModelAddress* address = model_.Address(key);
  if (address == nullptr || address->hold != HoldState::kRevoking) return Wrong(entry, key, "drained, not asked back");
  const auto shown = shown_.find(released.issue_sequence());
  const bool issued = shown != shown_.end() && shown->second.worker == address->worker &&
                      shown->second.epoch == released.epoch() && shown->second.version == released.target_version() &&
                      shown->second.draining.contains(key);
  if (!issued) return Wrong(entry, key, "drained, but no update of this instance showed it DRAINING as it says");
  const auto ack = acknowledged_.find(released.ack_sequence());
  const bool acknowledged = ack != acknowledged_.end() && ack->second.worker == address->worker &&
                            ack->second.epoch == released.epoch() && ack->second.version >= released.target_version() &&
                            ack->first > shown->first;
  if (!acknowledged) return Wrong(entry, key, "drained without an ACK at or above the target");
  const auto& report = entry.input.report_runtime().request();
  if (released.report_sequence() != entry.sequence || !entry.input.has_report_runtime() ||
      ack->first >= entry.sequence) {
    return Wrong(entry, key, "drained, but not by a report that came after the ACK");
  }
  if (report.snapshot_version() < released.target_version()) Wrong(entry, key, "drained by a report below the target");
  for (const controlplane::v1::ProxyRuntime& counter : report.counters()) {
    if (counter.active() == 0 && counter.reserved() == 0) continue;
    const bool its_own = std::any_of(address->proxies.begin(), address->proxies.end(), [&](std::uint32_t proxy) {
      return model_.Proxy(proxy) != nullptr && model_.Proxy(proxy)->proxy_id == counter.proxy_id();
    });
    if (its_own) Wrong(entry, key, "drained while " + counter.proxy_id() + " is in use");
  }
  if (windows_.LatestOfOthers(key, address->worker, address->epoch) > entry.at_us) {
    Wrong(entry, key, "drained by one process while another may still be using it");
  }
}

}  // namespace holdfast::simulation
