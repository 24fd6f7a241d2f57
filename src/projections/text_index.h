// From a name to its key. Split into shards, so that growing costs the sequencer a short pause instead of one the size
// of the pool. It cannot be walked: its order is nobody's business.
//
// Thread: owned by its projection.

#pragma once

#include <absl/container/flat_hash_map.h>
#include <xxhash.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

template <class Key>
class TextIndex {
 public:
  TextIndex() : shards_(kShards) {}

  // The key of a name; a key of 0: not there.
  Key Find(std::string_view name) const {
    const Shard& shard = shards_[ShardOf(name)];
    const auto found = shard.find(name);
    return found == shard.end() ? Key() : found->second;
  }
  void Insert(std::string_view name, Key key) { shards_[ShardOf(name)].insert_or_assign(std::string(name), key); }
  void Erase(std::string_view name) {
    Shard& shard = shards_[ShardOf(name)];
    if (const auto found = shard.find(name); found != shard.end()) shard.erase(found);
  }

 private:
  static constexpr std::size_t kShards = 256;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return XXH3_64bits(text.data(), text.size()); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const { return a == b; }
  };
  using Shard = absl::flat_hash_map<std::string, Key, Hash, Equal>;
  static std::size_t ShardOf(std::string_view name) { return (Hash()(name) >> 56) % kShards; }

  std::vector<Shard> shards_;
};

}  // namespace holdfast
