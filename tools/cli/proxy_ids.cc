#include "tools/cli/proxy_ids.h"

#include <istream>

namespace holdfast::cli {

std::vector<std::string> GatherIds(Invocation& invocation, const std::vector<std::string>& given) {
  std::vector<std::string> ids;
  for (const std::string& id : given) {
    if (id != "-") {
      ids.push_back(id);
      continue;
    }
    for (std::string line; std::getline(invocation.environment.in, line);) {
      if (line.ends_with('\r')) line.pop_back();
      if (!line.empty()) ids.push_back(line);
    }
  }
  return ids;
}

}  // namespace holdfast::cli
