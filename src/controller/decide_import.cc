// What enters the pool and what leaves it at an operator's word. Contract: "Operators, clients, auditors";
// ownership.md: removal never ends a hold.

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "controller/decide.h"
#include "controller/import_item.h"
#include "controller/removal.h"
#include "controller/rule_constant.h"
#include "controller/validate_text.h"

namespace holdfast {
namespace {

using admin::v1::ImportProxiesResponse;
using admin::v1::RemoveProxiesResponse;

// While nobody checks, what is imported may be used.
constexpr PoolState kTrusted = RuleConstant(PoolState::kAvailable, PoolState::kSuspect);
constexpr std::uint32_t kMostRemovals = 10'000;  // of one decision
constexpr std::size_t kNamedBytes = 128;         // of another proxy's id in a refusal

// A proxy as it stands after the items so far.
struct Standing {
  ProxyKey key;
  AddressKey address;
  Boxed<ProxySpec> spec;  // its times are those of the import
  LogTime expires_at;
  LogTime usable_until;
  Sequence import;
  bool leaving = false;  // removed, and here again
};

bool SameAddress(const ProxySpec& a, const ProxySpec& b) {
  return a.endpoint == b.endpoint && a.secret_ref == b.secret_ref;
}

// Takes the items of one batch in order; each sees those before it.
class ImportBatch {
 public:
  ImportBatch(const ControllerState& state, const log::v1::ImportProxies& input, const DecisionPoint& point)
      : state_(state), pool_(state.pool()), input_(input), point_(point), removals_(state) {
    import_ = input.import() != 0 ? Sequence(input.import()) : point.sequence;
    next_proxy_ = pool_.next_proxy();
    next_address_ = pool_.next_address();
    imported_state_ = state.settings().trust_unchecked ? kTrusted : PoolState::kPending;
    reply_.set_first_index(input.first_index());
    reply_.set_count(static_cast<std::uint64_t>(input.request().proxies_size()));
    reply_.set_log_sequence(point.sequence.value());
  }

  Decision Run() {
    std::uint64_t index = input_.first_index();
    for (const admin::v1::ProxySpec& item : input_.request().proxies()) Take(index++, item);
    PutNamed(false);
    PutNamed(true);
    removals_.Finish(RevokeReason::kEndpointChanged, point_.now, point_.principal, events_);
    return {std::move(events_), std::move(reply_)};
  }

 private:
  void Take(std::uint64_t index, const admin::v1::ProxySpec& proxy) {
    ImportItem item = ReadImportItem(proxy, state_.settings(), point_.now);
    if (item.rejection) return Refuse(index, item.identity, std::move(*item.rejection));
    const std::optional<Standing> known = Find(item.identity);
    if (known && SameAddress(*known->spec, item.spec)) return Refresh(*known, std::move(item));
    if (mentioned_.contains(item.identity)) {
      return Refuse(index, item.identity,
                    {admin::v1::IMPORT_REASON_MALFORMED,
                     "proxy_id stands for another endpoint or secret_ref earlier in this batch; name it once"});
    }
    if (const std::optional<ProxyId> other = Occupant(item.spec)) {
      return Refuse(index, item.identity,
                    {admin::v1::IMPORT_REASON_DUPLICATE_ENDPOINT,
                     "proxy_id " + std::string(CutUtf8(other->value(), kNamedBytes)) +
                         " stands for this scheme, host, port and secret_ref; use that id, or remove it first"});
    }
    if (known && IsExtracted(known->address)) {
      return Refuse(
          index, item.identity,
          {admin::v1::IMPORT_REASON_MALFORMED,
           "a client has the machine that this proxy_id stands for; its endpoint can change when that is over"});
    }
    const AddressKey before = InUseUnder(item.identity, known);
    if (known) Leave(*known);
    Add(std::move(item.spec), before);
    known ? reply_.set_updated(reply_.updated() + 1) : reply_.set_added(reply_.added() + 1);
  }

  std::optional<Standing> Find(const std::string& proxy_id) const {
    if (const auto found = mentioned_.find(proxy_id); found != mentioned_.end()) return found->second;
    const ProxyKey key = pool_.FindProxy(proxy_id);
    if (key.value() == 0) return std::nullopt;
    const ProxyRow& row = pool_.proxy(key);
    return Standing{key, row.address, row.spec, row.expires_at, row.usable_until, row.import, row.leaving};
  }

