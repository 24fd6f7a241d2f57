#include "projections/pool.h"

#include <algorithm>

#include "base/check.h"
#include "events/field_codec.h"

namespace holdfast {
namespace {

Digest HashOf(ProxyKey key, const ProxyRow& row) {
  std::string spec;
  wire::PutStruct(spec, *row.spec);
  RowHasher hash(3);
  hash.Number(key.value()).Text(spec).Number(row.address.value()).Number(static_cast<std::uint64_t>(row.state));
  hash.Number(row.usable).Number(ToMicros(row.expires_at)).Number(ToMicros(row.usable_until));
  return hash.Number(row.import.value()).Number(row.leaving).Finish();
}

}  // namespace

template <class F>
void Pool::Change(ProxyKey key, F&& change) {
  ProxyRow& row = proxies_.At(key);
  digest_.Remove(HashOf(key, row));
  IndexSource(key, row, false);
  const auto timer = [](LogTime time, bool running) { return running ? time : LogTime(); };
  const LogTime unusable = timer(row.usable_until, row.usable);
  const LogTime expired = timer(row.expires_at, row.state != PoolState::kExpired);
  change(row);
  unusable_at_.Move(key, unusable, timer(row.usable_until, row.usable));
  expired_at_.Move(key, expired, timer(row.expires_at, row.state != PoolState::kExpired));
  IndexSource(key, row, true);
  digest_.Add(HashOf(key, row));
}

void Pool::IndexSource(ProxyKey key, const ProxyRow& row, bool present) {
  if (row.spec->source.empty() || row.leaving) return;
  if (present) {
    by_source_[row.spec->source].insert({row.import, key});
  } else if (const auto source = by_source_.find(row.spec->source); source != by_source_.end()) {
    source->second.erase({row.import, key});
    if (source->second.empty()) by_source_.erase(source);
  }
}

void Pool::Apply(const ProxyAdded& event, const EntryPoint&) {
  HOLDFAST_CHECK(event.proxy == next_proxy_);
  next_proxy_ = Next(next_proxy_);
  const ProxySpec& spec = *event.spec;
  if (event.new_address) {
    HOLDFAST_CHECK(event.address == next_address_);
    next_address_ = Next(next_address_);
    AddressRow& address = addresses_.Insert(event.address, AddressRow{});
    address.text = AddressText(spec.endpoint.host, spec.endpoint.port, spec.secret_ref);
    by_text_.Insert(address.text, event.address);
  }
  addresses_.At(event.address).proxies.push_back(event.proxy);
  by_id_.Insert(spec.proxy_id.value(), event.proxy);
  ProxyRow row{event.spec,   event.address,   event.state,
               true,         spec.expires_at, spec.usable_until,
               event.import, false,           RemovalReason::kUnspecified};
  unusable_at_.Move(event.proxy, LogTime(), row.usable_until);
  expired_at_.Move(event.proxy, LogTime(), row.expires_at);
  digest_.Add(HashOf(event.proxy, row));
  IndexSource(event.proxy, row, true);
  proxies_.Insert(event.proxy, std::move(row));
}

void Pool::Apply(const ProxyUpdated& event, const EntryPoint&) {
  Change(event.proxy, [&](ProxyRow& row) {
    row.spec = event.spec;
    row.expires_at = event.spec->expires_at;
    row.usable_until = event.spec->usable_until;
    row.import = event.import;
    row.usable = true;
    row.leaving = false;
    if (row.state == PoolState::kExpired) row.state = event.revived;
  });
}

void Pool::Apply(const ProxiesNamed& event, const EntryPoint&) {
  for (const ProxyKey key : event.proxies) {
    Change(key, [&](ProxyRow& row) {
      row.import = event.import;
      if (IsAbsent(event.expires_at)) return;
      row.expires_at = event.expires_at;
      row.usable_until = event.usable_until;
      row.usable = true;
      if (row.state == PoolState::kExpired) row.state = event.revived;
    });
  }
}

void Pool::Apply(const ProxyUnusable& event, const EntryPoint&) {
  Change(event.proxy, [](ProxyRow& row) { row.usable = false; });
}

void Pool::Apply(const ProxyExpired& event, const EntryPoint&) {
  Change(event.proxy, [](ProxyRow& row) {
    row.usable = false;
    row.state = PoolState::kExpired;
  });
}

void Pool::Apply(const ProxyStateChanged& event, const EntryPoint&) {
  Change(event.proxy, [&](ProxyRow& row) {
    HOLDFAST_CHECK(row.state != PoolState::kExpired);
    row.state = event.state;
  });
}

void Pool::Apply(const ProxyLeaving& event, const EntryPoint&) {
  Change(event.proxy, [&](ProxyRow& row) {
    row.leaving = true;
    row.leaving_because = event.reason;
  });
}

void Pool::Apply(const ProxyRemoved& event, const EntryPoint&) {
  // Its timers stop and its index rows go with the row.
  Change(event.proxy, [](ProxyRow& row) {
    row.usable = false;
    row.state = PoolState::kExpired;
  });
  const ProxyRow& row = proxies_.At(event.proxy);
  digest_.Remove(HashOf(event.proxy, row));
  IndexSource(event.proxy, row, false);
  std::vector<ProxyKey>& siblings = addresses_.At(row.address).proxies;
  siblings.erase(std::find(siblings.begin(), siblings.end(), event.proxy));
  if (by_id_.Find(row.spec->proxy_id.value()) == event.proxy) by_id_.Erase(row.spec->proxy_id.value());
  proxies_.Erase(event.proxy);
}

void Pool::Apply(const AddressRetired& event, const EntryPoint&) {
  const AddressRow& row = addresses_.At(event.address);
  HOLDFAST_CHECK(row.proxies.empty());
  by_text_.Erase(row.text);
  addresses_.Erase(event.address);
}

std::vector<ProxyKey> Pool::NotNamed(const std::string& source, Sequence import, std::size_t limit) const {
  std::vector<ProxyKey> keys;
  const auto found = by_source_.find(source);
  if (found == by_source_.end()) return keys;
  for (const auto& [last_import, key] : found->second) {
    if (last_import >= import || keys.size() == limit) break;
    keys.push_back(key);
  }
  return keys;
}

}  // namespace holdfast
