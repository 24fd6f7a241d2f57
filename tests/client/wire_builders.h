// Messages as a controller would make them, and the checksum that belongs to them, for the tests of the client.

#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "client/call_result.h"
#include "client/client_time.h"
#include "client/snapshot_checksum.h"
#include "controlplane/v1/controlplane.pb.h"

namespace holdfast::client {

namespace wire = controlplane::v1;

// Log time in the tests, in seconds since an arbitrary zero far from any real clock.
inline LogTime At(std::int64_t seconds) { return LogTimeFromMicros(1'000'000'000'000'000 + seconds * 1'000'000); }

inline void SetTime(google::protobuf::Timestamp& time, LogTime value) {
  time.set_seconds(ToMicros(value) / 1'000'000);
  time.set_nanos(static_cast<std::int32_t>(ToMicros(value) % 1'000'000) * 1'000);
}

inline wire::ProxyGrant Grant(const std::string& id, wire::GrantState state = wire::GRANT_STATE_ACTIVE,
                              std::int64_t usable_until = 3'000, std::int64_t expires_at = 3'600) {
  wire::ProxyGrant grant;
  grant.set_proxy_id(id);
  grant.mutable_endpoint()->set_scheme(wire::PROXY_SCHEME_SOCKS5);
  grant.mutable_endpoint()->set_host("192.0.2.1");
  grant.mutable_endpoint()->set_port(1080);
  grant.set_capacity(2);
  SetTime(*grant.mutable_expires_at(), At(expires_at));
  SetTime(*grant.mutable_usable_until(), At(usable_until));
  grant.set_state(state);
  return grant;
}

inline std::string ChecksumOf(std::uint64_t epoch, const std::vector<wire::Routing>& routings,
                              const std::vector<wire::ProxyGrant>& grants) {
  std::vector<Hash256> hashes;
  for (const wire::Routing& routing : routings) hashes.push_back(HashRouting(routing));
  HashSum sum;
  for (const wire::ProxyGrant& grant : grants) sum.Add(HashGrant(grant));
  return ContentChecksum(epoch, hashes, grants.size(), sum);
}

inline wire::SnapshotUpdate Full(std::uint64_t epoch, std::uint64_t version, std::int64_t valid_until,
                                 const std::vector<wire::ProxyGrant>& grants,
                                 const std::vector<wire::Routing>& routings = {}) {
  wire::SnapshotUpdate update;
  wire::WorkerSnapshot& full = *update.mutable_full();
  full.set_version(version);
  full.set_ownership_epoch(epoch);
  SetTime(*full.mutable_valid_until(), At(valid_until));
  for (const wire::ProxyGrant& grant : grants) *full.add_proxies() = grant;
  for (const wire::Routing& routing : routings) *full.add_routings() = routing;
  full.set_checksum(ChecksumOf(epoch, routings, grants));
  return update;
}

// `after`: the whole content after the delta, for its checksum.
inline wire::SnapshotUpdate Delta(std::uint64_t epoch, std::uint64_t base, std::uint64_t version,
                                  std::int64_t valid_until, const std::vector<wire::ProxyGrant>& upserted,
                                  const std::vector<std::string>& removed, const std::vector<wire::ProxyGrant>& after,
                                  const std::vector<wire::Routing>& routings_after = {}) {
  wire::SnapshotUpdate update;
  wire::SnapshotDelta& delta = *update.mutable_delta();
  delta.set_base_version(base);
  delta.set_version(version);
  delta.set_ownership_epoch(epoch);
  SetTime(*delta.mutable_valid_until(), At(valid_until));
  for (const wire::ProxyGrant& grant : upserted) *delta.add_upserted() = grant;
  for (const std::string& id : removed) delta.add_removed_proxy_ids(id);
  delta.set_checksum(ChecksumOf(epoch, routings_after, after));
  return update;
}

inline CallResult Refusal(absl::StatusCode code, wire::RejectReason reason, std::int64_t retry_after_seconds = -1) {
  CallResult result;
  result.code = code;
  result.detail.emplace();
  result.detail->set_reason(reason);
  result.detail->set_message("said by the test");
  if (retry_after_seconds >= 0) result.detail->mutable_retry_after()->set_seconds(retry_after_seconds);
  return result;
}

inline CallResult Failure(wire::RejectReason reason) { return Refusal(absl::StatusCode::kFailedPrecondition, reason); }

inline CallResult Unreachable() { return {.code = absl::StatusCode::kUnavailable, .message = "no route"}; }

// Counts up, so that every id is another one and every jitter is known.
class CountingRandom : public RandomSource {
 public:
  void Fill(std::span<std::uint8_t> bytes) override {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(++count_);
  }

 private:
  std::uint64_t count_ = 0;
};

}  // namespace holdfast::client
