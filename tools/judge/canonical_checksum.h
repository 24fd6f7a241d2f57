// The snapshot checksum of protocol version 1, computed by the judge's own code from the documented formula.
//
// Shares nothing with the client's or the controller's computation: a mistake in one of them must not be a mistake in
// all. Pure; any thread.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "controlplane/v1/controlplane.pb.h"

namespace holdfast::judge {

// A 256-bit number, least significant byte first.
using Number256 = std::array<std::uint8_t, 32>;

Number256 RoutingDigest(const controlplane::v1::Routing& routing);
Number256 ProxyDigest(const controlplane::v1::ProxyGrant& grant);

// sum + addend modulo 2^256.
Number256 Plus(const Number256& sum, const Number256& addend);

// 32 bytes, of the whole content.
std::string SnapshotDigest(std::uint64_t epoch, const std::vector<Number256>& routings, std::uint64_t proxy_count,
                           const Number256& proxy_sum);

// Lower-case hexadecimal digits, for messages.
std::string Hex(const std::string& bytes);

}  // namespace holdfast::judge
