#include "tests/simulation/world/committed.h"

#include <optional>
#include <string>
#include <utility>

#include "events/block_codec.h"
#include "events/event_codec.h"

namespace holdfast::simulation {

void Committed::ReadOn(const EventLog& log) {
  const absl::Status status = ReadBlocks(log);
  if (!status.ok()) world_.checkers.violations().Add("log", status.ToString());
}

absl::Status Committed::ReadBlocks(const EventLog& log) {
  if (!reader_) {
    absl::StatusOr<std::unique_ptr<BlockReader>> reader = log.NewReader(Next(last_));
    if (!reader.ok()) return reader.status();
    reader_ = std::move(*reader);
  }
  while (true) {
    absl::StatusOr<std::optional<StoredBlock>> stored = reader_->Next();
    if (!stored.ok()) return stored.status();
    if (!stored->has_value()) return absl::OkStatus();
    if (absl::Status status = view_.Parse((*stored)->block, (*stored)->bulk); !status.ok()) return status;
    if (absl::Status status = chain_.Check(view_); !status.ok()) return status;
    for (const EntryView& entry : view_.entries()) {
      if (absl::Status status = ReadEntry(entry); !status.ok()) return status;
    }
    last_ = view_.last();
    if (view_.header().state_digest != state_.StateDigest()) {
      return absl::DataLossError("the state folded up to sequence " + std::to_string(last_.value()) +
                                 " is not the one that the controller decided from");
    }
  }
}

absl::Status Committed::ReadEntry(const EntryView& entry) {
  if (absl::Status status = ParseEntry(entry, messages_); !status.ok()) return status;
  world_.checkers.OnEntry(
      {entry.sequence.value(), ToMicros(entry.at), entry.principal, entry.input, messages_.input, messages_.events});
  events_.clear();
  if (absl::Status status = DecodeEvents(entry.events, events_); !status.ok()) return status;
  const EntryPoint point{entry.sequence, entry.at};
  for (const Event& event : events_) {
    if (feed_ != nullptr) feed_->Before(event, point, state_);
    state_.Apply(event, point);
  }
  state_.Passed(point);
  state_.TakeEndedPeriods();
  return absl::OkStatus();
}

}  // namespace holdfast::simulation
