// What happens because time passed. One tick decides one session, or a bounded number of like things whose decisions do
// not depend on each other; the sequencer ticks again until nothing follows. Order: time, then kind, then key.

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>

#include "controller/check_due.h"
#include "controller/checker_rules.h"
#include "controller/decide.h"
#include "controller/extraction_tick.h"
#include "controller/handover.h"
#include "controller/instance_conflict.h"
#include "controller/removal.h"
#include "controller/rule_constant.h"
#include "controller/session_rules.h"
#include "controller/wait_rules.h"

namespace holdfast {
namespace {

constexpr std::size_t kMostPerTick = RuleConstant<std::size_t>(256, 1);

// Ends of windows, decided together: what was HELD for a session that may take it is granted to that session at once.
class WindowEnds {
 public:
  WindowEnds(const ControllerState& state, LogTime now) : state_(state), now_(now) {}

  void Release(AddressKey address) {
    AppendRelease(state_, address, EndReason::kLapsed, {}, decision_.events);
    const HoldRow& hold = state_.ownership().hold(address);
    const HolderRow& holder = state_.ownership().holder(hold.owner);
    const bool held_for_it = hold.state == OwnershipState::kLapsing && !hold.revoked() && hold.epoch < holder.epoch;
    if (!held_for_it || !holder.takes_grants() || !hold.grantable() || !IsAbsent(state_.run().wait_until())) return;
    if (hold.needs_secret && !holder.takes_secrets) return;
    std::size_t& given = given_[hold.owner];
    if (holder.granted_proxies + given + hold.proxies.size() > holder.max_proxies) return;
    given += hold.proxies.size();
    AppendGrant(state_, address, hold.owner, now_, decision_.events);
  }

  Decision Take() { return std::move(decision_); }

