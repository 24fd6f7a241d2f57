// A world at rest: nothing goes wrong any more, members are well connected, what is true of proxies stays so, operators
// lift what only they can lift; and what has not come about yet.
//
// Called by the run once its steps are done, again and again, until nothing is missing or the bound is over. Thread:
// one.

#pragma once

#include <string>

#include "tests/simulation/world/operation.h"

namespace holdfast::simulation {

class Rest {
 public:
  // From here on nothing goes wrong.
  explicit Rest(Scene& scene);

  // Brings members back to order, lets operators act, and lets a moment pass. stop: ends it early.
  void Pass(const std::function<bool()>& stop);
  // Empty: all has come about; else the first thing that has not.
  std::string Missing() const;
  // Since it began.
  Micros passed() const { return scene_.world.time.now() - began_; }
  // Within which what is missing now must come about.
  Micros Bound() const;

 private:
  void OperatorsAct();
  std::string MissingOfHealth() const;
  std::string MissingOfOwnership() const;
  std::string MissingOfStore() const;

  Scene& scene_;
  const Micros began_;
  const bool all_well_;  // every proxy is, so no freeze needs an operator
  Micros operators_act_at_;
};

}  // namespace holdfast::simulation
