// Every reason for which a worker's call is refused, over the wire: code, google.rpc.Status, ErrorDetail, metadata.

#include <gtest/gtest.h>

#include "tests/server/rejection_case.h"
#include "tests/server/test_worker.h"
#include "tests/server/wide_update.h"

namespace holdfast::server {
namespace {

using namespace controlplane::v1;
using Reason = controlplane::v1::RejectReason;
using std::chrono::seconds;

constexpr grpc::StatusCode kInvalid = grpc::StatusCode::INVALID_ARGUMENT;
constexpr grpc::StatusCode kPrecondition = grpc::StatusCode::FAILED_PRECONDITION;

grpc::Status UnknownSession(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  ReportRuntimeRequest request = worker.ReportRequest(1);
  request.set_session_id("never-given");
  return worker.Call(request);
}

grpc::Status SupersededSession(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  worker.Register();
  const ReportRuntimeRequest request = worker.ReportRequest(1);
  worker.Register();
  return worker.Call(request);
}

// The stream of a superseded session ends with the same reason.
grpc::Status SupersededStream(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  worker.Register();
  return watch->End();
}

grpc::Status ExpiredSession(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  worker.Register();
  daemon.Advance(seconds(16));
  return worker.Call(worker.ReportRequest(1));
}

grpc::Status ClosedSession(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  ReportRuntimeRequest last = worker.ReportRequest(1);
  last.set_draining(true);
  EXPECT_TRUE(worker.Call(last).ok());
  EXPECT_EQ(ReasonOf(watch->End()), REJECT_REASON_SESSION_CLOSED);
  return worker.Call(worker.ReportRequest(2));
}

grpc::Status WithEpoch(TestDaemon& daemon, int change) {
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  ReportRuntimeRequest request = worker.ReportRequest(1);
  request.set_ownership_epoch(request.ownership_epoch() + static_cast<std::uint64_t>(change));
  return worker.Call(request);
}

grpc::Status NotIssued(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  UpdateHead head = worker.last();
  head.version += 5;
  return worker.Call(worker.AckRequest(head));
}

grpc::Status SupersededReference(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  const UpdateHead old = worker.last();
  daemon.Import(1);
  worker.ReadAndAcknowledge(*watch);
  return worker.Call(worker.AckRequest(old));
}

grpc::Status WrongChecksum(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  worker.Register();
  auto watch = worker.Watch();
  UpdateHead head = HeadOf(watch->Read().value_or(SnapshotUpdate{}));
  head.checksum[0] = static_cast<char>(head.checksum[0] ^ 1);
  return worker.Call(worker.AckRequest(head));
}

// Acknowledged when its validity has passed; the session is kept alive meanwhile.
grpc::Status ExpiredSnapshot(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  daemon.Import(1);
  const UpdateHead head = HeadOf(watch->Read().value_or(SnapshotUpdate{}));
  for (std::uint64_t sequence = 1; sequence <= 31; ++sequence) {
    EXPECT_TRUE(worker.Call(worker.ReportRequest(sequence)).ok());
    daemon.Advance(seconds(1));
  }
  return worker.Call(worker.AckRequest(head));
}

grpc::Status FencedReport(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  AcknowledgeSnapshotRequest refusal = worker.AckRequest(worker.last());
  refusal.set_accepted(false);
  refusal.set_refusal(SNAPSHOT_REFUSAL_CHECKSUM);
  const std::uint64_t version = worker.acknowledged().accepted_version();
  EXPECT_TRUE(worker.Call(refusal).ok());
  ReportRuntimeRequest request = worker.ReportRequest(1);
  request.set_snapshot_version(version);
  return worker.Call(request);
}

grpc::Status OtherVersionReported(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  ReportRuntimeRequest request = worker.ReportRequest(1);
  request.set_snapshot_version(request.snapshot_version() + 1);
  return worker.Call(request);
}

grpc::Status ReportAfter(TestDaemon& daemon, std::uint64_t sequence, std::uint64_t queued) {
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  EXPECT_TRUE(worker.Call(worker.ReportRequest(5)).ok());
  ReportRuntimeRequest request = worker.ReportRequest(sequence);
  request.set_queued_request_count(queued);
  return worker.Call(request);
}

grpc::Status TooManyOutcomes(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  ReportOutcomesRequest request = worker.OutcomesRequest(1);
  for (int i = 0; i < 10'001; ++i) {
    Outcome* outcome = request.add_outcomes();
    outcome->set_proxy_id("p");
    outcome->set_phase(OUTCOME_PHASE_DIAL);
    outcome->set_error(OUTCOME_ERROR_NONE);
  }
  return worker.Call(request);
}

// The disk is nearly full: outcomes are the first to be turned away.
grpc::Status OutcomesOnAFullDisk(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  daemon.daemon().admission().SetDisk(1, 2);
  return worker.Call(worker.OutcomesRequest(1));
}

grpc::Status SecondStream(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  auto first = worker.Activate();
  auto second = worker.Watch();
  return first->End();
}

grpc::Status NoAckInTime(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  worker.Register();
  auto watch = worker.Watch();
  EXPECT_TRUE(watch->Read().has_value());
  daemon.Advance(seconds(6));
  return watch->End();
}

// More waits for its reader than its mailbox holds.
grpc::Status SlowStream(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  const StreamId stream = LatestStream(daemon);
  for (std::uint64_t i = 1; i <= 4; ++i) {
    daemon.daemon().streams().Carry(WideUpdate(daemon, stream, worker.last().version + i, 3'000'000));
  }
  return watch->End();
}

grpc::Status StoppedDaemon(TestDaemon& daemon) {
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  daemon.Stop();
  return watch->End();
}

// Of a worker that is active, and the call that `edit` makes of it.
std::function<grpc::Status(TestDaemon&)> Active(std::function<grpc::Status(TestWorker&)> edit) {
  return [edit = std::move(edit)](TestDaemon& daemon) {
    TestWorker worker(daemon, "worker-1");
    auto watch = worker.Activate();
    return edit(worker);
  };
}

grpc::Status MalformedRegistration(TestWorker& worker) {
  RegisterWorkerRequest request = worker.RegisterRequest();
  request.set_worker_id("no spaces");
  return worker.Call(request);
}

grpc::Status MalformedWatch(TestWorker& worker) {
  WatchSnapshotsRequest request = worker.WatchRequest();
  request.set_last_checksum("short");
  return worker.Watch(request)->End();
}

grpc::Status MalformedAcknowledgement(TestWorker& worker) {
  AcknowledgeSnapshotRequest request = worker.AckRequest(worker.last());
  request.set_session_id("");
  return worker.Call(request);
}

grpc::Status MalformedReport(TestWorker& worker) {
  ReportRuntimeRequest request = worker.ReportRequest(1);
  for (int i = 0; i < 4; ++i) request.add_counters()->set_proxy_id(i == 3 ? "" : "p" + std::to_string(i));
  return worker.Call(request);
}

grpc::Status MalformedOutcomes(TestWorker& worker) {
  ReportOutcomesRequest request = worker.OutcomesRequest(1);
  request.set_sequence(std::uint64_t{1} << 53);
  return worker.Call(request);
}

grpc::Status NoCommonVersion(TestWorker& worker) {
  RegisterWorkerRequest request = worker.RegisterRequest();
  request.set_supported_protocol_version(9);
  request.set_min_protocol_version(7);
  return worker.Call(request);
}

grpc::Status EpochBelow(TestDaemon& daemon) { return WithEpoch(daemon, -1); }
grpc::Status EpochAbove(TestDaemon& daemon) { return WithEpoch(daemon, 1); }
grpc::Status LowerSequence(TestDaemon& daemon) { return ReportAfter(daemon, 4, 0); }
grpc::Status OtherContent(TestDaemon& daemon) { return ReportAfter(daemon, 5, 1); }

std::vector<RejectionCase> Cases() {
  using Code = grpc::StatusCode;
  return {
      {REJECT_REASON_MALFORMED, "Registration", kInvalid, Active(MalformedRegistration), "worker_id"},
      {REJECT_REASON_MALFORMED, "Watch", kInvalid, Active(MalformedWatch), "last_checksum"},
      {REJECT_REASON_MALFORMED, "Acknowledgement", kInvalid, Active(MalformedAcknowledgement), "session_id"},
      {REJECT_REASON_MALFORMED, "Report", kInvalid, Active(MalformedReport), "counters[3].proxy_id"},
      {REJECT_REASON_MALFORMED, "Outcomes", kInvalid, Active(MalformedOutcomes), "sequence"},
      // clang-format off
      {REJECT_REASON_PROTOCOL_VERSION, "Version", kPrecondition, Active(NoCommonVersion), "supported_protocol_version",
       {"max", "min"}},
      {REJECT_REASON_SESSION_UNKNOWN, "Unknown", kPrecondition, UnknownSession},
      {REJECT_REASON_SESSION_SUPERSEDED, "Superseded", kPrecondition, SupersededSession},
      {REJECT_REASON_SESSION_SUPERSEDED, "SupersededStream", kPrecondition, SupersededStream},
      {REJECT_REASON_SESSION_EXPIRED, "Expired", kPrecondition, ExpiredSession},
      {REJECT_REASON_SESSION_CLOSED, "Closed", kPrecondition, ClosedSession},
      {REJECT_REASON_EPOCH_STALE, "EpochBelow", kPrecondition, EpochBelow, "ownership_epoch", {"current_epoch"}},
      {REJECT_REASON_EPOCH_AHEAD, "EpochAbove", kPrecondition, EpochAbove, "ownership_epoch", {"current_epoch"}},
      {REJECT_REASON_REFERENCE_NOT_ISSUED, "NeverIssued", kPrecondition, NotIssued, "version"},
      {REJECT_REASON_REFERENCE_SUPERSEDED, "OlderReference", kPrecondition, SupersededReference, "version"},
      {REJECT_REASON_CHECKSUM_MISMATCH, "WrongChecksum", kPrecondition, WrongChecksum, "checksum"},
      {REJECT_REASON_SNAPSHOT_EXPIRED, "ExpiredSnapshot", kPrecondition, ExpiredSnapshot, "version"},
      {REJECT_REASON_RUNTIME_FENCED, "Fenced", kPrecondition, FencedReport},
      {REJECT_REASON_VERSION_NOT_ACKNOWLEDGED, "OtherVersion", kPrecondition, OtherVersionReported, "snapshot_version",
       {"accepted_version"}},
      {REJECT_REASON_SEQUENCE_REGRESSED, "LowerSequence", Code::ALREADY_EXISTS, LowerSequence, "report_sequence",
       {"accepted_sequence"}},
      {REJECT_REASON_SEQUENCE_CONFLICT, "OtherContent", Code::ALREADY_EXISTS, OtherContent, "report_sequence"},
      {REJECT_REASON_LIMIT_EXCEEDED, "TooManyOutcomes", Code::RESOURCE_EXHAUSTED, TooManyOutcomes, "outcomes",
       {"limit"}},
      {REJECT_REASON_OVERLOADED, "FullDisk", Code::RESOURCE_EXHAUSTED, OutcomesOnAFullDisk},
      {REJECT_REASON_STREAM_REPLACED, "ReplacedStream", Code::ABORTED, SecondStream},
      {REJECT_REASON_ACK_TIMEOUT, "NoAckInTime", Code::DEADLINE_EXCEEDED, NoAckInTime},
      {REJECT_REASON_SLOW_READER, "SlowReader", Code::ABORTED, SlowStream},
      {REJECT_REASON_SHUTTING_DOWN, "StoppedDaemon", Code::UNAVAILABLE, StoppedDaemon},
      // clang-format on
  };
}

class RejectionOverTheWire : public ::testing::TestWithParam<RejectionCase> {};

TEST_P(RejectionOverTheWire, HasItsCodeItsDetailAndItsMetadata) { ExpectRejection(GetParam()); }

INSTANTIATE_TEST_SUITE_P(AllReasons, RejectionOverTheWire, ::testing::ValuesIn(Cases()),
                         [](const ::testing::TestParamInfo<RejectionCase>& info) { return info.param.name; });

// Reasons that no call of WorkerControlPlane gives, and why.
const std::map<Reason, std::string>& ReasonsOfOthers() {
  static const std::map<Reason, std::string> reasons = {
      {REJECT_REASON_UNSPECIFIED, "never sent"},
      {REJECT_REASON_IDENTITY_MISMATCH, "needs certificates: plaintext callers have no identity to mismatch"},
      {REJECT_REASON_NOT_LEADER, "of a replicated log"},
      {REJECT_REASON_DRAINING, "of the framed link"},
      {REJECT_REASON_TASK_UNKNOWN, "of the framed link"},
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

TEST(RejectionsOfWorkers, EachReasonHasATestOverTheWireOrBelongsToAnotherCall) {
  ExpectEveryReason(Cases(), ReasonsOfOthers());
}

}  // namespace
}  // namespace holdfast::server
