#include "client/snapshot_checksum.h"

#include <openssl/sha.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace holdfast::client {
namespace {

using controlplane::v1::ProxyGrant;
using controlplane::v1::Routing;

// The canonical form of fields: fixed little-endian widths, a length before whatever varies.
class FieldWriter {
 public:
  void Number(std::uint64_t value) { Append(value, 8); }
  void Time(const google::protobuf::Timestamp& time) {
    Append(static_cast<std::uint64_t>(time.seconds() * 1'000'000 + time.nanos() / 1'000), 8);
  }
  void Text(std::string_view text) {
    Append(text.size(), 4);
    bytes_.append(text);
  }
  void Presence(bool present) { bytes_.push_back(present ? 1 : 0); }
  void Raw(std::string_view bytes) { bytes_.append(bytes); }

  template <class Texts>
  void TextList(const Texts& texts) {
    Number(static_cast<std::uint64_t>(texts.size()));
    for (const std::string& text : texts) Text(text);
  }

  template <class Map>
  void TextMap(const Map& map) {
    std::vector<std::string_view> keys;
    keys.reserve(map.size());
    for (const auto& [key, value] : map) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    Number(keys.size());
    for (std::string_view key : keys) {
      Text(key);
      Text(map.at(std::string(key)));
    }
  }

  Hash256 Hash() const {
    Hash256 hash;
    SHA256(reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size(), hash.data());
    return hash;
  }

 private:
  void Append(std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i) bytes_.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  }

  std::string bytes_;
};

std::string_view AsText(const Hash256& hash) { return {reinterpret_cast<const char*>(hash.data()), hash.size()}; }

}  // namespace

Hash256 HashRouting(const Routing& routing) {
  FieldWriter fields;
  fields.Text(routing.routing_id());
  fields.TextList(routing.host_patterns());
  fields.Number(static_cast<std::uint64_t>(routing.ports_size()));
  for (std::uint32_t port : routing.ports()) fields.Number(port);
  fields.TextMap(routing.proxy_labels());
  fields.TextList(routing.zones());
  return fields.Hash();
}

Hash256 HashGrant(const ProxyGrant& grant) {
  FieldWriter fields;
  fields.Text(grant.proxy_id());
  fields.Presence(grant.has_endpoint());
  if (grant.has_endpoint()) {
    // An enum that is not known enters as the number received (sign-extended, as protobuf would write it).
    fields.Number(static_cast<std::uint64_t>(static_cast<std::int64_t>(grant.endpoint().scheme())));
    fields.Text(grant.endpoint().host());
    fields.Number(grant.endpoint().port());
  }
  fields.Number(grant.capacity());
  fields.Time(grant.expires_at());
  fields.Time(grant.usable_until());
  fields.Text(grant.secret_ref());
  fields.Number(static_cast<std::uint64_t>(static_cast<std::int64_t>(grant.state())));
  fields.TextMap(grant.labels());
  fields.TextList(grant.unhealthy_routing_ids());
  return fields.Hash();
}

void HashSum::Add(const Hash256& hash) {
  unsigned __int128 carry = 0;
  for (int word = 0; word < 4; ++word) {
    std::uint64_t addend = 0;
    for (int byte = 7; byte >= 0; --byte) addend = addend << 8 | hash[static_cast<std::size_t>(word * 8 + byte)];
    carry += static_cast<unsigned __int128>(words_[static_cast<std::size_t>(word)]) + addend;
    words_[static_cast<std::size_t>(word)] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

void HashSum::Subtract(const Hash256& hash) {
  // x - h = x + ~h + 1 modulo 2^256.
  Hash256 complement;
  for (std::size_t i = 0; i < hash.size(); ++i) complement[i] = static_cast<std::uint8_t>(~hash[i]);
  Add(complement);
  Hash256 one{};
  one[0] = 1;
  Add(one);
}

Hash256 HashSum::Bytes() const {
  Hash256 bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(words_[i / 8] >> (8 * (i % 8)));
  return bytes;
}

std::string ContentChecksum(std::uint64_t ownership_epoch, std::span<const Hash256> routing_hashes,
                            std::uint64_t grant_count, const HashSum& grants) {
  FieldWriter fields;
  fields.Raw("holdfast/snapshot/1");
  fields.Number(ownership_epoch);
  fields.Number(routing_hashes.size());
  for (const Hash256& hash : routing_hashes) fields.Raw(AsText(hash));
  fields.Number(grant_count);
  fields.Raw(AsText(grants.Bytes()));
  return std::string(AsText(fields.Hash()));
}

}  // namespace holdfast::client
