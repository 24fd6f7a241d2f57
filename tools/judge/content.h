// The content of one version as the judge knows it: routings and proxies, by what came over the wire.
//
// Immutable and shared once made; a renewal shares the content of the version before. Pure.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tools/judge/canonical_checksum.h"

namespace holdfast::judge {

struct ListedProxy {
  controlplane::v1::ProxyGrant grant;
  Number256 digest{};
};

struct Content {
  std::map<std::string, std::shared_ptr<const ListedProxy>> proxies;
  std::vector<Number256> routings;
  Number256 proxy_sum{};

  std::string Digest(std::uint64_t epoch) const { return SnapshotDigest(epoch, routings, proxies.size(), proxy_sum); }
};

using ContentPointer = std::shared_ptr<const Content>;

ContentPointer ContentOf(const controlplane::v1::WorkerSnapshot& full);
ContentPointer ContentAfter(const ContentPointer& base, const controlplane::v1::SnapshotDelta& delta);

// host, port and secret_ref: what has one holder at most.
std::string AddressOf(const controlplane::v1::Endpoint& endpoint, const std::string& secret_ref);
std::string AddressOf(const controlplane::v1::ProxyGrant& grant);

}  // namespace holdfast::judge
