#include "controller/snapshot_content.h"

#include <algorithm>

#include "base/sum256.h"
#include "controller/snapshot_checksum.h"

namespace holdfast {
namespace {

// Room for what is not a grant: times, checksum, routings.
constexpr std::size_t kEnvelopeBytes = 4096;

// What an address is to a worker's instance.
enum class Standing : std::uint8_t { kNothing, kGranted, kRevoking, kHeld };

Standing StandingOf(const HoldRow& hold, const WorkerRow& worker) {
  if (hold.owner != worker.opened.worker) return Standing::kNothing;
  const bool own = hold.epoch == worker.opened.epoch;
  if (own && hold.state == OwnershipState::kGranted) return Standing::kGranted;
  if (own && hold.state == OwnershipState::kRevoking) return Standing::kRevoking;
  const bool earlier = hold.epoch < worker.opened.epoch && hold.state == OwnershipState::kLapsing && !hold.revoked();
  return earlier ? Standing::kHeld : Standing::kNothing;
}

// The state that a proxy is shown in; kUnspecified: it is not shown. DRAINING is only for who was shown it before, and
// ends with the proxy's own life.
GrantState ShownState(Standing standing, const ProxyBrief& brief, bool listed) {
  const bool alive = brief.state != PoolState::kExpired;
  const bool given = brief.usable && !brief.leaving && brief.waits_for.value() == 0;
  const bool usable = given && (brief.state == PoolState::kAvailable || brief.state == PoolState::kSuspect);
  if (standing == Standing::kHeld) return usable ? GrantState::kHeld : GrantState::kUnspecified;
  if (standing == Standing::kGranted && usable) {
    return brief.state == PoolState::kAvailable ? GrantState::kActive : GrantState::kSuspect;
  }
  return listed && alive ? GrantState::kDraining : GrantState::kUnspecified;
}

class Comparison {
 public:
  Comparison(const ControllerState& state, const WorkerRow& worker, bool full, LogTime now)
      : state_(state), worker_(worker), row_(state.snapshots().At(worker.opened.worker)), full_(full), now_(now) {
    limit_ = worker.opened.max_message_bytes - std::min<std::uint64_t>(worker.opened.max_message_bytes / 2, Envelope());
    sum_.Add(row_.content_sum);
    out_.listed = row_.content.size();
    bytes_ = full ? row_.content_bytes : ChangedBytes();
  }

  ContentDifference Run() {
    absl::btree_set<AddressKey> dirty = row_.dirty_listed;
    dirty.insert(row_.dirty_new.begin(), row_.dirty_new.end());
    // A full one says everything again, so also what did not fit into an earlier one, or still does not.
    if (full_) dirty.insert(row_.deferred.begin(), row_.deferred.end());
    for (const AddressKey address : dirty) Address(address);
    if (full_ && bytes_ > limit_) CutToFit();
    out_.tight = full_ && bytes_ > limit_ - limit_ / 4;
    out_.content_sum = sum_.Bytes();
    return std::move(out_);
  }

 private:
  std::size_t Envelope() const {
    std::size_t bytes = kEnvelopeBytes;
    for (const RoutingSpec& routing : *state_.routings().routings()) {
      bytes += 64 + routing.routing_id.size() + routing.ports.size() * 5;
      for (const std::string& pattern : routing.host_patterns) bytes += 4 + pattern.size();
      for (const auto& [key, value] : routing.proxy_labels) bytes += 12 + key.size() + value.size();
      for (const std::string& zone : routing.zones) bytes += 4 + zone.size();
    }
    return bytes;
  }

  // A delta repeats what updates that were never accepted have changed since its base.
  std::size_t ChangedBytes() const {
    std::size_t bytes = 0;
    for (const ContentChange& change : row_.changes) {
      const auto listed = row_.content.find(change.proxy);
      bytes += listed == row_.content.end() ? 16 + change.spec->proxy_id.value().size() : GrantBytes(*listed->second);
    }
    return bytes;
  }

  std::vector<ProxyKey> ListedOn(AddressKey address) const {
    std::vector<ProxyKey> listed;
    for (auto it = row_.by_address.lower_bound({address, ProxyKey()});
         it != row_.by_address.end() && it->first == address; ++it) {
      listed.push_back(it->second);
    }
    return listed;
  }

