// What one extraction gave, as its client keeps account of it: machines, and the proxies of each that are not given
// back. A machine is given back with the last of them.
//
// A plain value; one thread.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "holdfast/distribution/v1/distribution.pb.h"

namespace holdfast::fleet {

class HeldMachines {
 public:
  explicit HeldMachines(const distribution::v1::ExtractResponse& answer) : extraction_id_(answer.extraction_id()) {
    for (const distribution::v1::ExtractedProxy& proxy : answer.proxies()) {
      left_[{proxy.secret_ref(), proxy.endpoint().host(), proxy.endpoint().port()}].insert(proxy.proxy_id());
    }
  }

  const std::string& extraction_id() const { return extraction_id_; }
  std::uint64_t size() const { return left_.size(); }

  std::vector<std::string> ProxyIds() const {
    std::vector<std::string> ids;
    for (const auto& [machine, proxies] : left_) ids.insert(ids.end(), proxies.begin(), proxies.end());
    return ids;
  }

  // How many machines are free by that. Empty: all of it.
  template <class Ids>
  std::uint64_t GiveBack(const Ids& proxy_ids) {
    const std::uint64_t before = size();
    if (proxy_ids.empty()) left_.clear();
    for (const std::string& id : proxy_ids) {
      for (auto& [machine, proxies] : left_) proxies.erase(id);
    }
    std::erase_if(left_, [](const auto& machine) { return machine.second.empty(); });
    return before - size();
  }

 private:
  using Machine = std::tuple<std::string, std::string, std::uint32_t>;

  std::string extraction_id_;
  std::map<Machine, std::set<std::string>> left_;
};

}  // namespace holdfast::fleet
