// The canonical checksum of a snapshot's content, protocol version 1 (docs/checksum_vectors.md has the formula).
//
// Called by the snapshot builder and tests, any thread; pure. The proxies enter as a sum of their hashes modulo 2^256,
// so a delta costs its own size. It finds errors; it does not stop forgers. Does not look at protobuf bytes: fields
// are hashed one by one, and a field that version 1 does not know never enters.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "controlplane/v1/controlplane.pb.h"

namespace holdfast::client {

using Hash256 = std::array<std::uint8_t, 32>;

Hash256 HashRouting(const controlplane::v1::Routing& routing);
Hash256 HashGrant(const controlplane::v1::ProxyGrant& grant);

// A sum of hashes as 256-bit little-endian integers modulo 2^256; the order of additions does not matter.
class HashSum {
 public:
  void Add(const Hash256& hash);
  void Subtract(const Hash256& hash);
  Hash256 Bytes() const;
  friend bool operator==(const HashSum&, const HashSum&) = default;

 private:
  std::array<std::uint64_t, 4> words_{};  // least significant first
};

// 32 bytes. `routing_hashes` in match order; `grants` is the sum over all `grant_count` proxies.
std::string ContentChecksum(std::uint64_t ownership_epoch, std::span<const Hash256> routing_hashes,
                            std::uint64_t grant_count, const HashSum& grants);

}  // namespace holdfast::client
