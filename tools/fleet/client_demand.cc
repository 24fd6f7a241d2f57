#include "tools/fleet/client_demand.h"

#include <algorithm>
#include <array>

namespace holdfast::fleet {

namespace wire = controlplane::v1;
using distribution::v1::ExtractRequest;

namespace {

constexpr std::int64_t kHoldLeastMs = 5'000;
constexpr std::int64_t kHoldMostMs = 15'000;
constexpr std::int64_t kRemainingMostSeconds = 600;

void SetMillis(google::protobuf::Duration& duration, std::int64_t millis) {
  duration.set_seconds(millis / 1'000);
  duration.set_nanos(static_cast<std::int32_t>(millis % 1'000) * 1'000'000);
}

}  // namespace

ExtractRequest DrawDemand(Prng& prng, std::uint32_t most, bool held) {
  constexpr std::array kSchemes = {wire::PROXY_SCHEME_HTTP, wire::PROXY_SCHEME_HTTPS, wire::PROXY_SCHEME_SOCKS4,
                                   wire::PROXY_SCHEME_SOCKS5};
  ExtractRequest request;
  request.set_count(static_cast<std::uint32_t>(prng.Between(1, most)));
  request.set_all_or_nothing(prng.Chance(1, 4));
  request.set_resolves_secrets(prng.Chance(1, 2));
  const bool some_schemes = prng.Chance(1, 4);
  const std::uint64_t scheme = prng.Below(kSchemes.size());
  if (some_schemes) {
    request.add_schemes(kSchemes[scheme]);
    request.add_schemes(kSchemes[(scheme + 1) % kSchemes.size()]);
  }
  const bool lasting = prng.Chance(1, 4);
  const std::int64_t remaining_seconds = prng.Between(1, kRemainingMostSeconds);
  if (lasting) request.mutable_min_remaining()->set_seconds(remaining_seconds);
  const bool hold = prng.Chance(1, 2);
  const std::int64_t hold_ms = prng.Between(kHoldLeastMs, kHoldMostMs);
  if (hold || held) SetMillis(*request.mutable_hold(), hold_ms);
  return request;
}

std::vector<std::vector<std::string>> DrawReleases(Prng& prng, const std::vector<std::string>& proxy_ids) {
  const bool in_parts = prng.Chance(1, 3);
  const bool named = prng.Chance(1, 2);
  const auto first = static_cast<std::ptrdiff_t>(prng.Below(proxy_ids.size() + 1));
  const auto middle = proxy_ids.begin() + first;
  if (!in_parts || middle == proxy_ids.begin() || middle == proxy_ids.end()) {
    return {named ? proxy_ids : std::vector<std::string>()};
  }
  return {{proxy_ids.begin(), middle},
          named ? std::vector<std::string>(middle, proxy_ids.end()) : std::vector<std::string>()};
}

}  // namespace holdfast::fleet
