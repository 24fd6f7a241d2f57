#include "client/snapshot_update.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace holdfast::client {
namespace {

using controlplane::v1::ProxyGrant;
using controlplane::v1::SnapshotDelta;
using controlplane::v1::SnapshotUpdate;
using controlplane::v1::WorkerSnapshot;
namespace wire = controlplane::v1;

constexpr std::size_t kProxyIdBytesMax = 1'024;

struct Problem {
  wire::SnapshotRefusal refusal;
  std::string detail;
};
using MaybeProblem = std::optional<Problem>;

GrantUse UseOf(const ProxyGrant& grant) {
  const int scheme = grant.endpoint().scheme();
  if (!grant.has_endpoint() || scheme < wire::PROXY_SCHEME_HTTP || scheme > wire::PROXY_SCHEME_SOCKS5H) {
    return GrantUse::kNotUnderstood;
  }
  switch (grant.state()) {
    case wire::GRANT_STATE_ACTIVE:
      return GrantUse::kCandidate;
    case wire::GRANT_STATE_SUSPECT:
      return GrantUse::kLastResort;
    case wire::GRANT_STATE_DRAINING:
      return GrantUse::kFinishOnly;
    case wire::GRANT_STATE_HELD:
      return GrantUse::kNone;
    default:
      return GrantUse::kNotUnderstood;
  }
}

// What full and delta have in common.
template <class Update>
MaybeProblem CheckHead(const Update& update, const UpdateContext& context, BootTime now) {
  if (!update.has_valid_until()) return Problem{wire::SNAPSHOT_REFUSAL_MALFORMED, "valid_until is absent"};
  const std::optional<LogTime> valid_until = LogTimeFrom(update.valid_until());
  if (!valid_until) {
    return Problem{wire::SNAPSHOT_REFUSAL_MALFORMED, "valid_until is not a time of whole microseconds below 2^53"};
  }
  if (update.ownership_epoch() != context.ownership_epoch) {
    return Problem{wire::SNAPSHOT_REFUSAL_MALFORMED, absl::StrCat("ownership_epoch ", update.ownership_epoch(),
                                                                  " is not the session's ", context.ownership_epoch)};
  }
  if (HighWater{update.ownership_epoch(), update.version()} <= context.high_water) {
    return Problem{wire::SNAPSHOT_REFUSAL_BASE_VERSION,
                   absl::StrCat("(epoch, version) (", update.ownership_epoch(), ", ", update.version(),
                                ") is not above (", context.high_water.ownership_epoch, ", ",
                                context.high_water.version, "), which this process has taken")};
  }
  if (context.clock->IsOver(*valid_until, now)) {
    return Problem{wire::SNAPSHOT_REFUSAL_EXPIRED,
                   absl::StrCat("valid_until ", ToMicros(*valid_until), " µs is not ahead: log time may be ",
                                context.clock->has_sample() ? ToMicros(context.clock->Latest(now)) : 0, " µs")};
  }
  return std::nullopt;
}

template <class Grants>
MaybeProblem CheckGrants(const Grants& grants, std::string_view field) {
  std::string_view previous;
  for (int i = 0; i < grants.size(); ++i) {
    const ProxyGrant& grant = grants.Get(i);
    const std::string place = absl::StrCat(std::string(field), "[", i, "].");
    if (grant.proxy_id().empty() || grant.proxy_id().size() > kProxyIdBytesMax) {
      return Problem{wire::SNAPSHOT_REFUSAL_MALFORMED, absl::StrCat(place, "proxy_id is empty or over 1,024 bytes")};
    }
    if (i > 0 && previous >= std::string_view(grant.proxy_id())) {
      return Problem{wire::SNAPSHOT_REFUSAL_MALFORMED, absl::StrCat(place, "proxy_id does not ascend")};
    }
    if ((grant.has_expires_at() && !LogTimeFrom(grant.expires_at())) ||
        (grant.has_usable_until() && !LogTimeFrom(grant.usable_until()))) {
      return Problem{wire::SNAPSHOT_REFUSAL_MALFORMED, absl::StrCat(place, "expires_at or usable_until is no time")};
    }
    previous = grant.proxy_id();
  }
  return std::nullopt;
}

MaybeProblem CheckBase(const SnapshotDelta& delta, const UpdateContext& context) {
  const bool held = context.held && context.held->session_id == context.session_id;
  if (held && context.held->version == delta.base_version()) return std::nullopt;
  return Problem{wire::SNAPSHOT_REFUSAL_BASE_VERSION,
                 absl::StrCat("base_version ", delta.base_version(), " is not what this session holds: ",
                              held ? absl::StrCat("version ", context.held->version) : std::string("nothing"))};
}

MaybeProblem CheckRemoved(const SnapshotDelta& delta) {
  std::unordered_set<std::string_view> upserted;
  for (const ProxyGrant& grant : delta.upserted()) upserted.insert(grant.proxy_id());
  for (int i = 0; i < delta.removed_proxy_ids_size(); ++i) {
    if (upserted.contains(delta.removed_proxy_ids(i))) {
      return Problem{wire::SNAPSHOT_REFUSAL_MALFORMED,
                     absl::StrCat("removed_proxy_ids[", i, "] is upserted by the same delta")};
    }
  }
  return std::nullopt;
}

GrantRowPointer MakeRow(const ProxyGrant& grant, SlotRegistry& slots) {
  auto row = std::make_shared<GrantRow>();
  row->grant = grant;
  row->hash = HashGrant(grant);
  row->expires_at = LogTimeFrom(grant.expires_at()).value_or(LogTime());
  row->usable_until = LogTimeFrom(grant.usable_until()).value_or(LogTime());
  row->use = UseOf(grant);
  row->slot = slots.Get(grant.proxy_id());
  return row;
}

template <class Routings>
std::shared_ptr<const RoutingTable> MakeRoutings(const Routings& routings) {
  auto table = std::make_shared<RoutingTable>();
  table->routings.assign(routings.begin(), routings.end());
  for (const wire::Routing& routing : table->routings) table->hashes.push_back(HashRouting(routing));
  return table;
}

template <class Update>
std::shared_ptr<SnapshotView> MakeView(const Update& update, const UpdateContext& context, BootTime now) {
  auto view = std::make_shared<SnapshotView>();
  view->session_id = context.session_id;
  view->version = update.version();
  view->ownership_epoch = update.ownership_epoch();
  view->valid_until = LogTimeFrom(update.valid_until()).value_or(LogTime());
  view->partial = update.partial();
  view->clock = context.clock;
  view->stale_at = now + context.max_stale_age;
  return view;
}

// The last checks, of the content as it is after the update.
std::optional<UpdateRefused> CheckContent(SnapshotView& view, const std::string& stated, const UpdateContext& context) {
  if (context.max_proxies != 0 && view.grants->size() > context.max_proxies) {
    return UpdateRefused{.version = view.version,
                         .refusal = wire::SNAPSHOT_REFUSAL_TOO_LARGE,
                         .detail = absl::StrCat(view.grants->size(), " proxies, at most ", context.max_proxies)};
  }
  view.checksum = ContentChecksum(view.ownership_epoch, view.routings->hashes, view.grants->size(), view.grants->sum());
  if (view.checksum == stated) return std::nullopt;
  return UpdateRefused{.version = view.version,
                       .refusal = wire::SNAPSHOT_REFUSAL_CHECKSUM,
                       .detail = absl::StrCat("checksum of ", view.grants->size(), " proxies and ",
                                              view.routings->hashes.size(), " routings does not fit"),
                       .computed_checksum = view.checksum};
}

UpdateRefused Refuse(std::uint64_t version, Problem problem) {
  return {.version = version, .refusal = problem.refusal, .detail = std::move(problem.detail)};
}

std::variant<UpdateTaken, UpdateRefused> TakeFull(const WorkerSnapshot& full, const UpdateContext& context,
                                                  BootTime now) {
  if (MaybeProblem problem = CheckHead(full, context, now)) return Refuse(full.version(), *std::move(problem));
  if (MaybeProblem problem = CheckGrants(full.proxies(), "proxies")) return Refuse(full.version(), *std::move(problem));

  UpdateTaken taken;
  GrantTableBuilder builder{GrantTable()};
  for (const ProxyGrant& grant : full.proxies()) {
    taken.listed.push_back(MakeRow(grant, *context.slots));
    builder.Upsert(taken.listed.back());
  }
  auto view = MakeView(full, context, now);
  view->grants = builder.Build();
  view->routings = MakeRoutings(full.routings());
  if (auto refused = CheckContent(*view, full.checksum(), context)) return *std::move(refused);

  if (context.held) {
    context.held->grants->ForEach([&](const GrantRowPointer& row) {
      if (!view->grants->Find(row->id())) taken.unlisted.push_back(row);
    });
  }
  taken.view = std::move(view);
  return taken;
}

std::variant<UpdateTaken, UpdateRefused> TakeDelta(const SnapshotDelta& delta, const UpdateContext& context,
                                                   BootTime now) {
  MaybeProblem problem = CheckHead(delta, context, now);
  if (!problem) problem = CheckBase(delta, context);
  if (!problem) problem = CheckGrants(delta.upserted(), "upserted");
  if (!problem) problem = CheckRemoved(delta);
  if (problem) return Refuse(delta.version(), *std::move(problem));

  UpdateTaken taken;
  const bool changes = delta.upserted_size() != 0 || delta.removed_proxy_ids_size() != 0;
  taken.kind = changes || delta.has_routings() ? UpdateTaken::Kind::kDelta : UpdateTaken::Kind::kRenewal;
  auto view = MakeView(delta, context, now);
  view->grants = context.held->grants;
  if (changes) {
    GrantTableBuilder builder(*context.held->grants);
    for (const ProxyGrant& grant : delta.upserted()) {
      taken.listed.push_back(MakeRow(grant, *context.slots));
      builder.Upsert(taken.listed.back());
    }
    for (const std::string& proxy_id : delta.removed_proxy_ids()) {
      if (GrantRowPointer row = context.held->grants->FindShared(proxy_id)) taken.unlisted.push_back(std::move(row));
      builder.Remove(proxy_id);
    }
    view->grants = builder.Build();
  }
  view->routings = delta.has_routings() ? MakeRoutings(delta.routings().routings()) : context.held->routings;
  if (auto refused = CheckContent(*view, delta.checksum(), context)) return *std::move(refused);
  taken.view = std::move(view);
  return taken;
}

}  // namespace

std::variant<UpdateTaken, UpdateRefused> TakeUpdate(const SnapshotUpdate& update, const UpdateContext& context,
                                                    BootTime now) {
  return update.has_full() ? TakeFull(update.full(), context, now) : TakeDelta(update.delta(), context, now);
}

}  // namespace holdfast::client
