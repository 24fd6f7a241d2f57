// The rules: state, an input and a time give events and a reply. Each kind of input has its function, in a file named
// after its noun; Decide is the way in.
//
// Pure: no clock, no randomness, no configuration that is not in the log, no order of a hash map, no I/O. What was
// decided once can be decided again. A rule that would decide an old input otherwise raises kRulesVersion
// (rules_version.h) and keeps the old branch. Thread: any, as long as the state is not changed meanwhile.

#pragma once

#include "controller/decision.h"
#include "projections/controller_state.h"

namespace holdfast {

// Requires: the input is well formed (validate.h) and names one kind. A Rejection is written out as InputRejected as
// well.
Decision Decide(const ControllerState& state, const log::v1::Input& input, const DecisionPoint& point);

// The input's kind: the name of its field ("register_worker").
std::string_view InputKind(const log::v1::Input& input);

// Whether an entry is written even when nothing follows from it: what came from outside is, the controller's own is
// not.
bool IsFromOutside(const log::v1::Input& input);

// Whether the body is stored apart, to be dropped first by retention.
bool IsBulky(const log::v1::Input& input);

// ---- by noun -------------------------------------------------------------------------------------------------------

Decision DecideStart(const ControllerState&, const log::v1::StartController&, const DecisionPoint&);
Decision DecideClock(const ControllerState&, const log::v1::ObserveClock&, const DecisionPoint&);
Decision DecideTimeMark(const ControllerState&, const DecisionPoint&);
Decision DecideStall(const ControllerState&, const log::v1::SyncStalled&, const DecisionPoint&);
Decision DecideDivergence(const ControllerState&, const log::v1::AuditDiverged&, const DecisionPoint&);
Decision DecideDisk(const ControllerState&, const log::v1::DiskWatched&, const DecisionPoint&);

Decision DecideOwnershipTick(const ControllerState&, const DecisionPoint&);
Decision DecideSessionTick(const ControllerState&, const DecisionPoint&);
Decision DecidePlace(const ControllerState&, const DecisionPoint&);
Decision DecideRebalance(const ControllerState&, const DecisionPoint&);

Decision DecideRegister(const ControllerState&, const log::v1::RegisterWorker&, const DecisionPoint&);
Decision DecideWatch(const ControllerState&, const log::v1::WatchSnapshots&, const DecisionPoint&);
Decision DecideStreamEnded(const ControllerState&, const log::v1::StreamEnded&, const DecisionPoint&);
Decision DecideShed(const ControllerState&, const log::v1::CallsShed&, const DecisionPoint&);

Decision DecideIssue(const ControllerState&, const log::v1::IssueSnapshot&, const DecisionPoint&);
Decision DecideNotWritten(const ControllerState&, const log::v1::UpdateNotWritten&, const DecisionPoint&);
Decision DecideAcknowledge(const ControllerState&, const controlplane::v1::AcknowledgeSnapshotRequest&,
                           const DecisionPoint&);

Decision DecideRuntime(const ControllerState&, const controlplane::v1::ReportRuntimeRequest&, const DecisionPoint&);
Decision DecideOutcomes(const ControllerState&, const controlplane::v1::ReportOutcomesRequest&, const DecisionPoint&);

// Operators on members: decide_drain.cc, decide_member.cc, decide_start.cc (the clock).
Decision DecideDrainSession(const ControllerState&, const admin::v1::DrainSessionRequest&, const DecisionPoint&);
Decision DecideFence(const ControllerState&, const admin::v1::FenceSessionRequest&, const DecisionPoint&);
Decision DecideReclaim(const ControllerState&, const admin::v1::ReclaimProxiesRequest&, const DecisionPoint&);
Decision DecideEligibility(const ControllerState&, const admin::v1::SetEligibilityRequest&, const DecisionPoint&);
Decision DecideClearAlarm(const ControllerState&, const admin::v1::ClearAlarmRequest&, const DecisionPoint&);
Decision DecideAcceptClock(const ControllerState&, const log::v1::AcceptClock&, const DecisionPoint&);

Decision DecideRegisterChecker(const ControllerState&, const log::v1::RegisterChecker&, const DecisionPoint&);
Decision DecideWatchTasks(const ControllerState&, const log::v1::WatchTasks&, const DecisionPoint&);
Decision DecideTaskStreamEnded(const ControllerState&, const log::v1::TaskStreamEnded&, const DecisionPoint&);
Decision DecideObservations(const ControllerState&, const controlplane::v1::ReportObservationsRequest&,
                            const DecisionPoint&);
Decision DecideCheck(const ControllerState&, const DecisionPoint&);
Decision DecideCheckProxy(const ControllerState&, const admin::v1::CheckProxyRequest&, const DecisionPoint&);

Decision DecideImport(const ControllerState&, const log::v1::ImportProxies&, const DecisionPoint&);
Decision DecideRemoveUnnamed(const ControllerState&, const log::v1::RemoveUnnamed&, const DecisionPoint&);
Decision DecideRemove(const ControllerState&, const admin::v1::RemoveProxiesRequest&, const DecisionPoint&);
// Clients, and the store that they are served from: decide_extract.cc, decide_extraction_answer.cc, decide_release.cc,
// decide_pool_store.cc.
Decision DecideExtract(const ControllerState&, const log::v1::Extract&, const DecisionPoint&);
Decision DecideRelease(const ControllerState&, const distribution::v1::ReleaseRequest&, const DecisionPoint&);
Decision DecideExtractionAnswered(const ControllerState&, const log::v1::ExtractionAnswered&, const DecisionPoint&);
Decision DecideExtractionUnanswered(const ControllerState&, const log::v1::ExtractionUnanswered&, const DecisionPoint&);
Decision DecidePoolStoreSeen(const ControllerState&, const log::v1::PoolStoreSeen&, const DecisionPoint&);
Decision DecidePoolStoreWritten(const ControllerState&, const log::v1::PoolStoreWritten&, const DecisionPoint&);
Decision DecideAdoptPool(const ControllerState&, const log::v1::AdoptPool&, const DecisionPoint&);

Decision DecideRoutings(const ControllerState&, const admin::v1::ApplyRoutingsRequest&, const DecisionPoint&);

}  // namespace holdfast
