// Watches every update that a story issues, as the workers would see it, with code of its own: who may use which
// machine until when, and whether each checksum is that of the content.
//
// Shares no rule with the controller: it knows updates as they go out, and the documented formula.
// Thread: a plain object of one test.

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/hash256.h"
#include "projections/snapshots.h"

namespace holdfast::testing {

// The content of one version, by proxy id.
using Content = std::map<std::string, Grant>;

class WindowOracle {
 public:
  // An update that goes out to a process (worker and epoch); routings: those that its zone sees, in order.
  void Issued(const std::string& worker, const BuiltUpdate& update, const std::vector<RoutingSpec>& routings,
              Duration lapse_grace, LogTime now);

  // A process has proven that it uses the machine no more.
  void Proven(const std::string& address, const std::string& worker, Epoch epoch);

  // The content of a version; empty when it was never issued.
  Content At(const std::string& worker, Version version) const;
  // What went wrong so far; empty: nothing.
  const std::vector<std::string>& faults() const { return faults_; }
  struct Use {
    std::string address;  // host:port, with the secret_ref before @
    std::string worker;
    Epoch epoch;
    LogTime until;
  };
  // What may still be in use, by whom.
  std::vector<Use> StillUsed(LogTime now) const;
  // Until when this process may be using the machine; absent: it was never shown it.
  LogTime UsedUntil(const std::string& address, const std::string& worker, Epoch epoch) const;

 private:
  using Process = std::pair<std::string, Epoch>;
  void Extend(const Process& process, const Content& content, const BuiltUpdate& update, Duration lapse_grace,
              LogTime now);

  std::map<std::string, std::map<Version, Content>> contents_;
  std::map<std::string, std::map<Process, LogTime>> used_until_;  // by address
  std::vector<std::string> faults_;
};

// The documented checksum of a content, computed from the formula's text (docs/checksum_vectors.md).
Hash256 DocumentedChecksum(Epoch epoch, const std::vector<RoutingSpec>& routings, const Content& content);

}  // namespace holdfast::testing
