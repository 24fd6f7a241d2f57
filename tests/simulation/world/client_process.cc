#include "tests/simulation/world/client_process.h"

#include <utility>

#include "controller/proto_time.h"
#include "tools/judge/content.h"

namespace holdfast::simulation {
namespace {

using distribution::v1::ExtractedProxy;
using distribution::v1::ExtractResponse;

constexpr int kMostTries = 6;

std::string AddressOf(const ExtractedProxy& proxy) {
  controlplane::v1::ProxyGrant grant;
  *grant.mutable_endpoint() = proxy.endpoint();
  grant.set_secret_ref(proxy.secret_ref());
  return judge::AddressOf(grant);
}

std::int64_t MicrosOf(const google::protobuf::Timestamp& time) {
  return time.seconds() * kSecond + time.nanos() / 1'000;
}

// Whether the same request may come to something when it is made again.
bool IsWorthAnother(const CallEnd& end) {
  if (!end.detail) return true;  // nobody answered, or not in time
  switch (end.detail->reason()) {
    case controlplane::v1::REJECT_REASON_POOL_UNAVAILABLE:
    case controlplane::v1::REJECT_REASON_NOT_ENOUGH_PROXIES:
    case controlplane::v1::REJECT_REASON_NOT_READY:
    case controlplane::v1::REJECT_REASON_OVERLOADED:
      return true;
    default:
      return false;
  }
}

}  // namespace

ClientProcess::ClientProcess(World& world, Network& network, Controller& controller, const MachineClock& clock,
                             const ClientIdentity& identity, const std::string& name)
    : Process(world, network, controller, clock, identity.client_id + "/" + name), identity_(identity) {}

void ClientProcess::Die() {
  if (!alive()) return;
  world_.checkers.uses().Died(name());
  holdings_.clear();
  End();
}

void ClientProcess::Rest() {
  if (std::exchange(resting_, true) || !world_.random.Chance(2, 3)) return;
  std::vector<std::string> held;
  for (const auto& [id, holding] : holdings_) held.push_back(id);
  for (const std::string& id : held) GiveBack(id, true);
}

std::string ClientProcess::AnyExtraction() const { return holdings_.empty() ? "" : holdings_.begin()->first; }

// ---- wishes --------------------------------------------------------------------------------------------------------

void ClientProcess::WishTick() {
  if (!resting_) {
    Extract(DrawWish(), 0);
    ReleaseTick();
  }
  Later(world_.Between(identity_.pace / 4, 2 * identity_.pace), [this] { WishTick(); });
}

ClientProcess::ExtractRequest ClientProcess::DrawWish() {
  Prng& random = world_.random;
  ExtractRequest request;
  request.set_client_id(identity_.client_id);
  last_request_ = name().substr(name().find('/') + 1) + "-" + std::to_string(++requests_);
  request.set_request_id(last_request_);
  request.set_count(static_cast<std::uint32_t>(random.Chance(2, 3) ? 1 : random.Between(2, 5)));
  request.set_all_or_nothing(random.Chance(1, 3));
  request.set_resolves_secrets(identity_.resolves_secrets);
  if (random.Chance(3, 4)) {
    PutDuration(std::chrono::milliseconds(random.Between(500, 60'000)), request.mutable_hold());
  }
  if (random.Chance(1, 2)) DrawFilters(request);
  return request;
}

void ClientProcess::DrawFilters(ExtractRequest& request) {
  Prng& random = world_.random;
  if (random.Chance(1, 3)) (*request.mutable_labels())["country"] = random.Chance(1, 2) ? "NO" : "SE";
  if (random.Chance(1, 3)) request.add_schemes(controlplane::v1::PROXY_SCHEME_HTTP);
  if (random.Chance(1, 6)) request.add_schemes(controlplane::v1::PROXY_SCHEME_SOCKS5);
  if (random.Chance(1, 3)) {
    PutDuration(std::chrono::milliseconds(random.Between(0, 60'000)), request.mutable_min_remaining());
  }
  if (random.Chance(1, 4)) request.set_routing_id(random.Chance(1, 10) ? "none" : RoutingId(random.Below(kRoutingIds)));
}

void ClientProcess::Extract(const ExtractRequest& request, int tries) {
  log::v1::Input input;
  *input.mutable_extract()->mutable_request() = request;
  const auto answered = [this, request, tries, sent = BootNow()](const CallAnswer& answer) {
    Extracted(request, tries, sent, answer);
  };
  Call(input, kCallDeadline, answered);
}

void ClientProcess::Extracted(const ExtractRequest& request, int tries, std::int64_t sent_boot,
                              const CallAnswer& answer) {
  if (answer.end.ok()) return Take(std::get<ExtractResponse>(answer.reply), sent_boot);
  // Now and then it has enough of it, and never hears what it was given.
  const bool gives_up = tries >= kMostTries || world_.random.Chance(1, 8);
  if (!IsWorthAnother(answer.end) || gives_up || resting_) return;
  Micros wait = world_.Between(50 * kMillisecond, 2 * kSecond);
  if (answer.end.detail && answer.end.detail->has_retry_after()) {
    wait = ReadDuration(answer.end.detail->retry_after()).value_or(Duration(kSecond)).count() +
           world_.Between(0, 300 * kMillisecond);
  }
  Later(wait, [this, request, tries] { Extract(request, tries + 1); });
}

// ---- what it has ---------------------------------------------------------------------------------------------------

void ClientProcess::Take(const ExtractResponse& response, std::int64_t sent_boot) {
  const std::string id = response.extraction_id();
  if (holdings_.contains(id)) return;
  Holding holding;
  holding.clock.Hear(MicrosOf(response.server_time()), sent_boot);
  holding.until_us = MicrosOf(response.extracted_until());
  if (holding.clock.LatestAt(BootNow()) >= holding.until_us) return;
  for (const ExtractedProxy& proxy : response.proxies()) {
    const std::string address = AddressOf(proxy);
    holding.proxies.emplace(proxy.proxy_id(), address);
    if (++used_[address] == 1) world_.checkers.uses().Holds(name(), address, world_.time.now());
  }
  const Micros ends = clock_.WhenBootShows(holding.clock.Reaches(holding.until_us));
  holdings_.emplace(id, std::move(holding));
  // In a pause as well: a process that is paused looks at its clock first when it wakes.
  world_.time.At(ends, [this, id] {
    if (alive()) EndOf(id);
  });
}

void ClientProcess::Drop(const std::string& extraction_id, const std::string& proxy_id) {
  Holding& holding = holdings_.at(extraction_id);
  auto proxy = holding.proxies.extract(proxy_id);
  if (proxy.empty()) return;
  if (--used_[proxy.mapped()] == 0) world_.checkers.uses().LetsGo(name(), proxy.mapped());
}

void ClientProcess::EndOf(const std::string& extraction_id) {
  const auto found = holdings_.find(extraction_id);
  if (found == holdings_.end()) return;
  while (!found->second.proxies.empty()) Drop(extraction_id, found->second.proxies.begin()->first);
  found->second.over = true;
}

// ---- giving back ---------------------------------------------------------------------------------------------------

void ClientProcess::ReleaseTick() {
  if (holdings_.empty() || !world_.random.Chance(1, 2)) return;
  auto which = holdings_.begin();
  std::advance(which, static_cast<std::ptrdiff_t>(world_.random.Below(holdings_.size())));
  GiveBack(std::string(which->first), world_.random.Chance(2, 3));
}

// What it gives back it does not use any more from then on, whatever becomes of the call.
void ClientProcess::GiveBack(const std::string& extraction_id, bool whole) {
  Holding& holding = holdings_.at(extraction_id);
  ReleaseRequest request;
  request.set_client_id(identity_.client_id);
  request.set_extraction_id(extraction_id);
  request.set_request_id("back-" + name().substr(name().find('/') + 1) + "-" + std::to_string(++requests_));
  if (!whole && holding.proxies.size() > 1) {
    for (const auto& [id, address] : holding.proxies) {
      if (world_.random.Chance(1, 2)) request.add_proxy_ids(id);
    }
    for (const std::string& id : request.proxy_ids()) Drop(extraction_id, id);
  }
  if (request.proxy_ids().empty()) EndOf(extraction_id);
  if (holding.proxies.empty()) holdings_.erase(extraction_id);
  Release(request, 0);
}

void ClientProcess::Release(const ReleaseRequest& request, int tries) {
  log::v1::Input input;
  *input.mutable_release() = request;
  Call(input, kCallDeadline, [this, request, tries](const CallAnswer& answer) {
    if (answer.end.ok() || answer.end.detail || tries >= kMostTries || world_.random.Chance(1, 20)) return;
    Later(world_.Between(50 * kMillisecond, 2 * kSecond), [this, request, tries] { Release(request, tries + 1); });
  });
}

}  // namespace holdfast::simulation