  // Whose endpoint, with this secret_ref, it is already.
  std::optional<ProxyId> Occupant(const ProxySpec& spec) const {
    const std::string text = AddressText(spec.endpoint.host, spec.endpoint.port, spec.secret_ref);
    const auto added = added_.find({text, spec.endpoint.scheme});
    if (added != added_.end()) return added->second;
    const AddressKey address = pool_.FindAddress(text);
    if (address.value() == 0) return std::nullopt;
    for (const ProxyKey key : pool_.address(address).proxies) {
      const ProxySpec& standing = *pool_.proxy(key).spec;
      if (standing.endpoint.scheme == spec.endpoint.scheme && !removals_.removed(key)) return standing.proxy_id;
    }
    return std::nullopt;
  }

  // By a client, or as good as.
  bool IsExtracted(AddressKey address) const {
    if (pool_.addresses().Find(address) == nullptr) return false;  // added by this batch
    return state_.ownership().hold(address).extraction.value() != 0;
  }

  // Where somebody may still be using what this id stood for: workers keep their bounds by id, so listed elsewhere it
  // would keep alive what runs through the old endpoint. 0: nowhere.
  AddressKey InUseUnder(const std::string& proxy_id, const std::optional<Standing>& known) const {
    const AddressKey moved_from = state_.ownership().moved_from(proxy_id);
    if (moved_from.value() != 0 || !known) return moved_from;
    const HoldRow& hold = state_.ownership().hold(known->address);
    return hold.state == OwnershipState::kUnowned ? AddressKey() : known->address;
  }

  // A changed endpoint is never edited in place: the old proxy goes, and its address is asked back.
  void Leave(const Standing& known) {
    removals_.Replace(known.key, events_);
    named_.erase(known.key);
  }

  void Add(ProxySpec spec, AddressKey waits_for) {
    const std::string text = AddressText(spec.endpoint.host, spec.endpoint.port, spec.secret_ref);
    ProxyAdded added;
    added.proxy = next_proxy_;
    next_proxy_ = Next(next_proxy_);
    added.address = AddressOf(text, added.new_address);
    added.spec = Boxed<ProxySpec>(std::move(spec));
    added.state = imported_state_;
    added.import = import_;
    added.waits_for = waits_for;
    removals_.Keep(added.address, added.state == PoolState::kAvailable);
    added_.emplace(std::pair(text, added.spec->endpoint.scheme), added.spec->proxy_id);
    mentioned_.insert_or_assign(added.spec->proxy_id.value(),
                                Standing{added.proxy, added.address, added.spec, added.spec->expires_at,
                                         added.spec->usable_until, import_, false});
    events_.emplace_back(std::move(added));
  }

  // An address that is still held, or that siblings stand on, is joined.
  AddressKey AddressOf(const std::string& text, bool& is_new) {
    is_new = false;
    if (const auto found = new_addresses_.find(text); found != new_addresses_.end()) return found->second;
    if (const AddressKey known = pool_.FindAddress(text); known.value() != 0) return known;
    is_new = true;
    new_addresses_.emplace(text, next_address_);
    return std::exchange(next_address_, Next(next_address_));
  }

  // The same proxy again: changed, or only named, with its lifetime renewed where the item names none.
  void Refresh(Standing known, ImportItem item) {
    const ProxySpec& before = *known.spec;
    const bool times_differ =
        !item.renews && (item.spec.expires_at != known.expires_at || item.spec.usable_until != known.usable_until);
    const bool differs = known.leaving || times_differ || item.spec.capacity != before.capacity ||
                         item.spec.labels != before.labels || item.spec.zone != before.zone ||
                         item.spec.source != before.source;
    const bool renewed = item.renews && item.spec.expires_at != known.expires_at;
    if (differs) {
      known.spec = Boxed<ProxySpec>(item.spec);
      events_.emplace_back(ProxyUpdated{known.key, known.spec, import_, imported_state_});
      named_.erase(known.key);
      reply_.set_updated(reply_.updated() + 1);
    } else {
      Name(known, renewed);
      reply_.set_unchanged(reply_.unchanged() + 1);
    }
    if (differs || renewed) {
      known.expires_at = item.spec.expires_at;
      known.usable_until = item.spec.usable_until;
    }
    known.import = import_;
    known.leaving = false;
    mentioned_.insert_or_assign(std::move(item.identity), std::move(known));
  }

