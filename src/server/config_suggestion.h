// "Did you mean": the known name that a misspelt one is nearest to.
//
// Thread: pure.

#pragma once

#include <string>
#include <vector>

namespace holdfast::server {

// Empty: none is near (a third of its length, in single changes).
std::string NearestName(const std::string& name, const std::vector<std::string>& known);

}  // namespace holdfast::server
