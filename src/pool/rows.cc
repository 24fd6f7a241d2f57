#include "pool/rows.h"

#include <array>

namespace holdfast::pool {
namespace {

constexpr std::array<std::string_view, 5> kStateNames = {"unowned", "granted", "revoking", "lapsing", "extracted"};

}  // namespace

std::string_view AddressStateName(AddressState state) { return kStateNames[static_cast<std::size_t>(state)]; }

std::optional<AddressState> ParseAddressState(std::string_view word) {
  for (std::size_t i = 0; i < kStateNames.size(); ++i) {
    if (kStateNames[i] == word) return static_cast<AddressState>(i);
  }
  return std::nullopt;
}

}  // namespace holdfast::pool
