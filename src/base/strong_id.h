// A value with a meaning of its own: no implicit conversion, no arithmetic.
//
// Thread: a plain value. Ensures: ordering and equality are those of the representation.

#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <utility>

namespace holdfast {

template <class Tag, class Rep>
class StrongId {
 public:
  using Representation = Rep;

  constexpr StrongId() = default;
  constexpr explicit StrongId(Rep value) : value_(std::move(value)) {}
  constexpr const Rep& value() const { return value_; }

  friend auto operator<=>(const StrongId&, const StrongId&) = default;
  friend bool operator==(const StrongId&, const StrongId&) = default;

  template <class Hash>
  friend Hash AbslHashValue(Hash hash, const StrongId& id) {
    return Hash::combine(std::move(hash), id.value_);
  }

 private:
  Rep value_{};
};

}  // namespace holdfast

template <class Tag, class Rep>
struct std::hash<holdfast::StrongId<Tag, Rep>> {
  std::size_t operator()(const holdfast::StrongId<Tag, Rep>& id) const { return std::hash<Rep>{}(id.value()); }
};
