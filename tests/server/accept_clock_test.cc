// AcceptClock over real gRPC: the log's clock goes to the wall, once, and never back; every session begins anew.

#include <gtest/gtest.h>

#include <future>

#include "controller/proto_time.h"
#include "tests/server/call_detail.h"
#include "tests/server/operator_fixture.h"
#include "tests/server/test_worker.h"

namespace holdfast::server {
namespace {

using admin::v1::AcceptClockRequest;
using admin::v1::AcceptClockResponse;
using admin::v1::ListAlarmsResponse;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

class AcceptClock : public ::testing::Test {
 protected:
  struct Accepted {
    grpc::Status status;
    AcceptClockResponse response;
  };

  Accepted Accept(const std::string& reason = "the host slept") {
    AcceptClockRequest request;
    request.set_reason(reason);
    grpc::ClientContext context;
    Accepted accepted;
    accepted.status = daemon_.fleet().AcceptClock(&context, request, &accepted.response);
    return accepted;
  }
  LogTime Now() { return daemon_.daemon().loop().Now(); }
  Duration Moved(const Accepted& accepted) { return *ReadDuration(accepted.response.moved()); }
  int Alarms() {
    grpc::ClientContext context;
    ListAlarmsResponse response;
    EXPECT_TRUE(daemon_.fleet().ListAlarms(&context, {}, &response).ok());
    return response.alarms_size();
  }

  OperatorDaemon daemon_;
};

TEST_F(AcceptClock, TheLogsClockGoesToTheWallAndEverySessionBeginsAnew) {
  daemon_.daemon().Import(1);
  TestWorker worker(daemon_.daemon(), "worker-1");
  const auto watch = worker.Activate();
  daemon_.daemon().SetWallBy(hours(1));
  daemon_.Advance(seconds(1));
  const LogTime before = Now();
  EXPECT_EQ(Alarms(), 1);

  const Accepted accepted = Accept();
  daemon_.Advance(milliseconds(100));

  ASSERT_TRUE(accepted.status.ok()) << accepted.status.error_message();
  EXPECT_NEAR(static_cast<double>(Moved(accepted).count()), 3.6e9, 1e6);
  EXPECT_GE(Now(), before + Moved(accepted));
  EXPECT_EQ(Alarms(), 0);
  const auto status = daemon_.Status();
  EXPECT_EQ(status.clock_offset().seconds(), 0);
  EXPECT_EQ(ReasonOf(worker.Call(worker.ReportRequest(1))), controlplane::v1::REJECT_REASON_SESSION_CLOSED);
  EXPECT_TRUE(worker.Call(worker.RegisterRequest()).ok());
}

TEST_F(AcceptClock, TwoAtOnceMoveItOnce) {
  daemon_.daemon().SetWallBy(hours(1));
  daemon_.Advance(seconds(1));
  const LogTime before = Now();

  auto one = std::async(std::launch::async, [&] { return Accept(); });
  auto other = std::async(std::launch::async, [&] { return Accept(); });
  const Accepted accepted[] = {one.get(), other.get()};

  EXPECT_NE(accepted[0].status.ok(), accepted[1].status.ok());
  EXPECT_LT(Now() - before, hours(1) + seconds(1));
}

TEST_F(AcceptClock, AWallThatIsNotAheadIsRefused) {
  const Accepted level = Accept();
  daemon_.daemon().SetWallBy(-hours(1));
  daemon_.Advance(seconds(1));
  const LogTime before = Now();
  const Accepted behind = Accept();

  for (const Accepted& accepted : {level, behind}) {
    EXPECT_EQ(accepted.status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
    EXPECT_EQ(ReasonOf(accepted.status), controlplane::v1::REJECT_REASON_FAILED_CONDITION);
  }
  EXPECT_GE(Now(), before);
}

TEST_F(AcceptClock, AReasonIsNeeded) {
  const Accepted accepted = Accept("");

  EXPECT_EQ(accepted.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailOf(accepted.status)->detail.field(), "reason");
}

}  // namespace

// Another process on the same log has a loop of its own, which the operators' services of the fixture do not know.
TEST(AcceptedClock, StandsAfterARestartOnTheSameBoot) {
  TestDaemon daemon;
  daemon.SetWallBy(hours(1));
  daemon.Advance(seconds(1));
  log::v1::Input input;
  input.mutable_accept_clock()->mutable_request()->set_reason("the host slept");
  const Reply reply = daemon.Decide(input);
  ASSERT_TRUE(std::holds_alternative<AcceptClockResponse>(reply));
  const LogTime before = daemon.loop().Now();

  daemon.Restart();

  EXPECT_GE(daemon.loop().Now(), before);
  EXPECT_LT(daemon.loop().Now() - before, seconds(1));
}

}  // namespace holdfast::server