  void Address(AddressKey address) {
    const std::vector<ProxyKey> listed = ListedOn(address);
    const HoldRow* hold = FindHold(address);
    const Standing standing = hold == nullptr ? Standing::kNothing : StandingOf(*hold, worker_);
    if (row_.fenced && listed.empty()) {  // new grants wait until the fence is open
      if (standing != Standing::kNothing) out_.deferred.push_back(address);
      return;
    }
    std::vector<std::pair<ProxyKey, GrantState>> wanted;
    for (std::size_t i = 0; standing != Standing::kNothing && i < hold->proxies.size(); ++i) {
      const ProxyBrief& brief = hold->proxies[i];
      const GrantState shown = ShownState(standing, brief, WasUsable(brief.proxy));
      if (shown != GrantState::kUnspecified) wanted.emplace_back(brief.proxy, shown);
    }
    const auto is_wanted = [&](ProxyKey proxy) {
      return std::any_of(wanted.begin(), wanted.end(), [&](const auto& want) { return want.first == proxy; });
    };
    for (const ProxyKey proxy : listed) {
      if (!is_wanted(proxy)) Remove(proxy);
    }
    const bool lists_any = Upsert(address, wanted);
    const bool in_use = standing == Standing::kGranted || standing == Standing::kRevoking;
    if (in_use && lists_any && !hold->shown) out_.shown.push_back(address);
    if (standing == Standing::kRevoking && lists_any && hold->drain_target.value() == 0) {
      out_.draining.push_back(address);
    }
    if (!listed.empty() && !lists_any) out_.dropped.push_back(address);
  }

  const HoldRow* FindHold(AddressKey address) const {
    return state_.pool().addresses().Find(address) == nullptr ? nullptr : &state_.ownership().hold(address);
  }

  const Grant* Listed(ProxyKey proxy) const {
    const auto listed = row_.content.find(proxy);
    return listed == row_.content.end() ? nullptr : &*listed->second;
  }

  // Whether the instance was shown it so that it may have been used.
  bool WasUsable(ProxyKey proxy) const {
    const Grant* listed = Listed(proxy);
    return listed != nullptr && listed->state != GrantState::kHeld;
  }

  // By how much a grant makes the message longer.
  std::size_t AddedBytes(ProxyKey proxy, const Grant& grant) const {
    const Grant* before = Listed(proxy);
    if (before != nullptr && *before == grant) return 0;
    const std::size_t replaced = before != nullptr && full_ ? GrantBytes(*before) : 0;
    return GrantBytes(grant) - std::min(GrantBytes(grant), replaced);
  }

  // A change that the worker must not go on without: it would use the proxy longer, or otherwise, than it may.
  bool MustBeTold(ProxyKey proxy, const Grant& grant) const {
    const Grant* before = Listed(proxy);
    return before != nullptr && (grant.state != before->state || grant.expires_at < before->expires_at ||
                                 grant.usable_until < before->usable_until);
  }

  // Whether what is listed of it says by now that it may not be used so: it was renewed, and that did not fit.
  bool IsListedAsOver(ProxyKey proxy) const {
    const Grant& listed = *Listed(proxy);
    return IsOver(listed.state == GrantState::kDraining ? listed.expires_at : listed.usable_until, now_);
  }

  // Whether the address is listed after it. What does not fit is deferred: what of it was listed stays as it was, or
  // leaves when the worker must not go on with it.
  bool Upsert(AddressKey address, const std::vector<std::pair<ProxyKey, GrantState>>& wanted) {
    std::vector<Grant> grants;
    std::size_t bytes = 0;
    for (const auto& [proxy, shown] : wanted) {
      grants.push_back(state_.snapshots().GrantOf(proxy, shown));
      bytes += AddedBytes(proxy, grants.back());
    }
    if (bytes == 0 || bytes_ + bytes <= limit_) {
      for (std::size_t i = 0; i < grants.size(); ++i) UpsertOne(wanted[i].first, grants[i]);
      return !wanted.empty();
    }
    if (bytes > limit_) out_.unfit = true;
    if (bytes <= limit_) {
      out_.deferred.push_back(address);
      out_.overflowed = true;
    }
    bool left = false;
    for (std::size_t i = 0; i < grants.size(); ++i) {
      if (Listed(wanted[i].first) == nullptr) continue;
      const bool leaves = MustBeTold(wanted[i].first, grants[i]) || IsListedAsOver(wanted[i].first);
      if (leaves) Remove(wanted[i].first);
      left = left || !leaves;
    }
    return left;
  }

