#include "tools/import/identity_set.h"

#include <cstring>
#include <utility>

#include "base/digest.h"

namespace holdfast::importer {
namespace {

constexpr std::size_t kFirstSlots = 1024;  // a power of two, as every size after it
constexpr std::uint64_t kRowKind = 1;

struct Key {
  std::uint64_t low;
  std::uint64_t high;
};

Key KeyOf(const Endpoint& endpoint, const std::optional<Credential>& credential) {
  RowHasher hasher(kRowKind);
  hasher.Number(static_cast<std::uint64_t>(endpoint.scheme)).Text(endpoint.host).Number(endpoint.port);
  hasher.Number(credential ? 1 : 0);
  if (credential) hasher.Text(credential->username);
  const auto bytes = hasher.Finish().Bytes();
  Key key;
  std::memcpy(&key.low, bytes.data(), sizeof key.low);
  std::memcpy(&key.high, bytes.data() + sizeof key.low, sizeof key.high);
  if (key.low == 0 && key.high == 0) key.low = 1;
  return key;
}

}  // namespace

IdentitySet::IdentitySet() : slots_(kFirstSlots) {}

IdentitySet::Slot* IdentitySet::Find(std::uint64_t low, std::uint64_t high) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t index = static_cast<std::size_t>(low) & mask;
  while (true) {
    ++probes_;
    Slot& slot = slots_[index];
    if ((slot.low == 0 && slot.high == 0) || (slot.low == low && slot.high == high)) return &slot;
    index = (index + 1) & mask;
  }
}

void IdentitySet::Grow() {
  std::vector<Slot> old = std::move(slots_);
  slots_ = std::vector<Slot>(old.size() * 2);
  for (const Slot& slot : old) {
    if (slot.low != 0 || slot.high != 0) *Find(slot.low, slot.high) = slot;
  }
}

std::optional<FirstSeen> IdentitySet::Insert(const Endpoint& endpoint, const std::optional<Credential>& credential,
                                             FirstSeen where) {
  const Key key = KeyOf(endpoint, credential);
  Slot* slot = Find(key.low, key.high);
  if (slot->low != 0 || slot->high != 0) return FirstSeen{slot->file, slot->line};
  if ((used_ + 1) * 4 > slots_.size() * 3) {
    Grow();
    slot = Find(key.low, key.high);
  }
  *slot = Slot{key.low, key.high, where.line, where.file};
  ++used_;
  return std::nullopt;
}

}  // namespace holdfast::importer
