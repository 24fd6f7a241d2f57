// Where the rules are known to do otherwise than the contract says: one table, each with its reason. What fits a row is
// counted (and printed with every run) instead of ending it; a row leaves the table when the rule is mended.
//
// Pure. Thread: any.

#pragma once

#include <string>
#include <vector>

namespace holdfast::simulation {

struct KnownDeviation {
  const char* checker;
  const char* part;  // of the violation's text
  const char* name;
  const char* reason;
};

const std::vector<KnownDeviation>& KnownDeviations();

// The row that a violation fits; nullptr: none.
const KnownDeviation* DeviationOf(const std::string& checker, const std::string& text);

}  // namespace holdfast::simulation
