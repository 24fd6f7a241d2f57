// The pool: which proxies there are, on which address each stands, and until when it may be used.
//
// Thread: the state's owner. Covers neither who holds an address (ownership.h) nor what checkers say (health.h).
// Guarantees: at most one proxy per (address, scheme); a proxy's endpoint and secret_ref never change under its key.

#pragma once

#include <absl/container/btree_set.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/health_events.h"
#include "events/pool_events.h"
#include "projections/deadline_index.h"
#include "projections/projection.h"
#include "projections/row_table.h"
#include "projections/text_index.h"

namespace holdfast {

struct ProxyRow {
  Boxed<ProxySpec> spec;  // its times are those of the import; the current ones stand beside it
  AddressKey address;
  PoolState state{};
  bool usable = true;  // usable_until has not passed
  LogTime expires_at;
  LogTime usable_until;
  Sequence import;       // that named it last
  bool leaving = false;  // removed while its address was held: it leaves with the hold, unless it is imported again
  RemovalReason leaving_because{};
};

struct AddressRow {
  std::string text;  // host:port, with the secret_ref before @
  std::vector<ProxyKey> proxies;
};

class Pool {
 public:
  static constexpr std::uint32_t kVersion = 2;

  void Apply(const ProxyAdded& event, const EntryPoint& entry);
  void Apply(const ProxyUpdated& event, const EntryPoint& entry);
  void Apply(const ProxiesNamed& event, const EntryPoint& entry);
  void Apply(const ProxyUnusable& event, const EntryPoint& entry);
  void Apply(const ProxyExpired& event, const EntryPoint& entry);
  void Apply(const ProxyStateChanged& event, const EntryPoint& entry);
  void Apply(const ProxyLeaving& event, const EntryPoint& entry);
  void Apply(const ProxyRemoved& event, const EntryPoint& entry);
  void Apply(const AddressRetired& event, const EntryPoint& entry);

  // 0: not there.
  ProxyKey FindProxy(std::string_view proxy_id) const { return by_id_.Find(proxy_id); }
  AddressKey FindAddress(std::string_view text) const { return by_text_.Find(text); }

  const ProxyRow& proxy(ProxyKey key) const { return proxies_.At(key); }
  const AddressRow& address(AddressKey key) const { return addresses_.At(key); }
  const RowTable<ProxyKey, ProxyRow>& proxies() const { return proxies_; }
  const RowTable<AddressKey, AddressRow>& addresses() const { return addresses_; }
  ProxyKey next_proxy() const { return next_proxy_; }
  AddressKey next_address() const { return next_address_; }

  const DeadlineIndex<ProxyKey>& unusable_at() const { return unusable_at_; }
  const DeadlineIndex<ProxyKey>& expired_at() const { return expired_at_; }

  // Proxies of a source that this import did not name, at most `limit`, in the order of their last import.
  std::vector<ProxyKey> NotNamed(const std::string& source, Sequence import, std::size_t limit) const;

  Digest digest() const { return digest_; }

 private:
  template <class F>
  void Change(ProxyKey key, F&& change);
  void IndexSource(ProxyKey key, const ProxyRow& row, bool present);

  RowTable<ProxyKey, ProxyRow> proxies_;
  RowTable<AddressKey, AddressRow> addresses_;
  TextIndex<ProxyKey> by_id_;
  TextIndex<AddressKey> by_text_;
  std::map<std::string, absl::btree_set<std::pair<Sequence, ProxyKey>>> by_source_;
  DeadlineIndex<ProxyKey> unusable_at_;
  DeadlineIndex<ProxyKey> expired_at_;
  ProxyKey next_proxy_{1};
  AddressKey next_address_{1};
  Digest digest_;
};

}  // namespace holdfast
