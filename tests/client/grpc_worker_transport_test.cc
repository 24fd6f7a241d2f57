// The client over real gRPC, against a service in the same process. Waits are for events, with a generous bound.

#include "client/grpc_worker_transport.h"

#include <gtest/gtest.h>

#include <future>

#include "base/boot_clock.h"
#include "client/event_loop.h"
#include "client/worker_client.h"
#include "tests/client/fake_control_plane.h"
#include "tests/client/patience.h"
#include "tests/client/rejection_status.h"
#include "tests/client/wire_builders.h"

namespace holdfast::client {
namespace {

using test::kPatience;

template <class Value>
Value Wait(std::future<Value> future) {
  if (future.wait_for(kPatience) != std::future_status::ready) ADD_FAILURE() << "waited in vain";
  return future.get();
}

class GrpcWorkerTransportTest : public ::testing::Test {
 protected:
  GrpcWorkerTransportTest() : clock_(*SystemBootClock()) {
    loop_ = std::make_shared<EventLoop>([this] { return BootTime(Duration(clock_->Micros())); });
  }
  ~GrpcWorkerTransportTest() override {
    loop_->RunAndWait([this] { transport_.reset(); });
    loop_->Stop();
  }

  void Open(const std::string& target) {
    loop_->RunAndWait([&] {
      transport_ =
          std::make_unique<GrpcWorkerTransport>(loop_, [channel = MakeInsecureChannel(target)] { return channel; });
      transport_->Reconnect();
    });
  }

  // One runtime report, and how it ended.
  CallResult Report(Duration deadline) {
    auto promise = std::make_shared<std::promise<CallResult>>();
    loop_->Post([this, promise, deadline] {
      wire::ReportRuntimeRequest request;
      request.set_report_sequence(5);
      transport_->ReportRuntime(request, deadline, [promise](const CallResult& result, const auto& response) {
        EXPECT_TRUE(!result.ok() || response.accepted_sequence() == 5);
        promise->set_value(result);
      });
    });
    return Wait(promise->get_future());
  }

