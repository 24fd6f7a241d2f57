// Decides a log again: folds the state from the logged events, decides every input from that state with the same rules,
// and compares. Checks the chain, the digest after each block, and the invariants on the way.
//
//   Check(block 1) ─► Check(block 2) ─► …        a finding ends it: what follows would be judged from a wrong state
//
// Called by the replay tool over a whole log, and by the daemon as its self-audit, block by block as they are
// committed. Thread: one at a time. Promises: the first thing that is wrong is named with its sequence; the log is only
// read. Does not: read the log, compare the rows of ownership_periods (period_check.h, from what Verdict gives), or
// survive an event that no projection can fold: that breaks a CHECK with its sequence, as everywhere (the tool reports
// it by a hook).

#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <vector>

#include "projections/controller_state.h"
#include "replay/checked_block.h"
#include "replay/finding.h"
#include "replay/invariants.h"
#include "replay/verify_tally.h"

namespace holdfast::replay {

// What one block gave.
struct Verdict {
  std::optional<Finding> finding;      // nullopt: sound
  std::vector<OwnershipPeriod> ended;  // by this block, in order: its rows in ownership_periods
};

class Verifier {
 public:
  struct Options {
    Sequence decide_from{1};  // entries before are folded only
  };

  Verifier() : Verifier(Options()) {}
  explicit Verifier(const Options& options) : options_(options) {}

  // The next block. Unimplemented: of a newer version, with the sequence; FailedPrecondition: after a finding or an
  // error.
  absl::StatusOr<Verdict> Check(const StoredBlock& stored);

  // The last step alone, for whoever did the first two (checked_block.h) on other threads.
  absl::StatusOr<Verdict> Judge(const CheckedBlock& block);

  const VerifyTally& tally() const { return tally_; }
  // After the last entry that was found sound.
  const ControllerState& state() const { return state_; }
  // The version that wrote what comes next; empty: not known yet.
  const std::string& written_by() const { return state_.run().software_version(); }

 private:
  std::optional<Finding> JudgeEntry(const EntryView& entry, const DecodedEntry& decoded, Verdict& verdict);
  std::optional<Finding> JudgeDigest(const BlockView& view);
  std::optional<FoldedOnlyReason> WhyFoldedOnly(const EntryView& entry, const DecodedEntry& decoded) const;
  Finding DamageFinding(const CheckedBlock& block) const;
  absl::StatusOr<Verdict> Undecodable(const CheckedBlock& block, Verdict verdict);
  void Fold(const EntryView& entry, const std::vector<Event>& events);

  const Options options_;
  std::optional<ChainVerifier> chain_;
  google::protobuf::Arena arena_;
  CheckedBlock checked_;
  ControllerState state_;
  InvariantChecker invariants_;
  VerifyTally tally_;
  bool stopped_ = false;
};

// The status of an event of a newer version, with the version that wrote the log, where that is known.
absl::Status WithWriter(const absl::Status& status, const std::string& written_by);

}  // namespace holdfast::replay
