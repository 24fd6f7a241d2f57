#include "server/read_observation.h"

#include <absl/strings/str_cat.h>

#include <memory>
#include <optional>
#include <string>

#include "controller/log_render.h"
#include "events/block_view.h"

namespace holdfast::server {
namespace {

// The entry's input; NotFound: it is not there, or not any more.
absl::StatusOr<log::v1::Input> ReadInput(const EventLog& log, Sequence sequence) {
  const absl::StatusOr<std::unique_ptr<BlockReader>> reader = log.NewReader(sequence);
  if (!reader.ok()) return reader.status();
  const absl::StatusOr<std::optional<StoredBlock>> block = (*reader)->Next();
  if (!block.ok()) return block.status();
  BlockView view;
  if (*block) {
    if (absl::Status status = view.Parse((*block)->block, (*block)->bulk); !status.ok()) return status;
  }
  EntryMessages messages;
  for (const EntryView& entry : view.entries()) {
    if (entry.sequence != sequence || entry.input_dropped) continue;
    if (absl::Status status = ParseEntry(entry, messages); !status.ok()) return status;
    return std::move(messages.input);
  }
  return absl::NotFoundError(absl::StrCat("the report at sequence ", sequence.value(), " is not kept any more"));
}

}  // namespace

absl::StatusOr<controlplane::v1::HealthObservation> ReadObservation(const EventLog& log, const Evidence& evidence) {
  const absl::StatusOr<log::v1::Input> input = ReadInput(log, evidence.sequence);
  if (!input.ok()) return input.status();
  const std::string task = std::to_string(evidence.task.value());
  for (const auto& observation : input->report_observations().request().observations()) {
    if (observation.task_id() == task) return observation;
  }
  return absl::NotFoundError(
      absl::StrCat("the report at sequence ", evidence.sequence.value(), " says nothing of task ", task));
}

}  // namespace holdfast::server
