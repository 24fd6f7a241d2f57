#include "tests/simulation/checkers/durability_checker.h"

#include <utility>

namespace holdfast::simulation {
namespace {

std::int64_t MicrosOf(const google::protobuf::Timestamp& time) {
  return time.seconds() * 1'000'000 + time.nanos() / 1'000;
}

}  // namespace

void DurabilityChecker::Answered(const std::string& input_bytes) {
  const auto owed = owed_.try_emplace(input_bytes, 0).first;
  if (++owed->second == 0) owed_.erase(owed);
}

void DurabilityChecker::Shown(const std::string& worker_id, const controlplane::v1::SnapshotUpdate& update) {
  if (!update.has_full() && !update.has_delta()) return;
  const bool full = update.has_full();
  const UpdateKey key(worker_id, full ? update.full().version() : update.delta().version());
  const Issue issue{full ? update.full().checksum() : update.delta().checksum(),
                    MicrosOf(full ? update.full().valid_until() : update.delta().valid_until())};
  const auto issued = issued_.find(key);
  if (issued == issued_.end()) {
    shown_unlogged_.emplace(key, issue);
  } else if (issued->second != issue) {
    violations_.Add("durability", "version " + std::to_string(key.second) + " went to " + worker_id +
                                      " with another checksum or validity than it was issued with");
  }
}

void DurabilityChecker::OnEntry(const Entry& entry) {
  if (entry.sequence != last_sequence_ + 1) {
    violations_.Add("durability",
                    "sequence " + std::to_string(entry.sequence) + " follows " + std::to_string(last_sequence_));
  }
  if (entry.at_us < last_at_us_) {
    violations_.Add("durability", "log time goes back at sequence " + std::to_string(entry.sequence));
  }
  if (std::exchange(start_due_, false) && !entry.input.has_start_controller()) {
    violations_.Add("durability", "sequence " + std::to_string(entry.sequence) + ": the first entry of a run is " +
                                      InputNameOf(entry.input) + ", and not its start");
  }
  last_sequence_ = entry.sequence;
  last_at_us_ = entry.at_us;
  if (entry.input.input_case() >= log::v1::Input::kRegisterWorker) {
    const auto owed = owed_.try_emplace(std::string(entry.input_bytes), 0).first;
    if (--owed->second == 0) owed_.erase(owed);
  }
  for (const log::v1::Event& event : entry.events.events()) {
    if (!event.has_snapshot_issued()) continue;
    const ModelWorker* worker = model_.Worker(event.snapshot_issued().worker());
    if (worker == nullptr) continue;
    const UpdateKey key(worker->worker_id, event.snapshot_issued().version());
    const Issue issue{event.snapshot_issued().checksum(), event.snapshot_issued().valid_until()};
    issued_.emplace(key, issue);
    const auto shown = shown_unlogged_.find(key);
    if (shown == shown_unlogged_.end()) continue;
    if (shown->second != issue) violations_.Add("durability", "a version is issued again with other content");
    shown_unlogged_.erase(shown);
  }
}

void DurabilityChecker::Recovered() {
  start_due_ = true;
  for (const auto& [bytes, owed] : owed_) {
    if (owed <= 0) continue;
    log::v1::Input input;
    input.ParseFromString(bytes);
    violations_.Add("durability", "an answer was given to an input that is not in the log: " + InputNameOf(input) +
                                      " {" + input.ShortDebugString() + "}");
  }
  if (shown_unlogged_.empty()) return;
  const UpdateKey& key = shown_unlogged_.begin()->first;
  violations_.Add("durability",
                  "version " + std::to_string(key.second) + " went to " + key.first + " and is not in the log");
}

}  // namespace holdfast::simulation
