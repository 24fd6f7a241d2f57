// The checksum of a snapshot's content, written out from the published formula and from nothing of the daemon's but
// SHA-256.
//
// Thread: pure.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "controlplane/v1/controlplane.pb.h"

namespace holdfast::server {

// What a worker holds after the updates that it took.
struct HeldContent {
  std::uint64_t epoch = 0;
  std::vector<controlplane::v1::Routing> routings;
  std::map<std::string, controlplane::v1::ProxyGrant> proxies;

  void Take(const controlplane::v1::SnapshotUpdate& update);
  std::string Checksum() const;  // 32 bytes
};

}  // namespace holdfast::server
