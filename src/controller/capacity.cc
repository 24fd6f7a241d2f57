#include "controller/capacity.h"

namespace holdfast {
namespace {

// The owner's counters, or nullptr where they do not hold.
const RuntimeRow* HeldReport(const ControllerState& state, const HoldRow& hold, LogTime now) {
  if (hold.owner.value() == 0) return nullptr;
  const WorkerRow& worker = state.sessions().At(hold.owner);
  if (!worker.open() || IsOver(worker.expires_at, now) || worker.opened.epoch != hold.epoch) return nullptr;
  const WorkerSnapshots& shown = state.snapshots().At(hold.owner);
  if (shown.fenced || !shown.accepted) return nullptr;
  const RuntimeRow& report = state.runtime().At(hold.owner);
  if (report.report_sequence == 0 || IsOver(report.fresh_until, now)) return nullptr;
  return &report;
}

bool MayServe(const ControllerState& state, const HoldRow& hold, ProxyKey proxy, LogTime now) {
  const ProxyRow& row = state.pool().proxy(proxy);
  const bool healthy = row.state == PoolState::kAvailable || row.state == PoolState::kSuspect;
  if (!healthy || !row.usable || IsOver(row.usable_until, now)) return false;
  if (hold.state != OwnershipState::kGranted) return false;
  if (state.sessions().At(hold.owner).state != SessionState::kActive) return false;
  const auto& content = state.snapshots().At(hold.owner).content;
  const auto shown = content.find(proxy);
  if (shown == content.end()) return false;
  return shown->second->state == GrantState::kActive || shown->second->state == GrantState::kSuspect;
}

}  // namespace

ProxyUse UseOf(const ControllerState& state, ProxyKey proxy, LogTime now) {
  const ProxyRow& row = state.pool().proxy(proxy);
  const HoldRow& hold = state.ownership().hold(row.address);
  ProxyUse use;
  const RuntimeRow* report = HeldReport(state, hold, now);
  if (report == nullptr) return use;
  if (const auto counters = report->counters.find(proxy); counters != report->counters.end()) {
    use.active = counters->second.active;
    use.reserved = counters->second.reserved;
  }
  const std::uint64_t taken = std::uint64_t{use.active} + use.reserved;
  const std::uint32_t capacity = row.spec->capacity;
  if (taken < capacity && MayServe(state, hold, proxy, now))
    use.available = capacity - static_cast<std::uint32_t>(taken);
  return use;
}

}  // namespace holdfast
