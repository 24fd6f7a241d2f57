// The controller's own run: a start, the wall clock, silence, what its self-audit found. Design: log.md "Log time",
// ownership.md "Time and recovery".

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "controller/checker_rules.h"
#include "controller/decide.h"
#include "controller/proto_time.h"
#include "controller/reducer.h"
#include "controller/rule_constant.h"
#include "controller/session_rules.h"
#include "controller/wait_rules.h"

namespace holdfast {
namespace {

constexpr int kBaseShift =
    RuleConstant(20, 21);  // epochs and versions of a log start at the seconds of its creation times 2^20

void ReadHealth(const log::v1::Settings& in, Settings& out) {
  out.basic_interval = Duration(in.basic_interval());
  out.basic_timeout = Duration(in.basic_timeout());
  out.egress_interval = Duration(in.egress_interval());
  out.egress_timeout = Duration(in.egress_timeout());
  out.egress_required = in.egress_required();
  out.egress_min_anonymity = in.egress_min_anonymity();
  out.target_interval = Duration(in.target_interval());
  out.target_timeout = Duration(in.target_timeout());
  out.suspect_interval = Duration(in.suspect_interval());
  out.unhealthy_max_interval = Duration(in.unhealthy_max_interval());
  out.failures_to_suspect = in.failures_to_suspect();
  out.failures_to_unhealthy = in.failures_to_unhealthy();
  out.passes_to_available = in.passes_to_available();
  out.passes_from_unhealthy = in.passes_from_unhealthy();
  out.guard_window = Duration(in.guard_window());
  out.guard_share_ppm = in.guard_share_ppm();
  out.guard_minimum = in.guard_minimum();
  out.outcomes_window = Duration(in.outcomes_window());
  out.outcomes_count = in.outcomes_count();
  out.outcomes_failures = in.outcomes_failures();
}

Settings SettingsOf(const log::v1::Settings& in) {
  Settings out;
  const auto micros = [](std::int64_t value) { return Duration(value); };
  out.session_ttl = micros(in.session_ttl());
  out.report_interval = micros(in.report_interval());
  out.runtime_ttl = micros(in.runtime_ttl());
  out.snapshot_validity = micros(in.snapshot_validity());
  out.renewal_interval = micros(in.renewal_interval());
  out.max_stale_age = micros(in.max_stale_age());
  out.recovery_hold_off = micros(in.recovery_hold_off());
  out.default_lifetime = micros(in.default_lifetime());
  out.default_capacity = in.default_capacity();
  out.allocation_safety_margin = micros(in.allocation_safety_margin());
  out.lapse_grace = micros(in.lapse_grace());
  out.drain_grace = micros(in.drain_grace());
  out.ack_timeout = micros(in.ack_timeout());
  out.max_message = in.max_message();
  out.max_batch = in.max_batch();
  out.max_proxies_per_worker = in.max_proxies_per_worker();
  out.max_labels = in.max_labels();
  out.max_label_bytes = in.max_label_bytes();
  out.trust_unchecked = in.trust_unchecked();
  out.allow_special = in.allow_special();
  out.reserve_ppm = in.reserve_ppm();
  out.rebalance_max_moves = in.rebalance_max_moves();
  ReadHealth(in, out);
  return out;
}

void CreateLog(const log::v1::StartController& input, const DecisionPoint& point, std::vector<Event>& events) {
  LogCreated created;
  const std::string& id = input.log_id();
  std::memcpy(created.log_id.data(), id.data(), std::min(id.size(), created.log_id.size()));
  created.base = static_cast<std::uint64_t>(ToMicros(point.now) / 1'000'000) << kBaseShift;
  created.bootstrap = input.bootstrap();
  events.emplace_back(created);
}

// A new log, and one whose wait was not over when the daemon last stopped, waits from this start on: an empty log does
// not prove an empty world.
void Wait(const ControllerState& state, const log::v1::StartController& input, const Settings& settings,
          const DecisionPoint& point, std::vector<Event>& events) {
  const bool fresh = !state.run().created();
  if (fresh ? input.bootstrap() : IsAbsent(state.run().wait_until())) return;
  const WaitReason reason = fresh ? WaitReason::kNewLog : state.run().wait_reason();
  StartWait(settings, reason, point.now, events);
}

// On another boot the wall may lie: sessions end, and what was held is held for as long as it had left at the last
// entry, counted from now.
void EndAllSessions(const ControllerState& state, const DecisionPoint& point, std::vector<Event>& events) {
  const Duration passed = point.now - state.run().last().at;
  state.sessions().workers().ForEach([&](WorkerKey key, const WorkerRow& worker) {
    if (worker.open()) {
      if (worker.stream.value() != 0) {
        events.emplace_back(SessionDetached{key, worker.stream, RejectReason::kUnspecified});
      }
      events.emplace_back(SessionClosed{key, worker.opened.session_id, CloseReason::kRecovery});
    }
    std::map<std::tuple<Epoch, LapseCause, RevokeReason>, OwnershipLapsing> lapsing;
    for (const AddressKey address : state.ownership().holder(key).owned) {
      const HoldRow& hold = state.ownership().hold(address);
      const bool revoked = hold.revoked();
      const bool lapses = hold.state == OwnershipState::kLapsing;
      const LapseCause cause = revoked ? LapseCause::kRevoked : lapses ? hold.lapse_cause : LapseCause::kSessionOver;
      OwnershipLapsing& event = lapsing[{hold.epoch, cause, hold.revoke_reason}];
      event.worker = key;
      event.worker_id = worker.opened.worker_id;
      event.epoch = hold.epoch;
      event.cause = cause;
      event.revoke_reason = hold.revoke_reason;
      event.addresses.push_back(address);
      event.owned_until.push_back(state.ownership().OwnedUntil(address) + passed);
    }
    for (auto& [key_of_it, event] : lapsing) events.emplace_back(std::move(event));
  });
}

// Checkers as well, with their tasks.
void EndAllCheckers(const ControllerState& state, LogTime now, std::vector<Event>& events) {
  state.checkers().checkers().ForEach([&](CheckerKey, const CheckerRow& checker) {
    if (!checker.open()) return;
    CloseChecker(state, checker, CloseReason::kRecovery, RejectReason::kSessionClosed, now, events);
  });
}

// Streams do not survive the process that held them.
void DetachAll(const ControllerState& state, std::vector<Event>& events) {
  state.sessions().workers().ForEach([&](WorkerKey key, const WorkerRow& worker) {
    if (worker.open() && worker.stream.value() != 0) {
      events.emplace_back(SessionDetached{key, worker.stream, RejectReason::kUnspecified});
    }
  });
  state.checkers().checkers().ForEach([&](CheckerKey key, const CheckerRow& checker) {
    if (checker.attached()) events.emplace_back(CheckerDetached{key, checker.stream, RejectReason::kUnspecified});
  });
}

// An operator says that what was never checked may be used after all.
void TrustUnchecked(const ControllerState& state, const Settings& settings, std::vector<Event>& events) {
  if (!settings.trust_unchecked || state.settings().trust_unchecked) return;
  state.pool().proxies().ForEach([&](ProxyKey proxy, const ProxyRow& row) {
    if (row.state != PoolState::kPending) return;
    const ProxyHealth& health = state.health().proxy(proxy);
    const PoolState pool = PoolStateOf(settings, health.basic.state, health.egress.state);
    if (pool == row.state) return;
    const bool basic = health.basic.state == HealthState::kUnknown;
    events.emplace_back(ProxyStateChanged{proxy, pool, basic ? CheckLevel::kBasic : CheckLevel::kEgress, CheckerKey()});
  });
}

}  // namespace

Decision DecideStart(const ControllerState& state, const log::v1::StartController& input, const DecisionPoint& point) {
  Decision decision;
  const bool fresh = !state.run().created();
  const Settings settings = SettingsOf(input.settings());
  if (fresh) CreateLog(input, point, decision.events);
  ControllerStarted started;
  started.controller_epoch = state.run().controller_epoch() + 1;
  started.rules_version = input.rules_version();
  started.software_version = input.software_version();
  started.boot_id = input.boot_id();
  started.same_boot = input.same_boot();
  started.downtime = fresh ? Duration(0) : point.now - state.run().last().at;
  decision.events.emplace_back(started);
  if (fresh || settings != state.settings()) decision.events.emplace_back(SettingsChanged{settings});
  if (!fresh) {
    if (input.same_boot()) DetachAll(state, decision.events);
    if (!input.same_boot()) EndAllSessions(state, point, decision.events);
    if (!input.same_boot()) EndAllCheckers(state, point.now, decision.events);
    TrustUnchecked(state, settings, decision.events);
  }
  Wait(state, input, settings, point, decision.events);
  return decision;
}

Decision DecideClock(const ControllerState& state, const log::v1::ObserveClock& input, const DecisionPoint&) {
  Decision decision;
  const bool off = input.offset_micros() != 0;
  decision.events.emplace_back(ClockJumped{input.wall_micros(), Duration(input.offset_micros())});
  const bool alarmed = state.run().alarms().contains({AlarmKind::kClockJumped, ""});
  if (off) {
    decision.events.emplace_back(AlarmRaised{
        AlarmKind::kClockJumped, "",
        "the wall clock is more than 5 s off the log clock; deadlines run by the log clock and are not moved"});
  } else if (alarmed) {
    decision.events.emplace_back(AlarmCleared{AlarmKind::kClockJumped, ""});
  }
  return decision;
}

Decision DecideTimeMark(const ControllerState& state, const DecisionPoint&) {
  if (!state.ownership().anything_held()) return {};
  return {{TimeMarked{}}, {}};
}

Decision DecideStall(const ControllerState& state, const log::v1::SyncStalled& input, const DecisionPoint& point) {
  Decision decision;
  const Duration stalled(input.stalled_micros());
  decision.events.emplace_back(HoldOffStarted{stalled, point.now + state.settings().recovery_hold_off});
  decision.events.emplace_back(AlarmRaised{AlarmKind::kSyncStalled, "",
                                           "the log did not sync for " + std::to_string(stalled.count() / 1000) +
                                               " ms; the silence is not held against sessions"});
  return decision;
}

// An operator's word: log time goes on at the wall's, and nobody's deadline is nearer for it. Members reckon by the
// least over the answers of their session: those before the move would let them take new times for later than they are.
// So every session ends, and what came of it is judged by its own samples.
Decision DecideAcceptClock(const ControllerState& state, const log::v1::AcceptClock& input,
                           const DecisionPoint& point) {
  if (input.move_micros() <= 0) {
    return {{},
            Rejection{RejectReason::kFailedCondition,
                      "the wall clock is not ahead of the log clock; log time never goes back, so there is nothing to "
                      "accept: it waits until the wall has caught up",
                      "",
                      {{"move_micros", std::to_string(input.move_micros())}}}};
  }
  Decision decision;
  const Duration moved(input.move_micros());
  state.sessions().workers().ForEach([&](WorkerKey, const WorkerRow& worker) {
    if (!worker.open()) return;
    EndSession(state, worker, CloseReason::kRecovery, RejectReason::kSessionClosed, decision.events);
  });
  EndAllCheckers(state, point.now, decision.events);
  decision.events.emplace_back(ClockAccepted{moved, input.request().reason()});
  admin::v1::AcceptClockResponse reply;
  PutDuration(moved, reply.mutable_moved());
  reply.set_log_sequence(point.sequence.value());
  decision.reply = std::move(reply);
  return decision;
}

// Told once: every start audits from the beginning and finds the same again.
Decision DecideDivergence(const ControllerState& state, const log::v1::AuditDiverged& input, const DecisionPoint&) {
  const auto alarm = state.run().alarms().find({AlarmKind::kReplayDiverged, ""});
  if (alarm != state.run().alarms().end() && alarm->second.detail == input.finding()) return {};
  return {{AlarmRaised{AlarmKind::kReplayDiverged, "", input.finding()}}, {}};
}

Decision DecideDisk(const ControllerState& state, const log::v1::DiskWatched& input, const DecisionPoint&) {
  const bool low = input.free_bytes() < input.least_bytes();
  if (low == state.run().alarms().contains({AlarmKind::kDiskLow, ""})) return {};
  if (!low) return {{AlarmCleared{AlarmKind::kDiskLow, ""}}, {}};
  return {{AlarmRaised{AlarmKind::kDiskLow, "",
                       std::to_string(input.free_bytes() >> 20) + " MiB free where the log stands, log.min_free is " +
                           std::to_string(input.least_bytes() >> 20) +
                           " MiB; imports, registrations and outcomes are refused until there is room"}},
          {}};
}

}  // namespace holdfast
