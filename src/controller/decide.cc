#include "controller/decide.h"

#include "base/check.h"
#include "controller/checker_rules.h"
#include "controller/instance_conflict.h"

namespace holdfast {
namespace {

using log::v1::Input;

Decision DecideOwn(const ControllerState& state, const Input& input, const DecisionPoint& point) {
  switch (input.input_case()) {
    case Input::kStartController:
      return DecideStart(state, input.start_controller(), point);
    case Input::kTick:
      return input.tick().scope() == log::v1::Tick::SCOPE_OWNERSHIP ? DecideOwnershipTick(state, point)
                                                                    : DecideSessionTick(state, point);
    case Input::kPlace:
      return DecidePlace(state, point);
    case Input::kIssueSnapshot:
      return DecideIssue(state, input.issue_snapshot(), point);
    case Input::kStreamEnded:
      return DecideStreamEnded(state, input.stream_ended(), point);
    case Input::kUpdateNotWritten:
      return DecideNotWritten(state, input.update_not_written(), point);
    case Input::kObserveClock:
      return DecideClock(state, input.observe_clock(), point);
    case Input::kTimeMark:
      return DecideTimeMark(state, point);
    case Input::kSyncStalled:
      return DecideStall(state, input.sync_stalled(), point);
    case Input::kRebalance:
      return DecideRebalance(state, point);
    case Input::kAuditDiverged:
      return DecideDivergence(state, input.audit_diverged(), point);
    case Input::kDiskWatched:
      return DecideDisk(state, input.disk_watched(), point);
    case Input::kCheck:
      return DecideCheck(state, point);
    case Input::kTaskStreamEnded:
      return DecideTaskStreamEnded(state, input.task_stream_ended(), point);
    case Input::kCallsShed:
      return DecideShed(state, input.calls_shed(), point);
    case Input::kSuppressRejections:
      return {{RejectionsSuppressed{input.suppress_rejections().peer(), input.suppress_rejections().count()}}, {}};
    default:
      HOLDFAST_CHECK(!"an input without a rule");
      return {};
  }
}

Decision DecideExtractions(const ControllerState& state, const Input& input, const DecisionPoint& point) {
  switch (input.input_case()) {
    case Input::kExtract:
      return DecideExtract(state, input.extract(), point);
    case Input::kRelease:
      return DecideRelease(state, input.release(), point);
    case Input::kExtractionAnswered:
      return DecideExtractionAnswered(state, input.extraction_answered(), point);
    case Input::kExtractionUnanswered:
      return DecideExtractionUnanswered(state, input.extraction_unanswered(), point);
    case Input::kPoolStoreSeen:
      return DecidePoolStoreSeen(state, input.pool_store_seen(), point);
    case Input::kPoolStoreWritten:
      return DecidePoolStoreWritten(state, input.pool_store_written(), point);
    case Input::kAdoptPool:
      return DecideAdoptPool(state, input.adopt_pool(), point);
    default:
      return DecideOwn(state, input, point);
  }
}

Decision DecideOperators(const ControllerState& state, const Input& input, const DecisionPoint& point) {
  switch (input.input_case()) {
    case Input::kImportProxies:
      return DecideImport(state, input.import_proxies(), point);
    case Input::kRemoveUnnamed:
      return DecideRemoveUnnamed(state, input.remove_unnamed(), point);
    case Input::kRemoveProxies:
      return DecideRemove(state, input.remove_proxies(), point);
    case Input::kApplyRoutings:
      return DecideRoutings(state, input.apply_routings(), point);
    case Input::kDrainSession:
      return DecideDrainSession(state, input.drain_session(), point);
    case Input::kFenceSession:
      return DecideFence(state, input.fence_session(), point);
    case Input::kReclaimProxies:
      return DecideReclaim(state, input.reclaim_proxies(), point);
    case Input::kSetEligibility:
      return DecideEligibility(state, input.set_eligibility(), point);
    case Input::kClearAlarm:
      return DecideClearAlarm(state, input.clear_alarm(), point);
    case Input::kAcceptClock:
      return DecideAcceptClock(state, input.accept_clock(), point);
    case Input::kCheckProxy:
      return DecideCheckProxy(state, input.check_proxy(), point);
    default:
      return DecideExtractions(state, input, point);
  }
}

// A call in a session that another process has superseded: that one is alive.
template <class Request>
void NoteOldSession(const ControllerState& state, const Request& request, LogTime now, std::vector<Event>& events) {
  NoteCallInOldSession(state, request.worker_id(), request.session_id(), now, events);
}

void NoteIfAlive(const ControllerState& state, const Input& input, LogTime now, std::vector<Event>& events) {
  switch (input.input_case()) {
    case Input::kWatchSnapshots:
      return NoteOldSession(state, input.watch_snapshots().request(), now, events);
    case Input::kAcknowledgeSnapshot:
      return NoteOldSession(state, input.acknowledge_snapshot(), now, events);
    case Input::kReportRuntime:
      return NoteOldSession(state, input.report_runtime().request(), now, events);
    case Input::kReportOutcomes:
      return NoteOldSession(state, input.report_outcomes().request(), now, events);
    default:
      return;
  }
}

Decision DecideAny(const ControllerState& state, const Input& input, const DecisionPoint& point) {
  switch (input.input_case()) {
    case Input::kRegisterWorker:
      return DecideRegister(state, input.register_worker(), point);
    case Input::kWatchSnapshots:
      return DecideWatch(state, input.watch_snapshots(), point);
    case Input::kAcknowledgeSnapshot:
      return DecideAcknowledge(state, input.acknowledge_snapshot(), point);
    case Input::kReportRuntime:
      return DecideRuntime(state, input.report_runtime().request(), point);
    case Input::kReportOutcomes:
      return DecideOutcomes(state, input.report_outcomes().request(), point);
    case Input::kRegisterChecker:
      return DecideRegisterChecker(state, input.register_checker(), point);
    case Input::kWatchTasks:
      return DecideWatchTasks(state, input.watch_tasks(), point);
    case Input::kReportObservations:
      return DecideObservations(state, input.report_observations().request(), point);
    default:
      return DecideOperators(state, input, point);
  }
}

}  // namespace

Decision Decide(const ControllerState& state, const Input& input, const DecisionPoint& point) {
  Decision decision = DecideAny(state, input, point);
  FinishChecks(state, decision.events);
  if (const auto* rejection = std::get_if<Rejection>(&decision.reply)) {
    if (rejection->reason == RejectReason::kSessionSuperseded) NoteIfAlive(state, input, point.now, decision.events);
    decision.events.emplace_back(InputRejected{rejection->reason, rejection->message, rejection->field,
                                               rejection->metadata, rejection->retry_after});
  }
  return decision;
}

std::string_view InputKind(const Input& input) {
  if (input.input_case() == Input::INPUT_NOT_SET) return "unknown";
  return Input::descriptor()->FindFieldByNumber(input.input_case())->name();
}

bool IsFromOutside(const Input& input) { return input.input_case() >= Input::kRegisterWorker; }

bool IsBulky(const Input& input) {
  return input.input_case() == Input::kReportRuntime || input.input_case() == Input::kReportOutcomes ||
         input.input_case() == Input::kReportObservations;
}

}  // namespace holdfast
