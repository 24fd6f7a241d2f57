#include "pool/comparison.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "pool/projected_rows.h"

namespace holdfast::pool {
namespace {

constexpr std::size_t kSliceKeys = 10'000;

std::string TimeText(const std::optional<LogTime>& time) { return time ? std::to_string(ToMicros(*time)) : "none"; }

bool Has(const std::vector<bool>& set, std::size_t key) { return key < set.size() && set[key]; }

template <class Set, class Keys>
void Mark(Set& set, const Keys& keys) {
  for (const auto& [key, change] : keys) {
    if (key.value() < set.size()) set[key.value()] = true;
  }
}

}  // namespace

std::vector<Difference> Comparison::Take() { return std::exchange(found_, {}); }

void Comparison::Add(Difference::Kind kind, const std::string& id, std::string field, std::string here,
                     std::string there) {
  if (here == there) return;
  if (reported_ == kMostDifferences) {
    truncated_ = true;
    return;
  }
  ++reported_;
  found_.push_back({kind, id, std::move(field), std::move(here), std::move(there)});
}

absl::StatusOr<bool> Comparison::Step(PoolStore& store, StateSource& source, Duration patience) {
  bool looked = true;
  if (stage_ == Stage::kBegin) {
    looked = source.Read([&](const ControllerState& state, Feed& feed) { Begin(state, feed); });
  } else if (stage_ == Stage::kMissing) {
    looked = source.Read([&](const ControllerState& state, Feed& feed) { FindMissing(state, feed); });
  } else if (stage_ != Stage::kFinished) {
    if (absl::Status status = Scan(store, source, patience); !status.ok()) return status;
  }
  if (!looked) return absl::CancelledError("the daemon is being stopped");
  return stage_ != Stage::kFinished;
}

void Comparison::Begin(const ControllerState& state, Feed& feed) {
  end_address_ = state.pool().next_address();
  end_proxy_ = state.pool().next_proxy();
  seen_addresses_.resize(end_address_.value());
  skipped_addresses_.resize(end_address_.value());
  indexed_.resize(end_address_.value());
  seen_proxies_.resize(end_proxy_.value());
  skipped_proxies_.resize(end_proxy_.value());
  total_ = state.pool().addresses().size() + state.pool().proxies().size();
  Mark(skipped_addresses_, feed.changes().addresses());
  Mark(skipped_proxies_, feed.changes().proxies());
  NoteFrozen(feed);
  for (const std::string& id : frozen_) {
    const AddressKey address = state.pool().FindAddress(id);
    const ProxyKey proxy = state.pool().FindProxy(id);
    if (address < end_address_) skipped_addresses_[address.value()] = true;
    if (proxy < end_proxy_) skipped_proxies_[proxy.value()] = true;
  }
  feed.Watch(true);
  NextStage();
}

absl::Status Comparison::Scan(PoolStore& store, StateSource& source, Duration patience) {
  constexpr ScanKind kKinds[] = {ScanKind::kAddresses, ScanKind::kAddresses, ScanKind::kProxies, ScanKind::kAvailable,
                                 ScanKind::kOwners,    ScanKind::kOwned,     ScanKind::kSessions};
  if (stage_ == Stage::kOwned && owners_.empty()) {
    NextStage();
    return absl::OkStatus();
  }
  ScanRequest request{.kind = kKinds[static_cast<std::size_t>(stage_)], .cursor = cursor_};
  if (stage_ == Stage::kOwned) request.worker = owners_.back();
  absl::StatusOr<ScanSlice> slice = store.Scan(request, patience);
  if (!slice.ok()) return slice.status();
  source.Read([&](const ControllerState& state, Feed& feed) { CompareSlice(state, feed, *slice); });
  cursor_ = std::move(slice->cursor);
  if (!cursor_.empty()) return absl::OkStatus();
  if (stage_ == Stage::kOwned) {
    owners_.pop_back();
  } else {
    NextStage();
  }
  return absl::OkStatus();
}

void Comparison::NextStage() {
  stage_ = static_cast<Stage>(static_cast<std::uint8_t>(stage_) + 1);
  cursor_.clear();
}

// Ids of rows that wait to be written: with intents among them, or because they are to go.
void Comparison::NoteFrozen(Feed& feed) {
  frozen_.clear();
  for (const auto& [key, change] : feed.changes().addresses()) {
    if (!change.removed.empty()) frozen_.insert(change.removed);
  }
  for (const auto& [key, change] : feed.changes().proxies()) {
    if (!change.removed.empty()) frozen_.insert(change.removed);
  }
  for (const Turn& turn : feed.frozen()) {
    if (const auto* intent = std::get_if<IntentTurn>(&turn)) {
      for (const Candidate& candidate : intent->candidates) frozen_.insert(candidate.address);
      continue;
    }
    for (const Write& write : std::get<RowsTurn>(turn).writes) {
      if (const auto* address = std::get_if<AddressWrite>(&write)) frozen_.insert(address->row.id);
      if (const auto* address = std::get_if<AddressRemoval>(&write)) frozen_.insert(address->id);
      if (const auto* proxy = std::get_if<ProxyRow>(&write)) frozen_.insert(proxy->id);
      if (const auto* proxy = std::get_if<ProxyRemoval>(&write)) frozen_.insert(proxy->id);
      if (const auto* session = std::get_if<SessionRow>(&write)) frozen_.insert(session->worker);
      if (const auto* session = std::get_if<SessionRemoval>(&write)) frozen_.insert(session->worker);
    }
  }
}

void Comparison::CompareSlice(const ControllerState& state, Feed& feed, const ScanSlice& slice) {
  NoteFrozen(feed);
  for (const AddressRow& row : slice.addresses) CompareAddress(state, feed, row);
  for (const ProxyRow& row : slice.proxies) CompareProxy(state, feed, row);
  for (const SessionRow& row : slice.sessions) CompareSession(state, row);
  for (const std::string& address : slice.owned) CompareOwned(state, feed, address);
  for (const AvailableEntry& entry : slice.available) {
    if (state.pool().FindAddress(entry.address).value() != 0) continue;
    if (!frozen_.contains(entry.address)) Add(Difference::Kind::kAddress, entry.address, "available", "none", "listed");
  }
  owners_.insert(owners_.end(), slice.owners.begin(), slice.owners.end());
  for (const std::string& id : slice.unreadable) {
    const bool is_proxy = stage_ == Stage::kProxies;
    const bool is_session = stage_ == Stage::kSessions;
    Add(is_proxy     ? Difference::Kind::kProxy
        : is_session ? Difference::Kind::kSession
                     : Difference::Kind::kAddress,
        id, "row", "readable", "unreadable");
  }
}

bool Comparison::IsSettled(const ControllerState& state, Feed& feed, AddressKey address) const {
  const bool is_asked_for = state.ownership().hold(address).state == OwnershipState::kExtracting;
  return !is_asked_for && !feed.IsDirty(address) && !frozen_.contains(state.pool().address(address).text);
}

bool Comparison::IsSettled(const ControllerState& state, Feed& feed, ProxyKey proxy) const {
  const ::holdfast::ProxyRow& row = state.pool().proxy(proxy);
  return !feed.IsDirty(proxy) && !frozen_.contains(row.spec->proxy_id.value()) && IsSettled(state, feed, row.address);
}

void Comparison::CompareAddress(const ControllerState& state, Feed& feed, const AddressRow& row) {
  ++compared_;
  const AddressKey address = state.pool().FindAddress(row.id);
  if (address.value() == 0) {
    if (!frozen_.contains(row.id)) {
      Add(Difference::Kind::kAddress, row.id, "row", "none", "there");
    }
    return;
  }
  if (address < end_address_) seen_addresses_[address.value()] = true;
  if (!IsSettled(state, feed, address)) return;
  const AddressRow here = RowOfAddress(state, address, row.sequence);
  const auto add = [&](const char* field, std::string ours, std::string theirs) {
    Add(Difference::Kind::kAddress, row.id, field, std::move(ours), std::move(theirs));
  };
  add("state", std::string(AddressStateName(here.state)), std::string(AddressStateName(row.state)));
  add("owner", here.owner, row.owner);
  add("epoch", std::to_string(here.epoch.value()), std::to_string(row.epoch.value()));
  add("available", TimeText(here.available_until), TimeText(row.available_until));
  add("extraction", here.extraction_id, row.extraction_id);
  if (here.state == AddressState::kExtracted) {
    add("extracted_until", TimeText(here.extracted_until), TimeText(row.extracted_until));
  }
}

void Comparison::CompareProxy(const ControllerState& state, Feed& feed, const ProxyRow& row) {
  ++compared_;
  const ProxyKey proxy = state.pool().FindProxy(row.id);
  if (proxy.value() == 0) {
    if (!frozen_.contains(row.id)) {
      Add(Difference::Kind::kProxy, row.id, "row", "none", "there");
    }
    return;
  }
  if (proxy < end_proxy_) seen_proxies_[proxy.value()] = true;
  if (!IsSettled(state, feed, proxy)) return;
  const ProxyRow here = RowOfProxy(state, proxy, row.sequence);
  const auto add = [&](const char* field, const std::string& ours, const std::string& theirs) {
    Add(Difference::Kind::kProxy, row.id, field, ours, theirs);
  };
  add("address", here.address, row.address);
  add("scheme", here.scheme, row.scheme);
  add("health", here.health, row.health);
  add("usable_until", TimeText(here.usable_until), TimeText(row.usable_until));
}

void Comparison::CompareOwned(const ControllerState& state, Feed& feed, const std::string& text) {
  const std::string& worker = owners_.back();
  const AddressKey address = state.pool().FindAddress(text);
  if (address.value() == 0) {
    if (!frozen_.contains(text)) {
      Add(Difference::Kind::kAddress, text, "index", "none", worker);
    }
    return;
  }
  const WorkerKey owner = state.ownership().hold(address).owner;
  const std::string here = owner.value() == 0 ? "none" : state.ownership().holder(owner).worker_id.value();
  if (here == worker && address < end_address_) indexed_[address.value()] = owner;
  if (IsSettled(state, feed, address)) Add(Difference::Kind::kAddress, text, "index", here, worker);
}

// One that is missing may have ended by the store's clock, and nothing follows from it.
void Comparison::CompareSession(const ControllerState& state, const SessionRow& row) {
  ++compared_;
  const WorkerRow* known = state.sessions().Find(row.worker);
  if (frozen_.contains(row.worker)) return;
  if (known == nullptr) Add(Difference::Kind::kSession, row.worker, "row", "none", "there");
}

void Comparison::FindMissing(const ControllerState& state, Feed& feed) {
  NoteFrozen(feed);
  std::size_t looked = 0;
  for (; next_address_ < end_address_ && looked < kSliceKeys; next_address_ = Next(next_address_), ++looked) {
    const AddressKey key = next_address_;
    if (state.pool().addresses().Find(key) == nullptr || Has(skipped_addresses_, key.value())) continue;
    if (!IsSettled(state, feed, key) || feed.WasRewritten(key)) continue;
    const std::string& text = state.pool().address(key).text;
    if (!Has(seen_addresses_, key.value())) Add(Difference::Kind::kAddress, text, "row", "there", "none");
    const WorkerKey owner = state.ownership().hold(key).owner;
    const bool may_lack = owner.value() == 0 || state.ownership().holder(owner).owned.size() > kOwnedLimit;
    if (!may_lack && indexed_[key.value()] != owner) {
      Add(Difference::Kind::kAddress, text, "index", state.ownership().holder(owner).worker_id.value(), "none");
    }
  }
  for (; next_proxy_ < end_proxy_ && looked < kSliceKeys; next_proxy_ = Next(next_proxy_), ++looked) {
    const ProxyKey key = next_proxy_;
    if (state.pool().proxies().Find(key) == nullptr || Has(skipped_proxies_, key.value())) continue;
    if (Has(seen_proxies_, key.value()) || !IsSettled(state, feed, key)) continue;
    Add(Difference::Kind::kProxy, state.pool().proxy(key).spec->proxy_id.value(), "row", "there", "none");
  }
  if (next_address_ < end_address_ || next_proxy_ < end_proxy_) return;
  feed.Watch(false);
  NextStage();
}

}  // namespace holdfast::pool
