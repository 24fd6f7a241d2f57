#include "events/block_hash.h"

#include <cstring>

#include "base/little_endian.h"

namespace holdfast {

Hash256 EntryHash(Sha256& hasher, Sequence sequence, LogTime at, std::string_view principal, const Hash256& input_hash,
                  const Hash256& events_hash) {
  char front[20];
  StoreLittleEndian(sequence.value(), front);
  StoreLittleEndian(ToMicros(at), front + 8);
  StoreLittleEndian(static_cast<std::uint32_t>(principal.size()), front + 16);
  char back[64];
  std::memcpy(back, input_hash.data(), 32);
  std::memcpy(back + 32, events_hash.data(), 32);
  return hasher.Update({front, sizeof front}).Update(principal).Update({back, sizeof back}).Finish();
}

Hash256 BlockHash(Sha256& hasher, const Hash256& previous_hash, std::string_view header,
                  std::string_view entry_hashes) {
  return hasher.Update(AsBytes(previous_hash)).Update(header).Update(entry_hashes).Finish();
}

}  // namespace holdfast
