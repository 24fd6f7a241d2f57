// Several projections, folded together. An event that none of them handles does not compile.
//
// Thread: the state's owner.

#pragma once

#include <cstdint>
#include <tuple>
#include <variant>

#include "events/event.h"
#include "projections/projection.h"

namespace holdfast {

template <class... Ps>
class ProjectionSet {
 public:
  void Apply(const Event& event, const EntryPoint& entry) {
    std::visit(
        [&]<class E>(const E& e) {
          static_assert((Handles<Ps, E> || ...), "an event type has no projection");
          (ApplyTo(std::get<Ps>(all_), e, entry), ...);
        },
        event);
  }

  template <class P>
  const P& get() const {
    return std::get<P>(all_);
  }
  template <class P>
  P& get() {
    return std::get<P>(all_);
  }

  // Of their versions, in the order of the list: another sum where one of them folds otherwise.
  static constexpr std::uint32_t Version() {
    std::uint32_t sum = 0;
    ((sum = sum * 31 + Ps::kVersion), ...);
    return sum;
  }

  // F: void(const P&), in the order of the list.
  template <class F>
  void ForEach(F&& f) const {
    (f(std::get<Ps>(all_)), ...);
  }

 private:
  template <class P, class E>
  static void ApplyTo(P& projection, const E& event, const EntryPoint& entry) {
    if constexpr (Handles<P, E>) projection.Apply(event, entry);
  }

  std::tuple<Ps...> all_;
};

}  // namespace holdfast
