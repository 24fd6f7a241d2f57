#include "replay/verifier.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "controller/decide.h"
#include "controller/rules_version.h"

namespace holdfast::replay {
namespace {

Finding AtEntry(FindingKind kind, Sequence sequence, std::string text) {
  return Finding{.kind = kind, .first = sequence, .last = sequence, .text = std::move(text), .differences = {}};
}

std::string Hex(const std::array<std::uint8_t, 16>& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) absl::StrAppend(&text, absl::Hex(byte, absl::kZeroPad2));
  return text;
}

// The rules that decided an entry: of the run it belongs to, which a start begins.
std::uint32_t RulesOf(const ControllerState& state, const log::v1::Input* input) {
  if (input != nullptr && input->has_start_controller()) return input->start_controller().rules_version();
  return state.run().rules_version();
}

}  // namespace

absl::Status WithWriter(const absl::Status& status, const std::string& written_by) {
  if (status.code() != absl::StatusCode::kUnimplemented || written_by.empty()) return status;
  return absl::UnimplementedError(absl::StrCat(status.message(), " (it was written by version ", written_by, ")"));
}

absl::StatusOr<Verdict> Verifier::Check(const StoredBlock& stored) {
  CheckChain(stored, false, chain_, checked_);
  if (checked_.chain.ok()) DecodeEntries(options_.decide_from, arena_, checked_);
  absl::StatusOr<Verdict> verdict = Judge(checked_);
  arena_.Reset();
  return verdict;
}

absl::StatusOr<Verdict> Verifier::Judge(const CheckedBlock& block) {
  if (stopped_) {
    return absl::FailedPreconditionError(
        absl::StrCat("the verification ended at sequence ", tally_.last.value(), ": begin anew from the first block"));
  }
  stopped_ = true;  // unless all of it is sound
  Verdict verdict;
  if (!block.chain.ok()) {
    if (block.chain.code() != absl::StatusCode::kDataLoss) return WithWriter(block.chain, written_by());
    verdict.finding = DamageFinding(block);
    return verdict;
  }
  for (std::size_t i = 0; i < block.entries.size() && !verdict.finding; ++i) {
    const EntryView& entry = block.view.entries()[i];
    const log::v1::Input* input = block.entries[i].input;
    const bool unset = input != nullptr && input->input_case() == log::v1::Input::INPUT_NOT_SET;
    if (unset && !WhyFoldedOnly(entry, block.entries[i])) {
      return WithWriter(absl::UnimplementedError(absl::StrCat("sequence ", entry.sequence.value(),
                                                              ": its input is of a kind that is not known to this "
                                                              "version; use the version that wrote the log")),
                        written_by());
    }
    verdict.finding = JudgeEntry(entry, block.entries[i], verdict);
  }
  if (verdict.finding) return verdict;
  if (!block.decoding.ok()) return Undecodable(block, std::move(verdict));
  ++tally_.blocks;
  verdict.finding = JudgeDigest(block.view);
  stopped_ = verdict.finding.has_value();
  return verdict;
}

Finding Verifier::DamageFinding(const CheckedBlock& block) const {
  Finding finding;
  finding.kind = FindingKind::kDamage;
  finding.first = std::min(block.first, Next(tally_.last));
  finding.last = block.view.entries().empty() ? finding.first : block.view.last();
  finding.text = std::string(block.chain.message());
  return finding;
}

absl::StatusOr<Verdict> Verifier::Undecodable(const CheckedBlock& block, Verdict verdict) {
  if (block.decoding.code() == absl::StatusCode::kUnimplemented) return WithWriter(block.decoding, written_by());
  const Sequence sequence = block.view.entries()[block.entries.size()].sequence;
  verdict.finding = AtEntry(FindingKind::kUnreadable, sequence, std::string(block.decoding.message()));
  return verdict;
}

std::optional<FoldedOnlyReason> Verifier::WhyFoldedOnly(const EntryView& entry, const DecodedEntry& decoded) const {
  if (entry.sequence < options_.decide_from) return FoldedOnlyReason::kBeforeStart;
  if (entry.input_dropped) return FoldedOnlyReason::kBodyDropped;
  const std::uint32_t rules = RulesOf(state_, decoded.input);
  if (rules < kOldestRulesVersion || rules > kRulesVersion) return FoldedOnlyReason::kRulesUnknown;
  return std::nullopt;
}

std::optional<Finding> Verifier::JudgeEntry(const EntryView& entry, const DecodedEntry& decoded, Verdict& verdict) {
  const ScopedCheckSequence check(entry.sequence.value());
  std::optional<Finding> finding;
  if (const std::optional<FoldedOnlyReason> reason = WhyFoldedOnly(entry, decoded)) {
    tally_.NoteFoldedOnly(entry.sequence, *reason);
  } else {
    const Decision decision = Decide(state_, *decoded.input, {entry.at, entry.sequence, entry.principal});
    if (decision.events != decoded.events) {
      const std::string_view kind = InputKind(*decoded.input);
      finding = AtEntry(FindingKind::kDecision, entry.sequence,
                        absl::StrCat("the rules decide something else from this ",
                                     absl::string_view(kind.data(), kind.size()), " than what the log says"));
      finding->differences = CompareEvents(decoded.events, decision.events);
    }
    tally_.decided += finding ? 0 : 1;
  }
  if (Violation violation = invariants_.Check(entry.sequence, entry.at, decoded.events)) {
    if (!finding) return AtEntry(FindingKind::kInvariant, entry.sequence, std::move(*violation));
    absl::StrAppend(&finding->text, "; what it says also breaks an invariant: ", *violation);
  }
  if (finding) return finding;
  Fold(entry, decoded.events);
  std::vector<OwnershipPeriod> ended = state_.TakeEndedPeriods();
  std::move(ended.begin(), ended.end(), std::back_inserter(verdict.ended));
  return std::nullopt;
}

void Verifier::Fold(const EntryView& entry, const std::vector<Event>& events) {
  const EntryPoint point{entry.sequence, entry.at};
  for (const Event& event : events) state_.Apply(event, point);
  state_.Passed(point);
  ++tally_.entries;
  tally_.last = entry.sequence;
  tally_.last_at = entry.at;
}

std::optional<Finding> Verifier::JudgeDigest(const BlockView& view) {
  if (view.header().state_version != ControllerState::Version()) {
    ++tally_.digests_of_others;
    return std::nullopt;
  }
  ++tally_.digests;
  const std::array<std::uint8_t, 16> digest = state_.StateDigest();
  if (digest == view.header().state_digest) return std::nullopt;
  return Finding{.kind = FindingKind::kStateDigest,
                 .first = view.header().first,
                 .last = view.last(),
                 .text = "the state after this block is not the one that it was written from",
                 .differences = {{"state_digest", Hex(view.header().state_digest), Hex(digest)}}};
}

}  // namespace holdfast::replay
