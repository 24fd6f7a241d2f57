#include "tools/fleet/proxy_truth.h"

#include <algorithm>
#include <string_view>

#include "tools/fleet/prng.h"

namespace holdfast::fleet {
namespace {

namespace wire = controlplane::v1;

enum Drawn : std::uint64_t { kFate, kDepth, kPhase, kParity, kLatency, kRefuses, kAddress, kRouting, kChanges = 1'000 };

std::uint64_t HashOf(const std::string& text, std::uint64_t hash) {
  constexpr std::uint64_t kFnvPrime = 0x100000001B3ULL;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * kFnvPrime;
  return hash;
}

}  // namespace

bool ProxyTruth::Knows(const std::string& proxy_id) {
  const std::size_t scheme = proxy_id.find("://");
  if (scheme == std::string::npos) return true;
  std::string_view place = std::string_view(proxy_id).substr(scheme + 3);
  place.remove_prefix(place.find('@') == std::string_view::npos ? 0 : place.rfind('@') + 1);
  return !place.starts_with("127.") && !place.starts_with("[::1]") && !place.starts_with("localhost:");
}

std::uint64_t ProxyTruth::Draw(const std::string& proxy_id, std::uint64_t what) const {
  Prng seeded(settings_.seed + what);
  return Prng(HashOf(proxy_id, seeded.Next())).Next();
}

double ProxyTruth::Share(const std::string& proxy_id, std::uint64_t what) const {
  constexpr double kOneOf2To53 = 1.0 / static_cast<double>(std::uint64_t{1} << 53);
  return static_cast<double>(Draw(proxy_id, what) >> 11) * kOneOf2To53;
}

// The `number`th change of a proxy that does change: one in each stretch of flip_every, in its first half.
std::int64_t ProxyTruth::Change(const std::string& proxy_id, std::int64_t number) const {
  const std::int64_t every = settings_.flip_every_us;
  const auto phase = static_cast<std::int64_t>(Draw(proxy_id, kPhase) % static_cast<std::uint64_t>(every));
  const std::uint64_t drawn = Draw(proxy_id, kChanges + static_cast<std::uint64_t>(number));
  return number * every - phase + static_cast<std::int64_t>(drawn % static_cast<std::uint64_t>(every / 2 + 1));
}

ProxyTruth::State ProxyTruth::At(const std::string& proxy_id, std::int64_t at_us) const {
  const double changing =
      settings_.flip_every_us == 0 ? 0.0 : std::min(settings_.dead_share, 2.0 * (1.0 - settings_.dead_share));
  const double fate = Share(proxy_id, kFate);
  const bool basic = !settings_.egress_is_checked || Draw(proxy_id, kDepth) % 5 != 0;
  const double dead_for_ever = settings_.dead_share - changing / 2;
  if (fate < dead_for_ever) return {.alive = false, .fails_at_basic = basic};
  if (fate >= dead_for_ever + changing) return {};

  std::int64_t number = at_us / settings_.flip_every_us + 2;
  while (Change(proxy_id, number) > at_us) --number;
  const bool alive = (Draw(proxy_id, kParity) + static_cast<std::uint64_t>(number)) % 2 == 0;
  return {.alive = alive,
          .fails_at_basic = !alive && basic,
          .since_us = std::max<std::int64_t>(0, Change(proxy_id, number))};
}

bool ProxyTruth::Passes(const std::string& proxy_id, wire::CheckLevel level, const std::string& routing_id,
                        std::int64_t at_us) const {
  const State state = At(proxy_id, at_us);
  if (level == wire::CHECK_LEVEL_BASIC) return !state.fails_at_basic;
  if (level == wire::CHECK_LEVEL_TARGET && Draw(proxy_id + "/" + routing_id, kRouting) % 10 == 0) return false;
  return state.alive;
}

std::int64_t ProxyTruth::LatencyUs(const std::string& proxy_id) const {
  return 5'000 + static_cast<std::int64_t>(Draw(proxy_id, kLatency) % 495'001);
}

bool ProxyTruth::Refuses(const std::string& proxy_id) const { return Draw(proxy_id, kRefuses) % 2 == 0; }

std::string ProxyTruth::EgressAddress(const std::string& proxy_id) const {
  return "203.0.113." + std::to_string(1 + Draw(proxy_id, kAddress) % 254);
}

}  // namespace holdfast::fleet