  test::FakeControlPlane service_;
  std::unique_ptr<BootClock> clock_;
  std::shared_ptr<EventLoop> loop_;
  std::unique_ptr<GrpcWorkerTransport> transport_;
};

TEST_F(GrpcWorkerTransportTest, ACallIsAnswered) {
  Open(service_.address());

  EXPECT_TRUE(Report(kPatience).ok());
}

TEST_F(GrpcWorkerTransportTest, ARefusalBringsItsDetail) {
  Open(service_.address());
  service_.Refuse(test::Rejection(grpc::StatusCode::FAILED_PRECONDITION, wire::REJECT_REASON_SESSION_EXPIRED));

  const CallResult result = Report(kPatience);

  EXPECT_EQ(result.code, absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(result.reason(), wire::REJECT_REASON_SESSION_EXPIRED);
  EXPECT_EQ(result.message, "refused by the test");
  EXPECT_EQ(result.detail->retry_after().seconds(), 2);
}

TEST_F(GrpcWorkerTransportTest, ACallWithoutAnAnswerEndsAtItsDeadline) {
  Open(service_.address());
  service_.Hang();

  const CallResult result = Report(std::chrono::milliseconds(50));

  EXPECT_EQ(result.code, absl::StatusCode::kDeadlineExceeded);
  EXPECT_FALSE(result.detail);
}

TEST_F(GrpcWorkerTransportTest, NobodyThereIsUnavailable) {
  Open("127.0.0.1:1");

  EXPECT_EQ(Report(kPatience).code, absl::StatusCode::kUnavailable);
}

TEST_F(GrpcWorkerTransportTest, WithoutAnAddressEveryCallIsUnavailableAndNeverAnsweredFromWithin) {
  loop_->RunAndWait([this] { transport_ = std::make_unique<GrpcWorkerTransport>(loop_, [] { return nullptr; }); });

  EXPECT_EQ(Report(kPatience).code, absl::StatusCode::kUnavailable);
}

TEST_F(GrpcWorkerTransportTest, ADestroyedTransportDeliversNothingAndCancelsWhatIsUnderWay) {
  Open(service_.address());
  service_.Hang();
  std::atomic<bool> delivered{false};

  loop_->RunAndWait([&] {
    transport_->ReportRuntime({}, kPatience, [&](const auto&, const auto&) { delivered = true; });
    transport_->Watch({}, {[&](const auto&) { delivered = true; }, [&](const auto&) { delivered = true; }});
    transport_.reset();
  });
  // Whatever was posted by then has run when this comes back.
  loop_->RunAndWait([] {});

  EXPECT_FALSE(delivered);
}

TEST_F(GrpcWorkerTransportTest, UpdatesComeOneByOneAsTheyAreAskedFor) {
  Open(service_.address());
  std::unique_ptr<UpdateStream> stream;
  std::vector<std::uint64_t> versions;
  std::promise<void> three;
  std::promise<CallResult> ended;
  loop_->RunAndWait([&] {
    stream = transport_->Watch({}, {[&](const wire::SnapshotUpdate& update) {
                                      versions.push_back(update.full().version());
                                      if (versions.size() == 3) three.set_value();
                                      stream->ReadNext();
                                    },
                                    [&](const CallResult& result) { ended.set_value(result); }});
  });
  ASSERT_TRUE(service_.WaitForStreams(1));

  for (std::uint64_t version = 1; version <= 3; ++version) service_.Push(Full(7, version, 30, {}));
  Wait(three.get_future());
  service_.EndStream(test::Rejection(grpc::StatusCode::ABORTED, wire::REJECT_REASON_STREAM_REPLACED));

  EXPECT_EQ(Wait(ended.get_future()).reason(), wire::REJECT_REASON_STREAM_REPLACED);
  EXPECT_EQ(versions, (std::vector<std::uint64_t>{1, 2, 3}));
  loop_->RunAndWait([&] { stream.reset(); });
}

TEST_F(GrpcWorkerTransportTest, DestroyingAStreamCancelsIt) {
  Open(service_.address());
  std::unique_ptr<UpdateStream> stream;
  loop_->RunAndWait([&] { stream = transport_->Watch({}, {[](const auto&) {}, [](const auto&) {}}); });
  ASSERT_TRUE(service_.WaitForStreams(1));

  loop_->RunAndWait([&] { stream.reset(); });

  EXPECT_TRUE(service_.WaitForCancelled());
}

// The whole client over the wire: register, watch, take, acknowledge.
TEST_F(GrpcWorkerTransportTest, AWorkerComesUpOverTheWire) {
  struct Observer : WorkerObserver {
    void OnAck(const wire::AcknowledgeSnapshotRequest& request, const wire::AcknowledgeSnapshotResponse&) override {
      acknowledged.set_value(request.version());
    }
    std::promise<std::uint64_t> acknowledged;
  } observer;
  CountingRandom random;
  WorkerSettings settings;
  settings.worker_id = "w1";
  std::unique_ptr<WorkerClient> client;
  loop_->RunAndWait([&] {
    auto transport = std::make_unique<GrpcWorkerTransport>(
        loop_, [channel = MakeInsecureChannel(service_.address())] { return channel; });
    client = std::make_unique<WorkerClient>(settings, loop_, std::move(transport), observer, random);
    client->Start();
  });
  ASSERT_TRUE(service_.WaitForStreams(1));
  EXPECT_EQ(service_.watches()[0].session_id(), "session-1");
  wire::SnapshotUpdate update = Full(7, 42, 30, {Grant("a")});
  update.mutable_full()->mutable_valid_until()->set_seconds(1'000'030);

  service_.Push(update);

  EXPECT_EQ(Wait(observer.acknowledged.get_future()), 42U);
  loop_->RunAndWait([&] { client.reset(); });
}

}  // namespace
}  // namespace holdfast::client
