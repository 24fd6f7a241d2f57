#include "server/config_suggestion.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace holdfast::server {
namespace {

std::size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({changed, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

std::string NearestName(const std::string& name, const std::vector<std::string>& known) {
  std::string nearest;
  std::size_t least = name.size() / 3 + 1;
  for (const std::string& candidate : known) {
    // The last part alone is often what was written.
    const std::size_t dot = candidate.rfind('.');
    std::size_t distance = EditDistance(name, candidate);
    if (dot != std::string::npos) distance = std::min(distance, EditDistance(name, candidate.substr(dot + 1)));
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

}  // namespace holdfast::server
