// Every reason for which a checker's call is refused, over the wire.

#include <gtest/gtest.h>

#include "tests/server/rejection_case.h"
#include "tests/server/task_update.h"
#include "tests/server/test_checker.h"

namespace holdfast::server {
namespace {

using namespace controlplane::v1;
using Reason = controlplane::v1::RejectReason;
using std::chrono::seconds;

constexpr grpc::StatusCode kInvalid = grpc::StatusCode::INVALID_ARGUMENT;
constexpr grpc::StatusCode kPrecondition = grpc::StatusCode::FAILED_PRECONDITION;

// Of a checker that is active, and the call that `edit` makes of it.
std::function<grpc::Status(TestDaemon&)> Active(std::function<grpc::Status(TestChecker&)> edit) {
  return [edit = std::move(edit)](TestDaemon& daemon) {
    TestChecker checker(daemon, "checker-1");
    const auto tasks = checker.Activate();
    return edit(checker);
  };
}

grpc::Status MalformedRegistration(TestChecker& checker) {
  RegisterCheckerRequest request = checker.RegisterRequest();
  request.add_levels(CHECK_LEVEL_BASIC);
  return checker.Call(request);
}

grpc::Status MalformedWatch(TestChecker& checker) {
  WatchTasksRequest request = checker.WatchRequest();
  request.set_session_id("");
  return checker.Watch(request)->End();
}

grpc::Status MalformedReport(TestChecker& checker) {
  ReportObservationsRequest request = checker.ReportRequest(1);
  CheckTask task;
  task.set_task_id("1");
  task.set_proxy_id("p");
  task.set_level(CHECK_LEVEL_BASIC);
  *request.add_observations() = Observe(task, VERDICT_PASS);
  *request.add_observations() = Observe(task, VERDICT_UNSPECIFIED);
  return checker.Call(request);
}

grpc::Status TooFarAhead(TestChecker& checker) { return checker.Call(checker.ReportRequest((1ull << 32) + 1)); }

grpc::Status NoCommonVersion(TestChecker& checker) {
  RegisterCheckerRequest request = checker.RegisterRequest();
  request.set_supported_protocol_version(9);
  request.set_min_protocol_version(7);
  return checker.Call(request);
}

grpc::Status UnknownSession(TestDaemon& daemon) {
  TestChecker checker(daemon, "checker-1");
  ReportObservationsRequest request = checker.ReportRequest(1);
  request.set_session_id("never-given");
  return checker.Call(request);
}

grpc::Status UnknownSessionWatched(TestDaemon& daemon) {
  TestChecker checker(daemon, "checker-1");
  WatchTasksRequest request = checker.WatchRequest();
  request.set_session_id("never-given");
  return checker.Watch(request)->End();
}

grpc::Status SupersededSession(TestDaemon& daemon) {
  TestChecker checker(daemon, "checker-1");
  checker.Register();
  const ReportObservationsRequest request = checker.ReportRequest(1);
  checker.Register();
  return checker.Call(request);
}

// The stream of a superseded session ends with the same reason.
grpc::Status SupersededStream(TestDaemon& daemon) {
  TestChecker checker(daemon, "checker-1");
  const auto tasks = checker.Activate();
  checker.Register();
  return tasks->End();
}

grpc::Status ExpiredSession(TestDaemon& daemon) {
  TestChecker checker(daemon, "checker-1");
  checker.Register();
  daemon.Advance(seconds(16));
  return checker.Call(checker.ReportRequest(1));
}

grpc::Status ClosedSession(TestDaemon& daemon) {
  TestChecker checker(daemon, "checker-1");
  const auto tasks = checker.Activate();
  ReportObservationsRequest last = checker.ReportRequest(1);
  last.set_draining(true);
  EXPECT_TRUE(checker.Call(last).ok());
  EXPECT_EQ(ReasonOf(tasks->End()), REJECT_REASON_SESSION_CLOSED);
  return checker.Call(checker.ReportRequest(2));
}

grpc::Status ReportAfter(TestDaemon& daemon, std::uint64_t sequence, std::uint64_t queued) {
  TestChecker checker(daemon, "checker-1");
  const auto tasks = checker.Activate();
  EXPECT_TRUE(checker.Call(checker.ReportRequest(5)).ok());
  ReportObservationsRequest request = checker.ReportRequest(sequence);
  request.set_queued_request_count(queued);
  return checker.Call(request);
}

grpc::Status LowerSequence(TestDaemon& daemon) { return ReportAfter(daemon, 4, 0); }
grpc::Status OtherContent(TestDaemon& daemon) { return ReportAfter(daemon, 5, 1); }

grpc::Status TooManyObservations(TestChecker& checker) {
  ReportObservationsRequest request = checker.ReportRequest(1);
  CheckTask task;
  task.set_task_id("1");
  task.set_proxy_id("p");
  task.set_level(CHECK_LEVEL_BASIC);
  for (int i = 0; i < 10'001; ++i) *request.add_observations() = Observe(task, VERDICT_PASS);
  return checker.Call(request);
}

grpc::Status RegistrationOnAFullDisk(TestDaemon& daemon) {
  TestChecker checker(daemon, "checker-1");
  daemon.daemon().admission().SetDisk(1, 2);
  return checker.Call(checker.RegisterRequest());
}

grpc::Status SecondStream(TestDaemon& daemon) {
  TestChecker checker(daemon, "checker-1");
  const auto first = checker.Activate();
  const auto second = checker.Watch();
  return first->End();
}

// More waits for its reader than its mailbox holds.
grpc::Status SlowStream(TestDaemon& daemon) {
  TestChecker checker(daemon, "checker-1");
  const auto tasks = checker.Activate();
  const StreamId stream = LatestTaskStream(daemon);
  for (std::uint64_t i = 1; i <= 13; ++i) daemon.daemon().streams().Carry(WideTask(stream, i, 3'000'000));
  return tasks->End();
}

grpc::Status WideStream(TestDaemon& daemon) {
  TestChecker checker(daemon, "checker-1");
  const auto tasks = checker.Activate();
  daemon.daemon().streams().Carry(WideTask(LatestTaskStream(daemon), 1, 3'670'017));
  return tasks->End();
}

grpc::Status StoppedDaemon(TestDaemon& daemon) {
  TestChecker checker(daemon, "checker-1");
  const auto tasks = checker.Activate();
  daemon.Stop();
  return tasks->End();
}

std::vector<RejectionCase> Cases() {
  using Code = grpc::StatusCode;
  return {
      // clang-format off
      {REJECT_REASON_MALFORMED, "Registration", kInvalid, Active(MalformedRegistration), "levels[3]"},
      {REJECT_REASON_MALFORMED, "Watch", kInvalid, Active(MalformedWatch), "session_id"},
      {REJECT_REASON_MALFORMED, "Report", kInvalid, Active(MalformedReport), "observations[1].verdict"},
      {REJECT_REASON_MALFORMED, "SequenceTooFarAhead", kInvalid, Active(TooFarAhead), "sequence"},
      {REJECT_REASON_PROTOCOL_VERSION, "Version", kPrecondition, Active(NoCommonVersion), "supported_protocol_version",
       {"max", "min"}},
      {REJECT_REASON_SESSION_UNKNOWN, "Unknown", kPrecondition, UnknownSession},
      {REJECT_REASON_SESSION_UNKNOWN, "UnknownWatched", kPrecondition, UnknownSessionWatched},
      {REJECT_REASON_SESSION_SUPERSEDED, "Superseded", kPrecondition, SupersededSession},
      {REJECT_REASON_SESSION_SUPERSEDED, "SupersededStream", kPrecondition, SupersededStream},
      {REJECT_REASON_SESSION_EXPIRED, "Expired", kPrecondition, ExpiredSession},
      {REJECT_REASON_SESSION_CLOSED, "Closed", kPrecondition, ClosedSession},
      {REJECT_REASON_SEQUENCE_REGRESSED, "LowerSequence", Code::ALREADY_EXISTS, LowerSequence, "sequence",
       {"accepted_sequence"}},
      {REJECT_REASON_SEQUENCE_CONFLICT, "OtherContent", Code::ALREADY_EXISTS, OtherContent, "sequence"},
      {REJECT_REASON_LIMIT_EXCEEDED, "TooManyObservations", Code::RESOURCE_EXHAUSTED, Active(TooManyObservations),
       "observations", {"limit"}},
      {REJECT_REASON_LIMIT_EXCEEDED, "TooLargeATask", Code::RESOURCE_EXHAUSTED, WideStream},
      {REJECT_REASON_OVERLOADED, "FullDisk", Code::RESOURCE_EXHAUSTED, RegistrationOnAFullDisk},
      {REJECT_REASON_STREAM_REPLACED, "ReplacedStream", Code::ABORTED, SecondStream},
      {REJECT_REASON_SLOW_READER, "SlowReader", Code::ABORTED, SlowStream},
      {REJECT_REASON_SHUTTING_DOWN, "StoppedDaemon", Code::UNAVAILABLE, StoppedDaemon},
      // clang-format on
  };
}

class CheckerRejectionOverTheWire : public ::testing::TestWithParam<RejectionCase> {};

TEST_P(CheckerRejectionOverTheWire, HasItsCodeItsDetailAndItsMetadata) { ExpectRejection(GetParam()); }

INSTANTIATE_TEST_SUITE_P(AllReasons, CheckerRejectionOverTheWire, ::testing::ValuesIn(Cases()),
                         [](const ::testing::TestParamInfo<RejectionCase>& info) { return info.param.name; });

// Reasons that no call of CheckerControlPlane gives, and why.
const std::map<Reason, std::string>& ReasonsOfOthers() {
  static const std::map<Reason, std::string> reasons = {
      {REJECT_REASON_UNSPECIFIED, "never sent"},
      {REJECT_REASON_IDENTITY_MISMATCH, "needs certificates: plaintext callers have no identity to mismatch"},
      {REJECT_REASON_EPOCH_STALE, "checkers own nothing"},
      {REJECT_REASON_EPOCH_AHEAD, "checkers own nothing"},
      {REJECT_REASON_REFERENCE_NOT_ISSUED, "of snapshots"},
      {REJECT_REASON_REFERENCE_SUPERSEDED, "of snapshots"},
      {REJECT_REASON_CHECKSUM_MISMATCH, "of snapshots"},
      {REJECT_REASON_SNAPSHOT_EXPIRED, "of snapshots"},
      {REJECT_REASON_RUNTIME_FENCED, "of snapshots"},
      {REJECT_REASON_VERSION_NOT_ACKNOWLEDGED, "of snapshots"},
      {REJECT_REASON_ACK_TIMEOUT, "of snapshots"},
      {REJECT_REASON_NOT_LEADER, "of a replicated log"},
      {REJECT_REASON_DRAINING, "of the framed link"},
      {REJECT_REASON_TASK_UNKNOWN, "unknown tasks come back in the answer"},
      {REJECT_REASON_POOL_UNAVAILABLE, "of Distribution"},
      {REJECT_REASON_NOT_FOUND, "of operators' calls"},
      {REJECT_REASON_NOT_ENOUGH_PROXIES, "of Distribution"},
      {REJECT_REASON_REQUEST_CONFLICT, "of Distribution"},
      {REJECT_REASON_NO_LONGER_KEPT, "of ReadLog"},
      {REJECT_REASON_NOT_READY, "the port opens only after recovery"},
      {REJECT_REASON_FAILED_CONDITION, "of operators' calls"},
  };
  return reasons;
}

TEST(RejectionsOfCheckers, EachReasonHasATestOverTheWireOrBelongsToAnotherCall) {
  ExpectEveryReason(Cases(), ReasonsOfOthers());
}

}  // namespace
}  // namespace holdfast::server
