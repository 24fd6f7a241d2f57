// The size that a grant is reckoned with is never below what it takes on the wire.

#include <gtest/gtest.h>

#include "controller/proto_time.h"
#include "controlplane/v1/controlplane.pb.h"
#include "projections/snapshots.h"
#include "tests/events/seeded_random.h"

namespace holdfast::testing {
namespace {

Grant RandomGrant(SeededRandom& random) {
  const auto text = [&](std::size_t most) { return std::string(random.Below(most + 1), 'x'); };
  ProxySpec spec;
  spec.proxy_id = ProxyId(text(1024));
  spec.endpoint = {Scheme::kSocks5h, text(253), static_cast<std::uint16_t>(random.Number())};
  spec.secret_ref = text(128);
  spec.capacity = static_cast<std::uint32_t>(random.Number());
  for (std::uint64_t i = 0; i < random.Below(33); ++i) spec.labels.emplace(std::to_string(i) + text(250), text(256));
  std::vector<std::string> unhealthy;
  for (std::uint64_t i = 0; i < random.Below(5); ++i) unhealthy.push_back(text(128));
  const LogTime last = LogTimeFromMicros(253'402'300'799'999'999);
  return {Boxed<ProxySpec>(std::move(spec)),
          AddressKey(1),
          last,
          last,
          GrantState::kHeld,
          Boxed<std::vector<std::string>>(std::move(unhealthy))};
}

std::size_t BytesOnTheWire(const Grant& grant) {
  controlplane::v1::WorkerSnapshot snapshot;
  controlplane::v1::ProxyGrant& out = *snapshot.add_proxies();
  out.set_proxy_id(grant.spec->proxy_id.value());
  for (const std::string& routing : *grant.unhealthy_routings) out.add_unhealthy_routing_ids(routing);
  out.mutable_endpoint()->set_scheme(static_cast<controlplane::v1::ProxyScheme>(grant.spec->endpoint.scheme));
  out.mutable_endpoint()->set_host(grant.spec->endpoint.host);
  out.mutable_endpoint()->set_port(grant.spec->endpoint.port);
  out.set_capacity(grant.spec->capacity);
  PutTime(grant.expires_at, out.mutable_expires_at());
  PutTime(grant.usable_until, out.mutable_usable_until());
  out.set_secret_ref(grant.spec->secret_ref);
  out.set_state(static_cast<controlplane::v1::GrantState>(grant.state));
  for (const auto& [key, value] : grant.spec->labels) (*out.mutable_labels())[key] = value;
  return snapshot.ByteSizeLong();
}

TEST(GrantBytes, TheyAreAnUpperBoundOfTheMessage) {
  SeededRandom random(23);
  for (int i = 0; i < 2'000; ++i) {
    const Grant grant = RandomGrant(random);

    ASSERT_GE(GrantBytes(grant), BytesOnTheWire(grant));
    ASSERT_LE(GrantBytes(grant), BytesOnTheWire(grant) + 64 + 12 * grant.spec->labels.size());
  }
}

}  // namespace
}  // namespace holdfast::testing
