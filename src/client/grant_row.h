// One granted proxy as the views share it: immutable, copied between views by pointer.
//
// Built by the client's thread, read by any. Its slot is shared by every row of the same proxy_id.

#pragma once

#include <memory>
#include <string>

#include "client/client_time.h"
#include "client/slot.h"
#include "client/snapshot_checksum.h"

namespace holdfast::client {

enum class GrantUse : std::uint8_t {
  kCandidate,     // ACTIVE, known scheme
  kLastResort,    // SUSPECT: only where no candidate serves
  kFinishOnly,    // DRAINING
  kNone,          // HELD: an earlier instance may still be using it
  kNotUnderstood  // unknown state or scheme, no endpoint: counted, never used
};

struct GrantRow {
  controlplane::v1::ProxyGrant grant;
  Hash256 hash{};
  LogTime expires_at;    // 0: absent, so over at once
  LogTime usable_until;  // no new reservation from here on
  GrantUse use = GrantUse::kNotUnderstood;
  std::shared_ptr<Slot> slot;

  const std::string& id() const { return grant.proxy_id(); }
  bool MayReserve() const { return use == GrantUse::kCandidate || use == GrantUse::kLastResort; }
  // Listed other than as HELD: what runs may run on, up to this listing's end.
  bool ExtendsUse() const { return MayReserve() || use == GrantUse::kFinishOnly; }
};

using GrantRowPointer = std::shared_ptr<const GrantRow>;

}  // namespace holdfast::client
