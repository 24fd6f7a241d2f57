#include "tests/simulation/checkers/known_deviations.h"

namespace holdfast::simulation {

const std::vector<KnownDeviation>& KnownDeviations() {
  static const auto& table = *new std::vector<KnownDeviation>{
      {"judge update", "proxies, but it takes", "more proxies than max_proxies",
       "a sibling that is imported onto an address that is granted already is shown, whatever the worker takes"},
  };
  return table;
}

const KnownDeviation* DeviationOf(const std::string& checker, const std::string& text) {
  for (const KnownDeviation& row : KnownDeviations()) {
    if (checker == row.checker && text.find(row.part) != std::string::npos) return &row;
  }
  return nullptr;
}

}  // namespace holdfast::simulation
