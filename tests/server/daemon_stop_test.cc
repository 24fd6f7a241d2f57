// The end of a process: streams and calls that are open then, and what the log holds after it.

#include <gtest/gtest.h>

#include <future>

#include "tests/server/call_detail.h"
#include "tests/server/test_worker.h"

namespace holdfast::server {
namespace {

using namespace controlplane::v1;
using log::v1::Input;

TEST(DaemonStop, OpenStreamsEndWithShuttingDownAndTheLogSaysSo) {
  TestDaemon daemon;
  std::vector<std::unique_ptr<TestWorker>> workers;
  std::vector<std::unique_ptr<TestWatch>> watches;
  for (int i = 0; i < 10; ++i) {
    workers.push_back(std::make_unique<TestWorker>(daemon, "worker-" + std::to_string(i)));
    watches.push_back(workers.back()->Activate());
  }

  daemon.Stop();

  for (auto& watch : watches) {
    const grpc::Status status = watch->End();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(ReasonOf(status), REJECT_REASON_SHUTTING_DOWN);
  }
  EXPECT_EQ(daemon.daemon().streams().streams(), 0u);
  EXPECT_EQ(daemon.Entries(Input::kStreamEnded).size(), 10u);
}

TEST(DaemonStop, CallsThatWaitForTheDiskAreStillAnswered) {
  TestDaemon daemon;
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  daemon.log().Hold();
  std::promise<grpc::Status> answered;
  grpc::ClientContext context;
  const ReportRuntimeRequest request = worker.ReportRequest(1);
  ReportRuntimeResponse response;
  worker.stub().async()->ReportRuntime(&context, &request, &response,
                                       [&](grpc::Status status) { answered.set_value(std::move(status)); });
  daemon.log().WaitUntilHeld();

  std::thread stopping([&] { daemon.Stop(); });
  const grpc::Status stream_status = watch->End();
  daemon.log().Release();
  const grpc::Status status = answered.get_future().get();
  stopping.join();

  EXPECT_EQ(ReasonOf(stream_status), REJECT_REASON_SHUTTING_DOWN);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.accepted_sequence(), 1u);
  EXPECT_EQ(daemon.Entries(Input::kReportRuntime).size(), 1u);
}

TEST(DaemonStop, ACancelledCallIsDecidedAllTheSameAndItsAnswerHarmsNobody) {
  TestDaemon daemon;
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  daemon.log().Hold();
  constexpr int kCalls = 20;
  std::vector<grpc::ClientContext> contexts(kCalls);
  std::vector<ReportRuntimeRequest> requests;
  std::vector<ReportRuntimeResponse> responses(kCalls);
  std::vector<std::promise<grpc::Status>> answered(kCalls);
  for (int i = 0; i < kCalls; ++i) requests.push_back(worker.ReportRequest(static_cast<std::uint64_t>(i) + 1));
  worker.stub().async()->ReportRuntime(&contexts[0], &requests[0], &responses[0],
                                       [&](grpc::Status status) { answered[0].set_value(std::move(status)); });
  daemon.log().WaitUntilHeld();
  for (int i = 1; i < kCalls; ++i) {
    worker.stub().async()->ReportRuntime(&contexts[i], &requests[i], &responses[i],
                                         [&, i](grpc::Status status) { answered[i].set_value(std::move(status)); });
  }

  for (grpc::ClientContext& context : contexts) context.TryCancel();
  for (auto& one : answered) {
    EXPECT_EQ(one.get_future().get().error_code(), grpc::StatusCode::CANCELLED);
  }
  daemon.log().Release();
  daemon.Settle();

  EXPECT_TRUE(worker.Call(worker.ReportRequest(100)).ok());
  EXPECT_GE(daemon.Entries(Input::kReportRuntime).size(), 2u);
}

TEST(DaemonStop, WhatWasAnsweredBeforeIsThereAfterARestart) {
  TestDaemon daemon;
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  ASSERT_TRUE(worker.Call(worker.OutcomesRequest(9)).ok());

  daemon.Restart();
  TestWorker again(daemon, "worker-1");
  again.Register();

  EXPECT_EQ(again.session().last_outcome_sequence(), 9u);
  EXPECT_EQ(again.session().log_id(), worker.session().log_id());
}

}  // namespace
}  // namespace holdfast::server
