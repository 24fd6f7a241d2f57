// What a checker found wrong. The first one ends the run: what follows would be judged from a world that is broken.
//
// Thread: a plain value.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace holdfast::simulation {

struct Violation {
  std::string checker;
  std::string text;
};

class Violations {
 public:
  void Add(std::string checker, std::string text) {
    if (!first_) first_ = Violation{std::move(checker), std::move(text)};
  }
  bool any() const { return first_.has_value(); }
  const std::optional<Violation>& first() const { return first_; }

 private:
  std::optional<Violation> first_;
};

}  // namespace holdfast::simulation
