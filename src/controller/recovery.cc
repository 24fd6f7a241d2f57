#include "controller/recovery.h"

#include <absl/strings/str_cat.h>

#include "base/check.h"
#include "events/block_view.h"
#include "events/chain_verifier.h"
#include "events/event_codec.h"

namespace holdfast {
namespace {

absl::Status FoldEntry(const EntryView& entry, const std::vector<ControllerState*>& states,
                       std::vector<Event>& events) {
  events.clear();
  if (absl::Status status = DecodeEvents(entry.events, events); !status.ok()) {
    return absl::Status(status.code(),
                        absl::StrCat("sequence ", entry.sequence.value(), ": ", absl::string_view(status.message())));
  }
  const ScopedCheckSequence check(entry.sequence.value());
  const EntryPoint point{entry.sequence, entry.at};
  for (ControllerState* state : states) {
    for (const Event& event : events) state->Apply(event, point);
    state->Passed(point);
    state->TakeEndedPeriods();  // they stand beside the block already
  }
  return absl::OkStatus();
}

// Where the log's clock stood when the entry had been decided.
LogTime TimeAfter(const EntryView& entry, const std::vector<Event>& events) {
  LogTime time = entry.at;
  for (const Event& event : events) {
    if (const auto* accepted = std::get_if<ClockAccepted>(&event)) time += accepted->moved;
  }
  return time;
}

absl::Status CheckDigest(const BlockView& block, const ControllerState& state) {
  const bool comparable = block.header().state_version == ControllerState::Version();
  if (!comparable || block.header().state_digest == state.StateDigest()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("the state folded up to sequence ", block.last().value(),
                                          " is not the one that the log was written from; run holdfast-replay verify"));
}

}  // namespace

absl::StatusOr<RecoveredLog> Recover(const EventLog& log, const std::vector<ControllerState*>& states,
                                     const std::function<void(Sequence)>& progress) {
  RecoveredLog recovered;
  absl::StatusOr<std::unique_ptr<BlockReader>> reader = log.NewReader(Sequence());
  if (!reader.ok()) return reader.status();
  ChainVerifier chain;
  BlockView view;
  std::vector<Event> events;
  while (true) {
    absl::StatusOr<std::optional<StoredBlock>> stored = (*reader)->Next();
    if (!stored.ok()) return stored.status();
    if (!stored->has_value()) break;
    if (absl::Status status = view.Parse((*stored)->block, (*stored)->bulk); !status.ok()) return status;
    if (absl::Status status = chain.Check(view); !status.ok()) return status;
    for (const EntryView& entry : view.entries()) {
      if (absl::Status status = FoldEntry(entry, states, events); !status.ok()) return status;
      recovered.last_at = TimeAfter(entry, events);
    }
    for (const ControllerState* state : states) {
      if (absl::Status status = CheckDigest(view, *state); !status.ok()) return status;
    }
    recovered.tip = {view.last(), view.hash()};
    recovered.log_id = view.header().log_id;
    recovered.boot_id = view.header().boot_id;
    recovered.boot_micros = view.header().boot_micros;
    if (progress) progress(view.last());
  }
  return recovered;
}

}  // namespace holdfast
