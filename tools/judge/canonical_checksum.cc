#include "tools/judge/canonical_checksum.h"

#include <openssl/evp.h>

#include <map>
#include <string_view>

namespace holdfast::judge {

namespace wire = controlplane::v1;

namespace {

std::string LittleEndian(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    text += static_cast<char>(value % 256);
    value /= 256;
  }
  return text;
}

std::string U64(std::uint64_t value) { return LittleEndian(value, 8); }
std::string Text(const std::string& text) { return LittleEndian(text.size(), 4) + text; }

std::string Micros(bool present, const google::protobuf::Timestamp& time) {
  if (!present) return U64(0);
  return U64(static_cast<std::uint64_t>(time.seconds() * 1'000'000 + time.nanos() / 1'000));
}

template <class List>
std::string Texts(const List& list) {
  std::string bytes = U64(static_cast<std::uint64_t>(list.size()));
  for (const std::string& text : list) bytes += Text(text);
  return bytes;
}

template <class Map>
std::string Pairs(const Map& map) {
  // std::string compares bytes as unsigned: the order that the formula asks for.
  const std::map<std::string, std::string> sorted(map.begin(), map.end());
  std::string bytes = U64(sorted.size());
  for (const auto& [key, value] : sorted) bytes += Text(key) + Text(value);
  return bytes;
}

Number256 Sha256Of(const std::string& bytes) {
  Number256 digest{};
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return digest;
}

std::string Bytes(const Number256& number) { return std::string(number.begin(), number.end()); }

}  // namespace

Number256 RoutingDigest(const wire::Routing& routing) {
  std::string ports = U64(static_cast<std::uint64_t>(routing.ports_size()));
  for (const std::uint32_t port : routing.ports()) ports += U64(port);
  return Sha256Of(Text(routing.routing_id()) + Texts(routing.host_patterns()) + ports + Pairs(routing.proxy_labels()) +
                  Texts(routing.zones()));
}

Number256 ProxyDigest(const wire::ProxyGrant& grant) {
  std::string endpoint(1, grant.has_endpoint() ? '\1' : '\0');
  if (grant.has_endpoint()) {
    endpoint += U64(static_cast<std::uint64_t>(std::int64_t{grant.endpoint().scheme()}));
    endpoint += Text(grant.endpoint().host()) + U64(grant.endpoint().port());
  }
  const std::string times =
      Micros(grant.has_expires_at(), grant.expires_at()) + Micros(grant.has_usable_until(), grant.usable_until());
  return Sha256Of(Text(grant.proxy_id()) + endpoint + U64(grant.capacity()) + times + Text(grant.secret_ref()) +
                  U64(static_cast<std::uint64_t>(std::int64_t{grant.state()})) + Pairs(grant.labels()) +
                  Texts(grant.unhealthy_routing_ids()));
}

Number256 Plus(const Number256& sum, const Number256& addend) {
  Number256 result{};
  unsigned carry = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    carry += unsigned{sum[i]} + addend[i];
    result[i] = static_cast<std::uint8_t>(carry % 256);
    carry /= 256;
  }
  return result;
}

std::string SnapshotDigest(std::uint64_t epoch, const std::vector<Number256>& routings, std::uint64_t proxy_count,
                           const Number256& proxy_sum) {
  std::string bytes = "holdfast/snapshot/1" + U64(epoch) + U64(routings.size());
  for (const Number256& routing : routings) bytes += Bytes(routing);
  bytes += U64(proxy_count) + Bytes(proxy_sum);
  return Bytes(Sha256Of(bytes));
}

std::string Hex(const std::string& bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) / 16];
    text += kDigits[static_cast<unsigned char>(byte) % 16];
  }
  return text;
}

}  // namespace holdfast::judge