  void Name(const Standing& known, bool renewed) {
    if (!renewed && known.import == import_) return;
    bool& renewed_before = named_[known.key];
    renewed_before = renewed_before || renewed;
  }

  // What was refused is still there, as far as a replacing import is concerned.
  void Refuse(std::uint64_t index, const std::string& identity, ItemRejection rejection) {
    admin::v1::ImportRejection& out = *reply_.add_rejections();
    out.set_index(index);
    out.set_reason(rejection.reason);
    out.set_detail(std::move(rejection.detail));
    reply_.set_rejected(reply_.rejected() + 1);
    if (identity.empty()) return;
    if (const std::optional<Standing> known = Find(identity)) Name(*known, false);
  }

  void PutNamed(bool renewed) {
    ProxiesNamed named;
    for (const auto& [key, renews] : named_) {
      if (renews == renewed) named.proxies.push_back(key);
    }
    if (named.proxies.empty()) return;
    named.import = import_;
    if (renewed) {
      named.expires_at = point_.now + state_.settings().default_lifetime;
      named.usable_until = named.expires_at - state_.settings().allocation_safety_margin;
      named.revived = imported_state_;
    }
    events_.emplace_back(std::move(named));
  }

  const ControllerState& state_;
  const Pool& pool_;
  const log::v1::ImportProxies& input_;
  const DecisionPoint& point_;
  Sequence import_;
  PoolState imported_state_{};
  ProxyKey next_proxy_;
  AddressKey next_address_;
  absl::flat_hash_map<std::string, Standing> mentioned_;  // by id: taken by this batch, in its latest form
  absl::flat_hash_map<std::string, AddressKey> new_addresses_;
  absl::flat_hash_map<std::pair<std::string, Scheme>, ProxyId> added_;  // by address and scheme
  absl::btree_map<ProxyKey, bool> named_;                               // true: renewed
  RemovalPlan removals_;
  std::vector<Event> events_;
  ImportProxiesResponse reply_;
};

}  // namespace

Decision DecideImport(const ControllerState& state, const log::v1::ImportProxies& input, const DecisionPoint& point) {
  return ImportBatch(state, input, point).Run();
}

Decision DecideRemoveUnnamed(const ControllerState& state, const log::v1::RemoveUnnamed& input,
                             const DecisionPoint& point) {
  Decision decision;
  RemovalPlan removals(state);
  const std::uint32_t limit = std::min(input.limit(), kMostRemovals);
  const std::vector<ProxyKey> unnamed = state.pool().NotNamed(input.source(), Sequence(input.import()), limit);
  for (const ProxyKey key : unnamed) removals.Remove(key, RemovalReason::kSourceReplaced);
  removals.Finish(RevokeReason::kRemoval, point.now, point.principal, decision.events);
  ImportProxiesResponse reply;
  reply.set_removed(unnamed.size());
  reply.set_log_sequence(point.sequence.value());
  decision.reply = std::move(reply);
  return decision;
}

Decision DecideRemove(const ControllerState& state, const admin::v1::RemoveProxiesRequest& request,
                      const DecisionPoint& point) {
  Decision decision;
  RemovalPlan removals(state);
  RemoveProxiesResponse reply;
  reply.set_log_sequence(point.sequence.value());
  for (const std::string& proxy_id : request.proxy_ids()) {
    const ProxyKey key = state.pool().FindProxy(proxy_id);
    if (key.value() == 0) {
      reply.add_unknown_proxy_ids(proxy_id);
      continue;
    }
    if (removals.removed(key)) continue;  // named twice
    const HoldRow& hold = state.ownership().hold(state.pool().proxy(key).address);
    const bool held = hold.state != OwnershipState::kUnowned;
    held ? reply.set_draining(reply.draining() + 1) : reply.set_removed(reply.removed() + 1);
    removals.Remove(key, RemovalReason::kOperator);
  }
  removals.Finish(RevokeReason::kRemoval, point.now, point.principal, decision.events);
  decision.reply = std::move(reply);
  return decision;
}

}  // namespace holdfast
