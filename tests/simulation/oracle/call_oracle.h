// An oracle written from contract.md ("Every call, in this order", and each call's own rules): it says of every call of
// a worker that came to be decided whether it is accepted, or else with which reason it is refused.
//
// Called with every committed entry in order. It takes from events what the contract leaves to the controller (which
// session ends when, which version is issued with which checksum) and reckons all else itself: references, fence,
// sequences, which process it is. Thread: one. Does not: predict what follows from an accepted call beyond what stands
// in the contract's sentences about the call.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "tests/simulation/checkers/entry.h"
#include "tests/simulation/checkers/reached.h"
#include "tests/simulation/checkers/violations.h"
#include "tests/simulation/oracle/member.h"

namespace holdfast::simulation {

class CallOracle {
 public:
  CallOracle(Violations& violations, Reached& reached) : violations_(violations), reached_(reached) {}

  void OnEntry(const Entry& entry);

  std::uint64_t predictions() const { return predictions_; }

 private:
  using Reason = std::optional<controlplane::v1::RejectReason>;  // nullopt: accepted

  Reason Predict(const Entry& entry) const;
  Reason PredictRegister(const controlplane::v1::RegisterWorkerRequest& request) const;
  Reason PredictAck(const controlplane::v1::AcknowledgeSnapshotRequest& request, std::int64_t at_us) const;
  Reason PredictReport(const controlplane::v1::ReportRuntimeRequest& request) const;
  Reason PredictOutcomes(const controlplane::v1::ReportOutcomesRequest& request) const;
  Reason PredictSession(const std::string& worker_id, const std::string& session_id) const;
  Reason PredictEpoch(const std::string& worker_id, std::uint64_t epoch) const;

  void Fold(const Entry& entry, bool accepted);
  void FoldAck(const Entry& entry);
  void FoldReport(const Entry& entry);
  void FoldEvent(const log::v1::Event& event);
  void JudgeRegistration(const Entry& entry, const log::v1::SessionOpened& opened);
  void Wrong(const Entry& entry, const std::string& what);
  Member& MemberOf(std::uint32_t key) { return members_[ids_[key]]; }

  Violations& violations_;
  Reached& reached_;
  std::uint64_t predictions_ = 0;
  std::map<std::string, Member> members_;     // by worker id
  std::map<std::uint32_t, std::string> ids_;  // worker ids by key
  std::string log_id_;                        // hexadecimal digits
  std::uint64_t base_ = 0;                    // epochs and versions of the log start above it
};

}  // namespace holdfast::simulation
