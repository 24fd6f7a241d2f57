// Operators on members, addresses and alarms: cordons, reclaims, alarms that are over. Contract: "Operators, clients,
// auditors".

#include "controller/decide.h"
#include "controller/handover.h"
#include "controller/health_guard.h"
#include "controller/member_rules.h"
#include "controller/rule_constant.h"
#include "controller/validate_text.h"

namespace holdfast {
namespace {

using admin::v1::ClearAlarmRequest;
using admin::v1::ClearAlarmResponse;
using admin::v1::ReclaimProxiesRequest;
using admin::v1::ReclaimProxiesResponse;
using admin::v1::SetEligibilityRequest;
using admin::v1::SetEligibilityResponse;

constexpr std::size_t kReasonBytes = RuleConstant<std::size_t>(1'024, 16);  // of a reason, kept in the log

// These say what is so at present, and rules depend on them: they end by themselves.
bool EndsByItself(AlarmKind kind) {
  return kind == AlarmKind::kInstanceConflict || kind == AlarmKind::kSnapshotRefused ||
         kind == AlarmKind::kSnapshotOversize || kind == AlarmKind::kClockJumped || kind == AlarmKind::kDiskLow ||
         kind == AlarmKind::kCheckingShort || kind == AlarmKind::kJudgeSilent || kind == AlarmKind::kHoldOff ||
         kind == AlarmKind::kPoolBehind || kind == AlarmKind::kPoolForeign;
}

}  // namespace

bool IsCordoned(const ControllerState& state, const std::string& member_id, bool checker) {
  return checker ? state.checkers().is_cordoned(member_id) : state.ownership().is_cordoned(member_id);
}

void Cordon(const ControllerState& state, const std::string& member_id, bool checker, const std::string& reason,
            std::vector<Event>& events) {
  if (IsCordoned(state, member_id, checker)) return;
  events.emplace_back(EligibilitySet{WorkerId(member_id), false, std::string(CutUtf8(reason, kReasonBytes)), checker});
}

Decision DecideEligibility(const ControllerState& state, const SetEligibilityRequest& request,
                           const DecisionPoint& point) {
  Decision decision;
  const bool checker = request.kind() == controlplane::v1::SESSION_KIND_CHECKER;
  if (IsCordoned(state, request.member_id(), checker) == request.eligible()) {
    decision.events.emplace_back(EligibilitySet{WorkerId(request.member_id()), request.eligible(),
                                                std::string(CutUtf8(request.reason(), kReasonBytes)), checker});
  }
  SetEligibilityResponse reply;
  reply.set_log_sequence(point.sequence.value());
  decision.reply = std::move(reply);
  return decision;
}

Decision DecideReclaim(const ControllerState& state, const ReclaimProxiesRequest& request, const DecisionPoint& point) {
  ReclaimProxiesResponse reply;
  reply.set_log_sequence(point.sequence.value());
  absl::btree_map<AddressKey, RevokeReason> addresses;
  for (const std::string& proxy_id : request.proxy_ids()) {
    const ProxyKey proxy = state.pool().FindProxy(proxy_id);
    if (proxy.value() == 0) {
      reply.add_unknown_proxy_ids(proxy_id);
      continue;
    }
    const AddressKey address = state.pool().proxy(proxy).address;
    const HoldRow& hold = state.ownership().hold(address);
    if (hold.extraction.value() != 0) continue;  // a client's: nothing asks it back
    if (hold.state == OwnershipState::kUnowned) {
      reply.set_already_unowned(reply.already_unowned() + 1);
      continue;
    }
    reply.set_draining(reply.draining() + 1);
    addresses.insert({address, RevokeReason::kReclaim});
  }
  Decision decision;
  RevokeAddresses(state, addresses, {point.now + state.settings().drain_grace, point.principal}, decision.events);
  decision.reply = std::move(reply);
  return decision;
}

Decision DecideClearAlarm(const ControllerState& state, const ClearAlarmRequest& request, const DecisionPoint& point) {
  const auto kind = static_cast<AlarmKind>(request.kind());
  const bool stands = state.run().alarms().contains({kind, request.subject()});
  if (stands && EndsByItself(kind)) {
    return {{},
            Rejection{RejectReason::kFailedCondition,
                      "this alarm says what is so at present and clears itself when that is over; its runbook says how "
                      "to end it",
                      "kind"}};
  }
  ClearAlarmResponse reply;
  reply.set_cleared(stands);
  reply.set_log_sequence(point.sequence.value());
  Decision decision;
  decision.reply = std::move(reply);
  if (!stands) return decision;
  for (const auto& [freeze, row] : state.guard().freezes()) {  // an operator says that the checks are right
    const bool meant = kind == AlarmKind::kHealthFrozen && FreezeSubject(state, freeze) == request.subject();
    if (meant) Thaw(state, freeze, decision.events);
  }
  if (decision.events.empty()) decision.events.emplace_back(AlarmCleared{kind, request.subject()});
  return decision;
}

}  // namespace holdfast
