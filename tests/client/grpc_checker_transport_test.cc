// The checker over real gRPC, against a service in the same process. Waits are for events, with a generous bound. What
// calls and streams have in common with a worker's is in grpc_worker_transport_test.cc.

#include "client/grpc_checker_transport.h"

#include <gtest/gtest.h>

#include <future>

#include "base/boot_clock.h"
#include "client/checker_client.h"
#include "client/event_loop.h"
#include "tests/client/fake_checker_control_plane.h"
#include "tests/client/patience.h"
#include "tests/client/wire_builders.h"

namespace holdfast::client {
namespace {

using test::kPatience;

// Every check passes, as soon as it is begun.
class PassingHandler : public CheckHandler {
 public:
  void Run(const wire::CheckTask& task) override {
    wire::HealthObservation observation;
    observation.set_task_id(task.task_id());
    observation.set_verdict(wire::VERDICT_PASS);
    client->Report(observation);
  }
  void Cancel(const std::string&) override {}

  CheckerClient* client = nullptr;
};

class FinishObserver : public CheckerObserver {
 public:
  void OnFinished(session::SessionEnd end, const std::string&) override { finished.set_value(end); }
  std::promise<session::SessionEnd> finished;
};

class GrpcCheckerTransportTest : public ::testing::Test {
 protected:
  GrpcCheckerTransportTest() : clock_(*SystemBootClock()) {
    loop_ = std::make_shared<EventLoop>([this] { return BootTime(Duration(clock_->Micros())); });
  }
  ~GrpcCheckerTransportTest() override {
    loop_->RunAndWait([this] { client_.reset(); });
    loop_->Stop();
  }

  void Start(const std::string& target) {
    CheckerSettings settings;
    settings.checker_id = "c1";
    loop_->RunAndWait([&] {
      auto transport =
          std::make_unique<GrpcCheckerTransport>(loop_, [channel = MakeInsecureChannel(target)] { return channel; });
      client_ = std::make_unique<CheckerClient>(settings, loop_, std::move(transport), handler_, observer_, random_);
      handler_.client = client_.get();
      client_->Start();
    });
  }

  static wire::TaskUpdate Task(const std::string& task_id) {
    wire::TaskUpdate update;
    update.mutable_task()->set_task_id(task_id);
    update.mutable_task()->set_proxy_id("p1");
    update.mutable_task()->set_level(wire::CHECK_LEVEL_BASIC);
    update.mutable_task()->mutable_timeout()->set_seconds(30);
    return update;
  }

  test::FakeCheckerControlPlane service_;
  CountingRandom random_;
  PassingHandler handler_;
  FinishObserver observer_;
  std::unique_ptr<BootClock> clock_;
  std::shared_ptr<EventLoop> loop_;
  std::unique_ptr<CheckerClient> client_;
};

TEST_F(GrpcCheckerTransportTest, ACheckerComesUpRunsItsTasksAndReports) {
  Start(service_.address());
  ASSERT_TRUE(service_.WaitForStreams(1));
  EXPECT_EQ(service_.watches()[0].session_id(), "session-1");

  for (const char* id : {"t1", "t2", "t3"}) service_.Push(Task(id));

  ASSERT_TRUE(service_.WaitForObservations(3));
  const auto observations = service_.observations();
  ASSERT_EQ(observations.size(), 3U);
  EXPECT_EQ(observations[2].task_id(), "t3");
  EXPECT_EQ(observations[2].proxy_id(), "p1");
  EXPECT_EQ(observations[2].verdict(), wire::VERDICT_PASS);
}

TEST_F(GrpcCheckerTransportTest, AStreamThatEndsIsWatchedAgainInTheSameSession) {
  Start(service_.address());
  ASSERT_TRUE(service_.WaitForStreams(1));

  service_.EndStream(grpc::Status(grpc::StatusCode::UNAVAILABLE, "broken by the test"));

  ASSERT_TRUE(service_.WaitForStreams(2));
  EXPECT_EQ(service_.watches()[1].session_id(), "session-1");
  service_.Push(Task("t1"));
  EXPECT_TRUE(service_.WaitForObservations(1));
}

TEST_F(GrpcCheckerTransportTest, ADrainEndsWithTheControllersWordAndCancelsTheStream) {
  Start(service_.address());
  ASSERT_TRUE(service_.WaitForStreams(1));
  service_.Push(Task("t1"));
  ASSERT_TRUE(service_.WaitForObservations(1));

  loop_->RunAndWait([&] { client_->Drain(kPatience); });

  auto finished = observer_.finished.get_future();
  ASSERT_EQ(finished.wait_for(kPatience), std::future_status::ready);
  EXPECT_EQ(finished.get(), session::SessionEnd::kDrained);
  EXPECT_TRUE(service_.WaitForCancelled());
}

TEST_F(GrpcCheckerTransportTest, WithoutAnAddressEveryCallIsUnavailableAndNeverAnsweredFromWithin) {
  std::promise<CallResult> called, watched;
  std::unique_ptr<GrpcCheckerTransport> transport;
  std::unique_ptr<UpdateStream> stream;
  loop_->RunAndWait([&] {
    transport = std::make_unique<GrpcCheckerTransport>(loop_, [] { return nullptr; });
    transport->ReportObservations({}, kPatience, [&](const auto& result, const auto&) { called.set_value(result); });
    stream = transport->Watch({}, {[](const auto&) {}, [&](const auto& result) { watched.set_value(result); }});
  });

  EXPECT_EQ(called.get_future().get().code, absl::StatusCode::kUnavailable);
  EXPECT_EQ(watched.get_future().get().code, absl::StatusCode::kUnavailable);
  loop_->RunAndWait([&] {
    stream.reset();
    transport.reset();
  });
}

}  // namespace
}  // namespace holdfast::client
