#include "server/status_report.h"

#include <absl/strings/str_cat.h>

#include "controller/proto_time.h"
#include "events/block_view.h"
#include "server/status_names.h"

namespace holdfast::server {
namespace {

using audit::v1::GetStatusResponse;

static_assert(kExtractionNames.size() == static_cast<std::size_t>(ExtractionPhase::kOver));
static_assert(kPoolNames.size() == Ownership::kPoolStates && kOwnershipNames.size() == Ownership::kOwnershipStates);

template <class Bytes>
std::string Text(const Bytes& bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void PutCounts(const ControllerState& state, GetStatusResponse* out) {
  for (std::size_t i = 1; i < kSessionNames.size(); ++i) {
    const auto session = static_cast<SessionState>(i);
    const auto put = [&](std::string_view kind, std::uint64_t count) {
      if (count > 0) (*out->mutable_sessions())[StatusKey(kind, kSessionNames[i])] = count;
    };
    put(kWorkerName, state.sessions().count(session));
    put(kCheckerName, state.checkers().count(session));
  }
  for (std::size_t pool = 0; pool < kPoolNames.size(); ++pool) {
    for (std::size_t ownership = 0; ownership < kOwnershipNames.size(); ++ownership) {
      const std::uint64_t count =
          state.ownership().count(static_cast<PoolState>(pool), static_cast<OwnershipState>(ownership));
      if (count > 0) (*out->mutable_proxies())[StatusKey(kPoolNames[pool], kOwnershipNames[ownership])] = count;
    }
  }
}

void PutChecks(const Checks& checks, LogTime now, GetStatusResponse* out) {
  out->set_checks_outstanding(checks.tasks());
  for (const CheckLevel level : Checks::kLevels) {
    const std::optional<LogTime> since = checks.WaitingSince(level);
    if (!since || !IsOver(*since, now)) continue;
    PutDuration(now - *since,
                &(*out->mutable_unchecked_age())[std::string(kLevelNames[static_cast<std::size_t>(level)])]);
  }
}

void PutExtractions(const Extractions& extractions, GetStatusResponse* out) {
  for (std::size_t i = 0; i < kExtractionNames.size(); ++i) {
    const std::uint64_t count = extractions.count(static_cast<ExtractionPhase>(i));
    if (count > 0) (*out->mutable_extractions())[std::string(kExtractionNames[i])] = count;
  }
}

void PutPool(const pool::ProjectorStatus& status, LogTime now, GetStatusResponse* out) {
  const std::string_view condition = pool::PhaseName(status.phase);
  out->set_pool_condition(condition.data(), condition.size());
  out->set_pool_applied_sequence(status.applied.value());
  out->set_pool_trouble(status.trouble);
  const bool waits = !IsAbsent(status.waiting_since) && IsOver(status.waiting_since, now);
  PutDuration(waits ? now - status.waiting_since : Duration(0), out->mutable_pool_lag());
  out->set_pool_rows_waiting(status.waiting);
  out->set_pool_rows_written(status.written);
}

const char* WhyWaiting(WaitReason reason) {
  switch (reason) {
    case WaitReason::kHistoryLost:
      return "a worker remembers more than this log: what the lost part granted may still be in use, so nothing is "
             "granted";
    case WaitReason::kPoolForeign:
      return "the pool store holds what this log does not know: what was granted may still be in use, so nothing is "
             "granted; then `holdfast pool adopt` is waited for";
    default:
      return "a new log: what an earlier one granted may still be in use, so nothing is granted";
  }
}

// No grants, or nobody expires, until then.
void PutHoldOff(const Run& run, LogTime now, GetStatusResponse* out) {
  if (!IsAbsent(run.wait_until()) && !IsOver(run.wait_until(), now)) {
    PutTime(run.wait_until(), out->mutable_hold_off_until());
    out->set_hold_off_because(WhyWaiting(run.wait_reason()));
  } else if (!IsOver(run.hold_off_until(), now)) {
    PutTime(run.hold_off_until(), out->mutable_hold_off_until());
    out->set_hold_off_because("the controller was silent for a while: no session expires for that");
  }
}

absl::StatusOr<StoredBlock> ReadBlock(const EventLog& log, Sequence from) {
  absl::StatusOr<std::unique_ptr<BlockReader>> reader = log.NewReader(from);
  if (!reader.ok()) return reader.status();
  absl::StatusOr<std::optional<StoredBlock>> block = (*reader)->Next();
  if (!block.ok()) return block.status();
  if (!block->has_value()) {
    return absl::NotFoundError(absl::StrCat("the log has no block from sequence ", from.value(), " on"));
  }
  return std::move(**block);
}

absl::Status PutChainFromLog(const EventLog& log, GetStatusResponse* out) {
  const absl::StatusOr<StoredBlock> block = ReadBlock(log, Sequence(out->last_sequence()));
  if (!block.ok()) return block.status();
  BlockView view;
  if (absl::Status status = view.Parse(block->block, block->bulk); !status.ok()) return status;
  out->set_chain_hash(Text(view.hash()));
  if (view.last().value() == out->last_sequence()) return absl::OkStatus();
  out->set_last_sequence(view.last().value());
  out->set_state_digest(Text(view.header().state_digest));
  return absl::OkStatus();
}

}  // namespace

void PutStateStatus(const ControllerState& state, LogTime now, GetStatusResponse* out) {
  const Run& run = state.run();
  out->set_software_version(run.software_version());
  out->set_log_id(run.log_id_text());
  out->set_last_sequence(run.last().sequence.value());
  out->set_state_digest(Text(state.StateDigest()));
  PutTime(now, out->mutable_log_time());
  out->set_role(audit::v1::ROLE_LEADER);
  PutHoldOff(run, now, out);
  out->set_rules_version(run.rules_version());
  PutCounts(state, out);
  PutChecks(state.checks(), now, out);
  PutExtractions(state.extractions(), out);
  out->set_alarms(run.alarms().size());
  PutTime(run.started_at(), out->mutable_started_at());
}

void PutProcessStatus(const ControllerLoop& loop, const StatusSources& sources, GetStatusResponse* out) {
  const LoopStatus status = loop.status();
  if (sources.verified_through) out->set_verified_sequence(sources.verified_through().value());
  if (sources.disk_free_bytes) out->set_disk_free_bytes(sources.disk_free_bytes());
  if (sources.not_serving_because) out->set_not_serving_because(sources.not_serving_because());
  out->set_serving(out->not_serving_because().empty());
  out->set_pool_backend(sources.pool_backend);
  if (sources.pool) PutPool(sources.pool(), loop.Now(), out);
  out->set_config_hash(sources.config_hash);
  out->set_insecure(sources.insecure);
  out->set_queue_bytes(status.queue_bytes);
  PutDuration(status.since_last_commit, out->mutable_since_last_commit());
  PutDuration(status.clock_offset, out->mutable_clock_offset());
}

absl::Status PutLogStatus(const EventLog& log, const LoopStatus& loop, GetStatusResponse* out) {
  out->set_log_bytes(log.SizeBytes());
  const absl::StatusOr<StoredBlock> first = ReadBlock(log, Sequence());
  if (!first.ok()) return first.status();
  out->set_first_sequence(first->first.value());
  if (loop.last_durable.value() != out->last_sequence()) return PutChainFromLog(log, out);
  out->set_chain_hash(Text(loop.chain_hash));
  return absl::OkStatus();
}

}  // namespace holdfast::server
