// Who really uses which address, from the workers' and clients' side and in true simulated time: never two processes at
// once, whatever the log says.
//
// Told of every beginning and end of a use by the simulated workers and clients, of what each worker may begin to use
// at an instant, and of the view that each has acknowledged. Thread: one. Knows nothing of the controller.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tests/simulation/checkers/violations.h"

namespace holdfast::simulation {

class UseChecker {
 public:
  explicit UseChecker(Violations& violations) : violations_(violations) {}

  // The process takes a view; only what it lists as usable may be begun from here on. By proxy id: the address.
  void Took(const std::string& process, std::map<std::string, std::string> usable);
  void Began(const std::string& process, const std::string& proxy_id, const std::string& address, std::int64_t at_us);
  void Ended(const std::string& process, const std::string& address);
  void Died(const std::string& process);
  // A client has an address: it uses it without a pause, from here on.
  void Holds(const std::string& process, const std::string& address, std::int64_t at_us);
  void LetsGo(const std::string& process, const std::string& address) { Ended(process, address); }

  // One look at an instant: between BeginLook and EndLook each process names the addresses that it could begin to use.
  void BeginLook(std::int64_t at_us);
  void Could(const std::string& process, const std::string& address);

  std::uint64_t uses() const { return uses_; }
  std::uint64_t holds() const { return holds_; }
  std::uint64_t comparisons() const { return comparisons_; }

 private:
  // Another process that uses the address now; empty: none.
  std::string OtherUser(const std::string& process, const std::string& address);

  Violations& violations_;
  std::map<std::string, std::map<std::string, std::uint64_t>> running_;  // by address, by process
  std::map<std::string, std::map<std::string, std::string>> usable_;     // by process
  std::map<std::string, std::string> could_;                             // at this look: by address, one process
  std::int64_t look_at_us_ = 0;
  std::uint64_t uses_ = 0;
  std::uint64_t holds_ = 0;
  std::uint64_t comparisons_ = 0;
};

}  // namespace holdfast::simulation
