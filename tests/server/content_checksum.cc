#include "tests/server/content_checksum.h"

#include <array>
#include <cstdint>

#include "base/sha256.h"

namespace holdfast::server {
namespace {

using namespace controlplane::v1;

struct Bytes {
  std::string out;

  void Number(std::uint64_t value, int bytes = 8) {
    for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  }
  void Text(const std::string& text) {
    Number(text.size(), 4);
    out += text;
  }
  template <class Items>
  void Texts(const Items& items) {
    Number(static_cast<std::uint64_t>(items.size()));
    for (const std::string& item : items) Text(item);
  }
  template <class Map>
  void Labels(const Map& labels) {
    const std::map<std::string, std::string> sorted(labels.begin(), labels.end());
    Number(sorted.size());
    for (const auto& [key, value] : sorted) {
      Text(key);
      Text(value);
    }
  }
  template <class Message>
  void Time(const Message& message, bool present) {
    Number(present ? static_cast<std::uint64_t>(message.seconds() * 1'000'000 + message.nanos() / 1'000) : 0);
  }
  std::string Hash() const { return std::string(AsBytes(Sha256Of(out))); }
};

std::string HashOf(const Routing& routing) {
  Bytes bytes;
  bytes.Text(routing.routing_id());
  bytes.Texts(routing.host_patterns());
  bytes.Number(static_cast<std::uint64_t>(routing.ports_size()));
  for (const std::uint32_t port : routing.ports()) bytes.Number(port);
  bytes.Labels(routing.proxy_labels());
  bytes.Texts(routing.zones());
  return bytes.Hash();
}

std::string HashOf(const ProxyGrant& grant) {
  Bytes bytes;
  bytes.Text(grant.proxy_id());
  bytes.Number(grant.has_endpoint() ? 1 : 0, 1);
  bytes.Number(grant.endpoint().scheme());
  bytes.Text(grant.endpoint().host());
  bytes.Number(grant.endpoint().port());
  bytes.Number(grant.capacity());
  bytes.Time(grant.expires_at(), grant.has_expires_at());
  bytes.Time(grant.usable_until(), grant.has_usable_until());
  bytes.Text(grant.secret_ref());
  bytes.Number(grant.state());
  bytes.Labels(grant.labels());
  bytes.Texts(grant.unhealthy_routing_ids());
  return bytes.Hash();
}

// Adds modulo 2^256, little-endian.
void AddTo(std::array<std::uint8_t, 32>& sum, const std::string& hash) {
  unsigned carry = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    carry += sum[i] + static_cast<std::uint8_t>(hash[i]);
    sum[i] = static_cast<std::uint8_t>(carry);
    carry >>= 8;
  }
}

}  // namespace

void HeldContent::Take(const SnapshotUpdate& update) {
  if (update.has_full()) {
    epoch = update.full().ownership_epoch();
    routings.assign(update.full().routings().begin(), update.full().routings().end());
    proxies.clear();
    for (const ProxyGrant& grant : update.full().proxies()) proxies[grant.proxy_id()] = grant;
  }
  if (!update.has_delta()) return;
  const SnapshotDelta& delta = update.delta();
  epoch = delta.ownership_epoch();
  for (const ProxyGrant& grant : delta.upserted()) proxies[grant.proxy_id()] = grant;
  for (const std::string& id : delta.removed_proxy_ids()) proxies.erase(id);
  if (delta.has_routings()) routings.assign(delta.routings().routings().begin(), delta.routings().routings().end());
}

std::string HeldContent::Checksum() const {
  Bytes bytes;
  bytes.out = "holdfast/snapshot/1";
  bytes.Number(epoch);
  bytes.Number(routings.size());
  for (const Routing& routing : routings) bytes.out += HashOf(routing);
  bytes.Number(proxies.size());
  std::array<std::uint8_t, 32> sum{};
  for (const auto& [id, grant] : proxies) AddTo(sum, HashOf(grant));
  bytes.out.append(reinterpret_cast<const char*>(sum.data()), sum.size());
  return bytes.Hash();
}

}  // namespace holdfast::server
