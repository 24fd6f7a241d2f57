// Runtime reports: what counts, what fences, what drains. Contract: ReportRuntime.

#include <xxhash.h>

#include <algorithm>

#include "base/digest.h"
#include "controller/decide.h"
#include "controller/handover.h"
#include "controller/proto_time.h"
#include "controller/rule_constant.h"
#include "controller/session_rules.h"
#include "controller/snapshot_content.h"

namespace holdfast {
namespace {

using controlplane::v1::ProxyRuntime;
using controlplane::v1::ReportRuntimeRequest;
using controlplane::v1::ReportRuntimeResponse;

constexpr std::uint64_t kSequenceJump = RuleConstant<std::uint64_t>(1ull << 32, 1);  // above the last one: a fault
constexpr std::size_t kMostRevoked = 1000;
constexpr std::size_t kMostReleased = 4096;  // by one report

bool SaysNothing(const ProxyRuntime& counter) {
  return counter.active() == 0 && counter.reserved() == 0 && !counter.draining();
}

// Of the content: the counters as a set, without those that say nothing; not observed_at, which is for people.
ContentHash HashOfContent(const ReportRuntimeRequest& request) {
  Digest sum;
  for (const ProxyRuntime& counter : request.counters()) {
    if (SaysNothing(counter)) continue;
    RowHasher row(1);
    sum.Add(row.Text(counter.proxy_id())
                .Number(counter.active())
                .Number(counter.reserved())
                .Number(counter.draining())
                .Finish());
  }
  const auto counters = sum.Bytes();
  RowHasher hash(2);
  hash.Number(request.snapshot_version()).Number(request.ownership_epoch()).Number(request.draining());
  hash.Number(request.queued_request_count());
  return hash.Text(std::string_view(reinterpret_cast<const char*>(counters.data()), counters.size())).Finish().Bytes();
}

ReportRuntimeResponse Answer(const ControllerState& state, const WorkerRow& worker, const DecisionPoint& point,
                             std::uint64_t accepted_sequence) {
  ReportRuntimeResponse reply;
  const WorkerKey key = worker.opened.worker;
  reply.set_accepted_sequence(accepted_sequence);
  for (const ProxyKey proxy : NoLongerGranted(state, key, kMostRevoked)) {
    reply.add_revoke_proxy_ids(state.snapshots().At(key).content.at(proxy)->spec->proxy_id.value());
  }
  reply.set_session_state(WireState(worker.state));
  if (worker.state == SessionState::kDraining && !IsAbsent(worker.drain_deadline))
    PutTime(worker.drain_deadline, reply.mutable_drain_deadline());
  PutTime(point.now, reply.mutable_server_time());
  reply.set_runtime_fenced(state.snapshots().At(key).fenced);
  return reply;
}

// What the report changes against the one before; counters for what is not the worker's count for nothing.
// busy: addresses on which something runs.
RuntimeAccepted Difference(const ControllerState& state, const WorkerRow& worker, const ReportRuntimeRequest& request,
                           absl::btree_set<AddressKey>& busy) {
  const WorkerKey key = worker.opened.worker;
  const RuntimeRow& before = state.runtime().At(key);
  RuntimeAccepted accepted;
  accepted.worker = key;
  accepted.report_sequence = request.report_sequence();
  accepted.queued = request.queued_request_count();
  const auto note = [&](ProxyKey proxy, Counters counters) {
    accepted.proxies.push_back(proxy);
    accepted.active.push_back(counters.active);
    accepted.reserved.push_back(counters.reserved);
  };
  absl::btree_set<ProxyKey> named;
  for (const ProxyRuntime& counter : request.counters()) {
    if (SaysNothing(counter)) continue;
    const ProxyKey proxy = state.pool().FindProxy(counter.proxy_id());
    const HoldRow* hold = proxy.value() == 0 ? nullptr : &state.ownership().hold(state.pool().proxy(proxy).address);
    const bool own = hold != nullptr && hold->owner == key && hold->epoch == worker.opened.epoch;
    if (!own) {
      ++accepted.ignored;
      continue;
    }
    const Counters now{counter.active(), counter.reserved()};
    if (now == Counters{}) continue;
    named.insert(proxy);
    if (hold->state == OwnershipState::kRevoking) busy.insert(state.pool().proxy(proxy).address);
    const auto found = before.counters.find(proxy);
    if (found == before.counters.end() || found->second != now) note(proxy, now);
  }
  for (const auto& [proxy, counters] : before.counters) {
    if (!named.contains(proxy)) note(proxy, Counters{});
  }
  return accepted;
}

// What was asked back, was shown as DRAINING by a version that is acknowledged, and runs nothing any more by a report
// of that version, is released with the three entries that prove it. Windows of other instances are over where
// something is GRANTED, so at every revoke as well.
void ReleaseProven(const ControllerState& state, const WorkerRow& worker, const absl::btree_set<AddressKey>& busy,
                   Sequence report, std::vector<Event>& events) {
  const WorkerSnapshots& snapshots = state.snapshots().At(worker.opened.worker);
  std::size_t released = 0;
  for (const AddressKey address : state.ownership().holder(worker.opened.worker).revoking) {
    const HoldRow& hold = state.ownership().hold(address);
    const bool shown = hold.drain_target.value() != 0 && hold.drain_target <= snapshots.accepted->version;
    if (!shown || busy.contains(address)) continue;
    if (++released > kMostReleased) return;
    AppendRelease(state, address, EndReason::kDrained,
                  {hold.drain_target, hold.drain_shown_at, snapshots.accepted_by, report}, events);
  }
}

// The report's own part of the decision, apart from draining: refused or accepted, and alive in either case.
Decision DecideCounters(const ControllerState& state, const WorkerRow& worker, const ReportRuntimeRequest& request,
                        const DecisionPoint& point) {
  const WorkerKey key = worker.opened.worker;
  const WorkerSnapshots& snapshots = state.snapshots().At(key);
  const RuntimeRow& before = state.runtime().At(key);
  const std::uint64_t sequence = request.report_sequence();
  if (snapshots.fenced) {
    return {{SessionHeard{key}},
            Rejection{RejectReason::kRuntimeFenced,
                      "the last answer to a snapshot was a refusal; watch again and acknowledge"}};
  }
  if (!snapshots.accepted || snapshots.accepted->version.value() != request.snapshot_version()) {
    const std::uint64_t accepted = snapshots.accepted ? snapshots.accepted->version.value() : 0;
    return {{SessionHeard{key}},
            Rejection{RejectReason::kVersionNotAcknowledged,
                      "snapshot_version is not the accepted one; acknowledge it first",
                      "snapshot_version",
                      {{"accepted_version", std::to_string(accepted)}}}};
  }
  if (sequence > before.report_sequence + kSequenceJump) {
    return {
        {},
        Rejection{RejectReason::kMalformed, "report_sequence is more than 2^32 above the last one", "report_sequence"}};
  }
  const ContentHash content = HashOfContent(request);
  if (before.report_sequence != 0 && sequence == before.report_sequence) {
    if (content == before.content_hash) return {{}, Answer(state, worker, point, sequence)};
    return {{},
            Rejection{RejectReason::kSequenceConflict,
                      "this report_sequence was used with other content; take a new one", "report_sequence"}};
  }
  if (sequence <= before.report_sequence) {
    return {{},
            Rejection{RejectReason::kSequenceRegressed,
                      "report_sequence is below the last accepted one; take a new one",
                      "report_sequence",
                      {{"accepted_sequence", std::to_string(before.report_sequence)}}}};
  }
  absl::btree_set<AddressKey> busy;
  RuntimeAccepted accepted = Difference(state, worker, request, busy);
  accepted.content_hash = content;
  Decision decision;
  decision.events.emplace_back(std::move(accepted));
  ReleaseProven(state, worker, busy, point.sequence, decision.events);
  decision.reply = Answer(state, worker, point, sequence);
  return decision;
}

// A worker that drains: no way back but a new session. What it says of it takes effect whatever else is refused.
void Drain(const ControllerState& state, const WorkerRow& worker, bool asked, LogTime now, Decision& decision) {
  const std::size_t before = decision.events.size();
  if (asked && worker.state != SessionState::kDraining) {
    DrainSession(state, worker, DrainReason::kShutdown, {now + state.settings().drain_grace, {}}, decision.events);
  } else if (worker.state == SessionState::kDraining) {
    CloseIfDrained(state, worker, decision.events);
  }
  auto* reply = std::get_if<ReportRuntimeResponse>(&decision.reply);
  if (reply == nullptr) return;
  for (std::size_t i = before; i < decision.events.size(); ++i) {
    if (const auto* draining = std::get_if<SessionDraining>(&decision.events[i])) {
      reply->set_session_state(WireState(SessionState::kDraining));
      PutTime(draining->deadline, reply->mutable_drain_deadline());
    }
    if (std::holds_alternative<SessionClosed>(decision.events[i])) {
      reply->set_session_state(WireState(SessionState::kClosed));
    }
  }
}

}  // namespace

Decision DecideRuntime(const ControllerState& state, const ReportRuntimeRequest& request, const DecisionPoint& point) {
  const SessionLookup lookup = FindSession(state, request.worker_id(), request.session_id(), request.ownership_epoch());
  if (const auto* rejection = std::get_if<Rejection>(&lookup)) return {{}, *rejection};
  const WorkerRow& worker = *std::get<const WorkerRow*>(lookup);
  Decision decision = DecideCounters(state, worker, request, point);
  Drain(state, worker, request.draining(), point.now, decision);
  return decision;
}

}  // namespace holdfast