  void UpsertOne(ProxyKey proxy, const Grant& grant) {
    const auto listed = row_.content.find(proxy);
    if (listed != row_.content.end() && *listed->second == grant) return;
    if (listed != row_.content.end()) {
      sum_.Remove(HashOfGrant(*listed->second));
      if (full_) bytes_ -= GrantBytes(*listed->second);
    } else {
      ++out_.listed;
    }
    sum_.Add(HashOfGrant(grant));
    bytes_ += GrantBytes(grant);
    out_.upserted.push_back(proxy);
    out_.states.push_back(grant.state);
  }

  void Remove(ProxyKey proxy) {
    const Grant& grant = *row_.content.at(proxy);
    sum_.Remove(HashOfGrant(grant));
    --out_.listed;
    if (full_) bytes_ -= GrantBytes(grant);
    if (!full_) bytes_ += 16 + grant.spec->proxy_id.value().size();
    out_.removed.push_back(proxy);
  }

  // The content that was given piece by piece is larger than one message: the last addresses wait for deltas. An
  // address that this update has something to say about stays whole.
  void CutToFit() {
    absl::btree_set<ProxyKey> touched(out_.removed.begin(), out_.removed.end());
    touched.insert(out_.upserted.begin(), out_.upserted.end());
    absl::btree_set<AddressKey> cut_off;
    for (auto it = row_.by_address.rbegin(); it != row_.by_address.rend() && bytes_ > limit_;) {
      const AddressKey address = it->first;
      std::vector<ProxyKey> listed;
      for (; it != row_.by_address.rend() && it->first == address; ++it) listed.push_back(it->second);
      if (std::any_of(listed.begin(), listed.end(), [&](ProxyKey proxy) { return touched.contains(proxy); })) continue;
      for (const ProxyKey proxy : listed) Remove(proxy);
      cut_off.insert(address);
    }
    if (cut_off.empty()) return;
    out_.overflowed = true;
    out_.dropped.insert(out_.dropped.end(), cut_off.begin(), cut_off.end());
    out_.deferred.insert(out_.deferred.end(), cut_off.begin(), cut_off.end());
    std::erase_if(out_.shown, [&](AddressKey address) { return cut_off.contains(address); });
    std::erase_if(out_.draining, [&](AddressKey address) { return cut_off.contains(address); });
  }

  const ControllerState& state_;
  const WorkerRow& worker_;
  const WorkerSnapshots& row_;
  const bool full_;
  const LogTime now_;
  std::size_t limit_ = 0;
  std::size_t bytes_ = 0;
  Sum256 sum_;
  ContentDifference out_;
};

}  // namespace

ContentDifference CompareContent(const ControllerState& state, const WorkerRow& worker, bool full, LogTime now) {
  return Comparison(state, worker, full, now).Run();
}

std::vector<ProxyKey> NoLongerGranted(const ControllerState& state, WorkerKey worker, std::size_t limit) {
  const WorkerSnapshots& row = state.snapshots().At(worker);
  const absl::btree_map<ProxyKey, Counters>& counters = state.runtime().At(worker).counters;
  const WorkerRow& session = state.sessions().At(worker);
  std::vector<ProxyKey> in_use, idle;
  for (const AddressKey address : row.dirty_listed) {
    if (in_use.size() >= limit) break;
    const bool known = state.pool().addresses().Find(address) != nullptr;
    if (known && StandingOf(state.ownership().hold(address), session) == Standing::kGranted) continue;
    for (auto it = row.by_address.lower_bound({address, ProxyKey()});
         it != row.by_address.end() && it->first == address; ++it) {
      (counters.contains(it->second) ? in_use : idle).push_back(it->second);
    }
  }
  in_use.insert(in_use.end(), idle.begin(), idle.end());
  if (in_use.size() > limit) in_use.resize(limit);
  return in_use;
}

}  // namespace holdfast
