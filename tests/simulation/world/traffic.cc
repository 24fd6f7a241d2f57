#include "tests/simulation/world/traffic.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace holdfast::simulation {
namespace {

using controlplane::v1::ProxyGrant;

std::int64_t MicrosOf(const google::protobuf::Timestamp& time) {
  return time.seconds() * kSecond + time.nanos() / 1'000;
}

bool IsUsable(const ProxyGrant& grant) {
  return grant.state() == controlplane::v1::GRANT_STATE_ACTIVE ||
         grant.state() == controlplane::v1::GRANT_STATE_SUSPECT;
}

}  // namespace

Traffic::Traffic(World& world, const MachineClock& clock, std::string process, Later later)
    : world_(world), clock_(clock), process_(std::move(process)), later_(std::move(later)) {}

void Traffic::Take(ViewPointer view) {
  view_ = std::move(view);
  taken_at_boot_ = BootNow();
  for (auto& [key, slot] : slots_) slot.closed = true;
  std::map<std::string, std::string> usable;
  for (const auto& [proxy_id, listed] : view_->content->proxies) {
    const ProxyGrant& grant = listed->grant;
    if (grant.state() == controlplane::v1::GRANT_STATE_HELD) continue;
    Slot& slot = slots_[KeyOf(grant)];
    slot.closed = !IsUsable(grant);
    if (!slot.closed) usable[proxy_id] = judge::AddressOf(grant);
    std::int64_t& bound = bounds_[proxy_id][view_->clock];
    bound = std::max(bound, std::min(view_->valid_until_us, MicrosOf(grant.expires_at())) + view_->lapse_grace_us);
  }
  world_.checkers.uses().Took(process_, std::move(usable));
  ScheduleCut();
}

bool Traffic::GateIsOpen() const {
  return !dead_ && !stopped_ && view_ != nullptr && BootNow() - taken_at_boot_ < stale_age_;
}

bool Traffic::MayReserve(const WorkerView& view, const ProxyGrant& grant) const {
  const std::int64_t latest = view.clock->LatestAt(BootNow());
  if (latest >= view.valid_until_us || latest >= MicrosOf(grant.usable_until())) return false;
  const auto slot = slots_.find(KeyOf(grant));
  return slot != slots_.end() && !slot->second.closed;
}

std::vector<std::string> Traffic::Usable() const {
  std::vector<std::string> addresses;
  if (!GateIsOpen()) return addresses;
  for (const auto& [proxy_id, listed] : view_->content->proxies) {
    if (MayReserve(*view_, listed->grant)) addresses.push_back(judge::AddressOf(listed->grant));
  }
  return addresses;
}

void Traffic::OnRequest() {
  if (!GateIsOpen()) return;
  const ViewPointer view = view_;
  std::vector<const ProxyGrant*> candidates;
  for (const auto& [proxy_id, listed] : view->content->proxies) {
    const ProxyGrant& grant = listed->grant;
    if (!MayReserve(*view, grant)) continue;
    const Slot& slot = slots_.at(KeyOf(grant));
    if (slot.active + slot.reserved < grant.capacity()) candidates.push_back(&grant);
  }
  if (candidates.empty()) return;
  const ProxyGrant& grant = *candidates[world_.random.Below(candidates.size())];
  ++slots_.at(KeyOf(grant)).reserved;
  const std::uint64_t id = next_request_++;
  requests_[id] = {KeyOf(grant), view, false};
  later_(world_.Between(0, 15 * kMillisecond), [this, id] { Connect(id); });
}

void Traffic::Connect(std::uint64_t id) {
  const auto found = requests_.find(id);
  if (found == requests_.end()) return;  // cut
  Request& request = found->second;
  Slot& slot = slots_.at(request.slot);
  --slot.reserved;
  const auto listed = request.picked_from->content->proxies.find(request.slot.first);
  // Picked from a view that is no longer the current one, or too late after a pause: undone, and picked anew.
  if (request.picked_from != view_ || !GateIsOpen() || !MayReserve(*view_, listed->second->grant)) {
    requests_.erase(found);
    if (world_.random.Chance(1, 2)) OnRequest();
    return;
  }
  ++slot.active;
  request.active = true;
  world_.checkers.uses().Began(process_, request.slot.first, request.slot.second, world_.time.now());
  const bool is_long = world_.random.Chance(1, 8);
  const Micros length =
      is_long ? world_.Between(5 * kSecond, 120 * kSecond) : world_.Between(20 * kMillisecond, 2 * kSecond);
  later_(length, [this, id] { Finish(id); });
  ScheduleCut();
}

void Traffic::Finish(std::uint64_t id) {
  const auto found = requests_.find(id);
  if (found == requests_.end()) return;  // cut
  Slot& slot = slots_.at(found->second.slot);
  if (found->second.active) {
    --slot.active;
    world_.checkers.uses().Ended(process_, found->second.slot.second);
  } else {
    --slot.reserved;
  }
  requests_.erase(found);
}

bool Traffic::IsCut(const std::string& proxy_id) const {
  const Bounds& bounds = bounds_.at(proxy_id);
  return std::all_of(bounds.begin(), bounds.end(),
                     [&](const auto& bound) { return bound.first->LatestAt(BootNow()) >= bound.second; });
}

void Traffic::CutWhatIsOver() {
  std::vector<std::uint64_t> over;
  for (const auto& [id, request] : requests_) {
    if (IsCut(request.slot.first)) over.push_back(id);
  }
  for (const std::uint64_t id : over) Finish(id);
  next_cut_ = 0;
  ScheduleCut();
}

void Traffic::ScheduleCut() {
  Micros first = std::numeric_limits<Micros>::max();
  for (const auto& [id, request] : requests_) {
    std::int64_t boot = 0;
    for (const auto& [clock, limit] : bounds_.at(request.slot.first)) boot = std::max(boot, clock->Reaches(limit));
    first = std::min(first, clock_.WhenBootShows(boot));
  }
  if (requests_.empty() || (next_cut_ != 0 && next_cut_ <= first)) return;
  next_cut_ = first;
  world_.time.At(first, [this, serial = ++cut_serial_] {
    if (!dead_ && serial == cut_serial_) CutWhatIsOver();
  });
}

void Traffic::Die() {
  dead_ = true;
  requests_.clear();
  world_.checkers.uses().Died(process_);
}

std::map<std::string, Traffic::Running> Traffic::Counters() const {
  std::map<std::string, Running> counters;
  for (const auto& [id, request] : requests_) {
    Running& running = counters[request.slot.first];
    ++(request.active ? running.active : running.reserved);
    const auto listed = view_->content->proxies.find(request.slot.first);
    running.draining = listed != view_->content->proxies.end() &&
                       listed->second->grant.state() == controlplane::v1::GRANT_STATE_DRAINING;
  }
  return counters;
}

}  // namespace holdfast::simulation