 private:
  const ControllerState& state_;
  const LogTime now_;
  absl::btree_map<WorkerKey, std::size_t> given_;
  Decision decision_;
};

Decision ReleaseLapsed(const ControllerState& state, LogTime now) {
  WindowEnds ends(state, now);
  for (const AddressKey address : state.ownership().lapses().Due(now, kMostPerTick)) ends.Release(address);
  return ends.Take();
}

// The instance was given no update for so long that all windows that move with it are over.
Decision ReleaseOfHolder(const ControllerState& state, LogTime now) {
  WindowEnds ends(state, now);
  const WorkerKey worker = state.ownership().holder_windows().Due(now, 1).front();
  std::size_t released = 0;
  for (const AddressKey address : state.ownership().holder(worker).owned) {
    if (!state.ownership().hold(address).shown || !IsOver(state.ownership().OwnedUntil(address), now)) continue;
    if (++released > kMostPerTick) break;
    ends.Release(address);
  }
  return ends.Take();
}

// How many proxies of an address are of use, after those that ended in this decision.
using UsableLeft = absl::btree_map<AddressKey, std::size_t>;

void CountEnd(const ControllerState& state, ProxyKey proxy, UsableLeft& usable_left) {
  const AddressKey address = state.pool().proxy(proxy).address;
  const std::vector<ProxyBrief>& briefs = state.ownership().hold(address).proxies;
  const auto of_use = [](const ProxyBrief& brief) { return brief.of_use(); };
  const auto ended =
      std::find_if(briefs.begin(), briefs.end(), [&](const auto& brief) { return brief.proxy == proxy; });
  if (!ended->of_use()) return;
  --usable_left.try_emplace(address, std::count_if(briefs.begin(), briefs.end(), of_use)).first->second;
}

// A held address on which nothing may be used any more is asked back; one that lapses is not taken again.
void RevokeUseless(const ControllerState& state, const UsableLeft& usable_left, LogTime now,
                   std::vector<Event>& events) {
  absl::btree_map<AddressKey, RevokeReason> revoked;
  for (const auto& [address, left] : usable_left) {
    const bool held = state.ownership().hold(address).state != OwnershipState::kUnowned;
    if (left == 0 && held) revoked.insert({address, RevokeReason::kExpiry});
  }
  RevokeAddresses(state, revoked, {now + state.settings().drain_grace, {}}, events);
}

// Past usable_until a proxy is not given any more.
Decision RetireUnusable(const ControllerState& state, LogTime now) {
  Decision decision;
  UsableLeft usable_left;
  for (const ProxyKey proxy : state.pool().unusable_at().Due(now, kMostPerTick)) {
    decision.events.emplace_back(ProxyUnusable{proxy});
    CountEnd(state, proxy, usable_left);
  }
  RevokeUseless(state, usable_left, now, decision.events);
  return decision;
}

// At expires_at it is EXPIRED, held or not, and leaves the pool when nobody holds its address.
Decision RetireExpired(const ControllerState& state, LogTime now) {
  Decision decision;
  RemovalPlan removals(state);
  UsableLeft usable_left;  // after a long pause it may be the first that is heard of a proxy's end
  for (const ProxyKey proxy : state.pool().expired_at().Due(now, kMostPerTick)) {
    decision.events.emplace_back(ProxyExpired{proxy});
    CountEnd(state, proxy, usable_left);
    const AddressKey address = state.pool().proxy(proxy).address;
    if (state.ownership().hold(address).state == OwnershipState::kUnowned) {
      removals.Remove(proxy, RemovalReason::kExpired);
    }
  }
  removals.Finish(RevokeReason::kExpiry, now, {}, decision.events);
  RevokeUseless(state, usable_left, now, decision.events);
  return decision;
}

Decision ExpireSession(const ControllerState& state, LogTime now) {
  Decision decision;
  const WorkerKey worker = state.sessions().expiries().Due(now, 1).front();
  EndSession(state, state.sessions().At(worker), CloseReason::kExpired, RejectReason::kSessionExpired, decision.events);
  return decision;
}

// A drain that ended without its proof is worth a look.
void TellForced(const ControllerState& state, const std::string& worker_id, std::vector<Event>& events) {
  if (state.run().alarms().contains({AlarmKind::kDrainForced, worker_id})) return;
  events.emplace_back(AlarmRaised{AlarmKind::kDrainForced, worker_id,
                                  "a drain came to its deadline before a report proved that nothing runs; what may "
                                  "still run is cut when its window is over"});
}

Decision EndDrain(const ControllerState& state, LogTime now) {
  Decision decision;
  const WorkerKey worker = state.sessions().drain_deadlines().Due(now, 1).front();
  const HolderRow& holder = state.ownership().holder(worker);
  EndSession(state, state.sessions().At(worker), CloseReason::kDrainDeadline, RejectReason::kSessionClosed,
             decision.events);
  if (!holder.revoking.empty()) TellForced(state, holder.worker_id.value(), decision.events);
  return decision;
}

// A worker that gives no positive answer for drain_grace is asked for everything, and is given nothing until it gives
// one.
Decision RevokeUnanswered(const ControllerState& state, LogTime now) {
  Decision decision;
  const LogTime since = now - state.settings().drain_grace;
  const WorkerKey worker = state.ownership().unanswered().Due(since, 1).front();
  RevokeAll(state, worker, RevokeReason::kSnapshotRefused, {now + state.settings().drain_grace, {}}, decision.events);
  const std::string& id = state.ownership().holder(worker).worker_id.value();
  if (!state.run().alarms().contains({AlarmKind::kSnapshotRefused, id})) {
    decision.events.emplace_back(AlarmRaised{AlarmKind::kSnapshotRefused, id,
                                             "it has accepted no snapshot for drain_grace; all that it had is asked "
                                             "back, and it is given nothing until it accepts one"});
  }
  return decision;
}

// At its deadline an address leaves its holder's snapshot, proven or not, and lapses.
Decision ForceDrains(const ControllerState& state, LogTime now) {
  Decision decision;
  absl::btree_map<AddressKey, RevokeReason> due;
  std::set<std::string> holders;
  for (const AddressKey address : state.ownership().drain_deadlines().Due(now, kMostPerTick)) {
    const HoldRow& hold = state.ownership().hold(address);
    due.insert({address, hold.revoke_reason});
    holders.insert(state.ownership().holder(hold.owner).worker_id.value());
  }
  LapseAddresses(state, due, decision.events);
  for (const std::string& id : holders) TellForced(state, id, decision.events);
  return decision;
}

Decision TimeOutAck(const ControllerState& state, LogTime now) {
  const WorkerKey worker = state.snapshots().ack_deadlines().Due(now, 1).front();
  const StreamId stream = state.snapshots().At(worker).stream;
  return {{SessionDetached{worker, stream, RejectReason::kAckTimeout}}, {}};
}

Decision ExpireChecker(const ControllerState& state, LogTime now) {
  Decision decision;
  const CheckerKey checker = state.checkers().expiries().Due(now, 1).front();
  CloseChecker(state, state.checkers().At(checker), CloseReason::kExpired, RejectReason::kSessionExpired, now,
               decision.events);
  return decision;
}

Decision EndCheckerDrain(const ControllerState& state, LogTime now) {
  Decision decision;
  const CheckerKey checker = state.checkers().drain_deadlines().Due(now, 1).front();
  CloseChecker(state, state.checkers().At(checker), CloseReason::kDrainDeadline, RejectReason::kSessionClosed, now,
               decision.events);
  return decision;
}

// One kind of deadline: when the earliest is due, and what it decides then.
struct Deadline {
  std::optional<LogTime> earliest;
  Decision (*decide)(const ControllerState&, LogTime);
};

template <std::size_t N>
Decision DecideEarliest(const ControllerState& state, LogTime now, const std::array<Deadline, N>& deadlines) {
  const Deadline* first = nullptr;
  for (const Deadline& deadline : deadlines) {
    if (!deadline.earliest || !IsOver(*deadline.earliest, now)) continue;
    if (first == nullptr || *deadline.earliest < *first->earliest) first = &deadline;
  }
  return first == nullptr ? Decision{} : first->decide(state, now);
}

}  // namespace

Decision DecideOwnershipTick(const ControllerState& state, const DecisionPoint& point) {
  const Extractions& extractions = state.extractions();
  return DecideEarliest(state, point.now,
                        std::array<Deadline, 8>{{{state.ownership().lapses().Earliest(), ReleaseLapsed},
                                                 {state.ownership().holder_windows().Earliest(), ReleaseOfHolder},
                                                 {state.pool().unusable_at().Earliest(), RetireUnusable},
                                                 {state.pool().expired_at().Earliest(), RetireExpired},
                                                 {extractions.ends().Earliest(), EndExtraction},
                                                 {extractions.forgets().Earliest(), ForgetExtractions},
                                                 {extractions.release_forgets().Earliest(), ForgetReleases},
                                                 {extractions.shortage_ends().Earliest(), ForgetShortages}}});
}

Decision DecideSessionTick(const ControllerState& state, const DecisionPoint& point) {
  std::optional<LogTime> unanswered = state.ownership().unanswered().Earliest();
  if (unanswered) *unanswered += state.settings().drain_grace;
  return DecideEarliest(state, point.now,
                        std::array<Deadline, 12>{{{state.sessions().expiries().Earliest(), ExpireSession},
                                                  {state.sessions().drain_deadlines().Earliest(), EndDrain},
                                                  {state.snapshots().ack_deadlines().Earliest(), TimeOutAck},
                                                  {unanswered, RevokeUnanswered},
                                                  {state.ownership().drain_deadlines().Earliest(), ForceDrains},
                                                  {state.sessions().conflict_ends().Earliest(), EndConflict},
                                                  {state.checkers().expiries().Earliest(), ExpireChecker},
                                                  {state.checkers().drain_deadlines().Earliest(), EndCheckerDrain},
                                                  {state.checks().deadlines().Earliest(), ExpireChecks},
                                                  {state.extractions().deadlines().Earliest(), PassAnswerDeadline},
                                                  {NextCheckAlarmAt(state), TellCheckAlarm},
                                                  {WaitEndsAt(state), EndWait}}});
}

}  // namespace holdfast
