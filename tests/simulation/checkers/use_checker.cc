#include "tests/simulation/checkers/use_checker.h"

#include <utility>

namespace holdfast::simulation {

std::string UseChecker::OtherUser(const std::string& process, const std::string& address) {
  const auto users = running_.find(address);
  if (users == running_.end()) return "";
  for (const auto& [user, count] : users->second) {
    if (user == process) continue;
    ++comparisons_;
    if (count > 0) return user;
  }
  return "";
}

void UseChecker::Took(const std::string& process, std::map<std::string, std::string> usable) {
  usable_[process] = std::move(usable);
}

void UseChecker::Began(const std::string& process, const std::string& proxy_id, const std::string& address,
                       std::int64_t at_us) {
  ++uses_;
  if (!usable_[process].contains(proxy_id)) {
    violations_.Add("uses", process + " began to use " + proxy_id + " at " + std::to_string(at_us) +
                                " µs, which the view that it took last does not give it");
  }
  if (const std::string other = OtherUser(process, address); !other.empty()) {
    violations_.Add("uses", process + " began to use " + address + " at " + std::to_string(at_us) + " µs while " +
                                other + " is using it");
  }
  ++running_[address][process];
}

void UseChecker::Holds(const std::string& process, const std::string& address, std::int64_t at_us) {
  ++holds_;
  if (const std::string other = OtherUser(process, address); !other.empty()) {
    violations_.Add("uses", process + " was given " + address + " at " + std::to_string(at_us) + " µs while " + other +
                                " is using it");
  }
  ++running_[address][process];
}

void UseChecker::Ended(const std::string& process, const std::string& address) {
  auto& users = running_[address];
  if (--users[process] == 0) users.erase(process);
}

void UseChecker::Died(const std::string& process) {
  for (auto& [address, users] : running_) users.erase(process);
  usable_.erase(process);
}

void UseChecker::BeginLook(std::int64_t at_us) {
  could_.clear();
  look_at_us_ = at_us;
}

void UseChecker::Could(const std::string& process, const std::string& address) {
  std::string other = OtherUser(process, address);
  const auto [known, first] = could_.emplace(address, process);
  ++comparisons_;
  if (other.empty() && !first && known->second != process) other = known->second;
  if (other.empty()) return;
  violations_.Add(
      "uses", process + " and " + other + " may both use " + address + " at " + std::to_string(look_at_us_) + " µs");
}

}  // namespace holdfast::simulation
