// WatchDrain over real gRPC: what is told while a session drains, how it ends, and that looking on changes nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/rejection_status.h"
#include "tests/server/call_detail.h"
#include "tests/server/drain_watch.h"
#include "tests/server/test_worker.h"

namespace holdfast::server {
namespace {

using admin::v1::CLOSE_REASON_DRAIN_DEADLINE;
using admin::v1::CLOSE_REASON_DRAINED;
using admin::v1::CLOSE_REASON_EXPIRED;
using admin::v1::CLOSE_REASON_SUPERSEDED;
using admin::v1::DrainProgress;
using admin::v1::DrainSessionRequest;
using admin::v1::DrainSessionResponse;
using admin::v1::WatchDrainRequest;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

class WatchDrain : public ::testing::Test {
 protected:
  WatchDrain() : worker_(daemon_.daemon(), "worker-1") {
    daemon_.daemon().Import(2);
    watch_ = worker_.Activate();
    worker_.ReadAndAcknowledge(*watch_);
    daemon_.daemon().Settle();
  }

  void Report(std::uint32_t first, std::uint32_t second) {
    auto report = worker_.ReportRequest(++reports_);
    const std::uint32_t active[] = {first, second};
    for (int i = 0; i < 2; ++i) {
      if (active[i] == 0) continue;
      auto* counter = report.add_counters();
      counter->set_proxy_id("proxy-" + std::to_string(i));
      counter->set_active(active[i]);
      counter->set_draining(draining_);
    }
    const grpc::Status status = worker_.Call(report);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  void Drain(int grace_seconds = 30) {
    DrainSessionRequest request;
    request.set_kind(controlplane::v1::SESSION_KIND_WORKER);
    request.set_member_id("worker-1");
    request.mutable_grace()->set_seconds(grace_seconds);
    grpc::ClientContext context;
    DrainSessionResponse response;
    ASSERT_TRUE(daemon_.fleet().DrainSession(&context, request, &response).ok());
    draining_ = true;
  }
  // The update that shows it all DRAINING; notices are passed over.
  void AcknowledgeDraining() {
    for (auto update = watch_->Read(); update; update = watch_->Read()) {
      const UpdateHead head = HeadOf(*update);
      if (head.version == 0) continue;
      ASSERT_TRUE(worker_.Call(worker_.AckRequest(head)).ok());
      return;
    }
    FAIL() << "the stream ended";
  }

  OperatorDaemon daemon_;
  TestWorker worker_;
  std::unique_ptr<TestWatch> watch_;
  std::uint64_t reports_ = 0;
  bool draining_ = false;
};

TEST_F(WatchDrain, TellsWhatIsLeftAndWhatHoldsItUpUntilAllIsProven) {
  Report(1, 3);
  Drain();
  DrainWatch drain(daemon_, "worker-1");
  const auto first = drain.Read();
  AcknowledgeDraining();

  Report(0, 0);
  const auto rest = drain.ReadToEnd();

  ASSERT_TRUE(first);
  EXPECT_EQ(first->session().state(), controlplane::v1::SESSION_STATE_DRAINING);
  EXPECT_EQ(first->proxies_left(), 2u);
  EXPECT_EQ(first->requests_left(), 4u);
  EXPECT_THAT(first->holding_up(), ElementsAre("proxy-1", "proxy-0"));
  EXPECT_FALSE(first->done());
  EXPECT_TRUE(rest.status.ok()) << rest.status.error_message();
  ASSERT_FALSE(rest.messages.empty());
  const DrainProgress& last = rest.messages.back();
  EXPECT_TRUE(last.done());
  EXPECT_EQ(last.session().state(), controlplane::v1::SESSION_STATE_CLOSED);
  EXPECT_EQ(last.session().close_reason(), CLOSE_REASON_DRAINED);
  EXPECT_EQ(last.proxies_left(), 0u);
}

TEST_F(WatchDrain, ADeadlineEndsItWithWhatIsLeft) {
  Report(1, 0);
  Drain(5);
  DrainWatch drain(daemon_, "worker-1");

  const auto all = drain.ReadToEnd();

  ASSERT_TRUE(all.status.ok());
  EXPECT_TRUE(all.messages.back().done());
  EXPECT_EQ(all.messages.back().session().close_reason(), CLOSE_REASON_DRAIN_DEADLINE);
}

TEST_F(WatchDrain, ManyChangesWithinATickAreToldAsOne) {
  Drain();
  DrainWatch drain(daemon_, "worker-1");
  ASSERT_TRUE(drain.Read());
  AcknowledgeDraining();

  for (std::uint32_t active = 1; active <= 20; ++active) Report(active, 0);
  Report(0, 0);
  const auto rest = drain.ReadToEnd();

  EXPECT_LE(rest.messages.size(), 3u);
  EXPECT_TRUE(rest.messages.back().done());
}

TEST_F(WatchDrain, ThatTheWorkerIsHeardIsNoProgress) {
  DrainWatch drain(daemon_, "worker-1");
  ASSERT_TRUE(drain.Read());

  for (int i = 0; i < 10; ++i) {
    Report(0, 0);
    daemon_.Advance(milliseconds(100));
  }
  Report(2, 0);
  const auto next = drain.Read();

  ASSERT_TRUE(next);
  EXPECT_EQ(next->requests_left(), 2u);
}

TEST_F(WatchDrain, ASessionThatAnotherTookThePlaceOfIsOver) {
  DrainWatch drain(daemon_, "worker-1", worker_.session().session_id());
  ASSERT_TRUE(drain.Read());

  worker_.Register();
  const auto rest = drain.ReadToEnd();

  ASSERT_TRUE(rest.status.ok());
  ASSERT_FALSE(rest.messages.empty());
  EXPECT_TRUE(rest.messages.back().done());
  EXPECT_EQ(rest.messages.back().session().close_reason(), CLOSE_REASON_SUPERSEDED);
}

TEST_F(WatchDrain, OneThatIsOverAlreadyIsToldOnce) {
  const std::string session = worker_.session().session_id();
  daemon_.Advance(seconds(16));

  for (const std::string& named : {session, std::string()}) {
    const auto all = DrainWatch(daemon_, "worker-1", named).ReadToEnd();

    ASSERT_TRUE(all.status.ok());
    ASSERT_EQ(all.messages.size(), 1u);
    EXPECT_TRUE(all.messages[0].done());
    EXPECT_EQ(all.messages[0].session().close_reason(), CLOSE_REASON_EXPIRED);
  }
}

TEST_F(WatchDrain, WhoLeavesDoesNotStopTheDrain) {
  Drain();
  {
    DrainWatch drain(daemon_, "worker-1");
    ASSERT_TRUE(drain.Read());
  }
  for (int i = 0; i < 1'000 && daemon_.services().streams() > 0; ++i) daemon_.Advance(milliseconds(1));
  EXPECT_EQ(daemon_.services().streams(), 0u);

  AcknowledgeDraining();
  Report(0, 0);
  DrainWatch again(daemon_, "worker-1");
  const auto rest = again.ReadToEnd();

  EXPECT_EQ(rest.messages.back().session().close_reason(), CLOSE_REASON_DRAINED);
}

TEST_F(WatchDrain, WhatWasNeverSeenIsNotFoundAndOtherKindsAreMalformed) {
  const auto no_worker = DrainWatch(daemon_, "nobody").ReadToEnd();
  const auto no_session = DrainWatch(daemon_, "worker-1", "another").ReadToEnd();
  WatchDrainRequest agent;
  agent.set_kind(controlplane::v1::SESSION_KIND_AGENT);
  agent.set_member_id("worker-1");
  grpc::ClientContext context;
  const auto malformed = ReadAll(*daemon_.fleet().WatchDrain(&context, agent));

  EXPECT_EQ(no_worker.status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailOf(no_worker.status)->detail.field(), "member_id");
  EXPECT_EQ(no_session.status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(DetailOf(no_session.status)->detail.field(), "session_id");
  EXPECT_EQ(malformed.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailOf(malformed.status)->detail.field(), "kind");
}

TEST_F(WatchDrain, TheEndOfTheProcessEndsIt) {
  DrainWatch drain(daemon_, "worker-1");
  ASSERT_TRUE(drain.Read());

  daemon_.services().CloseAll(ShuttingDownRejection());
  const auto rest = drain.ReadToEnd();

  EXPECT_EQ(ReasonOf(rest.status), controlplane::v1::REJECT_REASON_SHUTTING_DOWN);
}

}  // namespace
}  // namespace holdfast::server
