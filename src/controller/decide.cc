#include "controller/decide.h"

#include "base/check.h"

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
    case Input::kAuditDiverged:
      return DecideDivergence(state, input.audit_diverged(), point);
    case Input::kCallsShed:
      return DecideShed(state, input.calls_shed(), point);
    case Input::kSuppressRejections:
      return {{RejectionsSuppressed{input.suppress_rejections().peer(), input.suppress_rejections().count()}}, {}};
    default:
      HOLDFAST_CHECK(!"an input without a rule");
      return {};
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
    case Input::kImportProxies:
      return DecideImport(state, input.import_proxies(), point);
    case Input::kRemoveUnnamed:
      return DecideRemoveUnnamed(state, input.remove_unnamed(), point);
    case Input::kRemoveProxies:
      return DecideRemove(state, input.remove_proxies(), point);
    case Input::kApplyRoutings:
      return DecideRoutings(state, input.apply_routings(), point);
    default:
      return DecideOwn(state, input, point);
  }
}

}  // namespace

Decision Decide(const ControllerState& state, const Input& input, const DecisionPoint& point) {
  Decision decision = DecideAny(state, input, point);
  if (const auto* rejection = std::get_if<Rejection>(&decision.reply)) {
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
  return input.input_case() == Input::kReportRuntime || input.input_case() == Input::kReportOutcomes;
}

}  // namespace holdfast
