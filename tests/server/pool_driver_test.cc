// The daemon with a projector that runs: clients extract over gRPC, operators compare, rebuild and adopt.

#include "server/pool_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/projector/troubled_store.h"
#include "tests/server/call_detail.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/operator_fixture.h"
#include "tests/server/test_client.h"
#include "tests/server/test_worker.h"
#include "tests/server/wait_until.h"

namespace holdfast::server {
namespace {

using ::holdfast::testing::LentStore;
using ::holdfast::testing::TroubledStore;
using pool::ProjectorPhase;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PoolDriverTest : public ::testing::Test {
 protected:
  TestDaemon::Options WithStore() {
    TestDaemon::Options options;
    options.make_store = [this] { return std::make_unique<LentStore>(store_); };
    return options;
  }

  void WaitForPhase(ProjectorPhase phase) {
    WaitUntil([&] { return daemon_.daemon().pool().status().phase == phase; });
  }
  // READY, and the end of its resync is decided.
  void WaitUntilUsable() {
    WaitForPhase(ProjectorPhase::kReady);
    WaitUntil([&] {
      daemon_.Settle();
      return !daemon_.Entries(log::v1::Input::kPoolStoreWritten).empty();
    });
  }

  struct Diff {
    grpc::Status status;
    std::vector<admin::v1::PoolDifference> differences;
    admin::v1::DiffPoolResponse last;
  };
  Diff Compare() {
    Diff diff;
    grpc::ClientContext context;
    const auto reader = admin_->DiffPool(&context, {});
    for (admin::v1::DiffPoolResponse response; reader->Read(&response);) {
      for (const auto& difference : response.differences()) diff.differences.push_back(difference);
      diff.last = response;
    }
    diff.status = reader->Finish();
    return diff;
  }
  grpc::Status Rebuild(bool dry_run, admin::v1::RebuildPoolResponse& response) {
    grpc::ClientContext context;
    admin::v1::RebuildPoolRequest request;
    request.set_dry_run(dry_run);
    return admin_->RebuildPool(&context, request, &response);
  }
  grpc::Status Adopt(admin::v1::AdoptPoolResponse& response) {
    grpc::ClientContext context;
    admin::v1::AdoptPoolRequest request;
    request.set_reason("the log was put back from a backup");
    return admin_->AdoptPool(&context, request, &response);
  }
  audit::v1::GetStatusResponse Status() {
    grpc::ClientContext context;
    audit::v1::GetStatusResponse status;
    EXPECT_TRUE(audit::v1::Audit::NewStub(daemon_.NewChannel())->GetStatus(&context, {}, &status).ok());
    return status;
  }

  TroubledStore store_;
  TestDaemon daemon_{WithStore()};
  std::unique_ptr<admin::v1::PoolAdmin::Stub> admin_ = admin::v1::PoolAdmin::NewStub(daemon_.NewChannel());
  TestClient client_{daemon_, "c1"};
};

TEST_F(PoolDriverTest, AClientTakesMachinesAndGivesThemBack) {
  daemon_.Import(3);
  WaitUntilUsable();

  ASSERT_TRUE(client_.Call(client_.Request("r1", 2)).ok());
  const distribution::v1::ExtractResponse first = client_.extracted();
  EXPECT_THAT(first.proxies(), SizeIs(2));
  EXPECT_EQ(Status().extractions().at("standing"), 1u);
  ASSERT_TRUE(client_.Call(client_.Request("r1", 2)).ok());
  EXPECT_EQ(client_.extracted().extraction_id(), first.extraction_id());
  EXPECT_THAT(Compare().differences, IsEmpty());

  ASSERT_TRUE(client_.Call(client_.ReleaseRequest("back", first.extraction_id())).ok());
  EXPECT_EQ(client_.released().released(), 2u);
  EXPECT_THAT(Compare().differences, IsEmpty());
}

TEST_F(PoolDriverTest, WhatAClientHasStaysItsOverAStart) {
  daemon_.Import(3);
  WaitUntilUsable();
  ASSERT_TRUE(client_.Call(client_.Request("r1", 3)).ok());
  const std::string id = client_.extracted().extraction_id();

  daemon_.Restart();
  TestClient again(daemon_, "c1");
  WaitUntil([&] { return again.Call(again.Request("r1", 3)).ok(); });
  EXPECT_EQ(again.extracted().extraction_id(), id);
  WaitForPhase(ProjectorPhase::kReady);
  EXPECT_EQ(daemon_.daemon().pool().status().resyncs, 0u);  // the store is still there
  admin_ = admin::v1::PoolAdmin::NewStub(daemon_.NewChannel());
  EXPECT_THAT(Compare().differences, IsEmpty());
}

TEST_F(PoolDriverTest, WithTheStoreAwayAClientIsToldSoAndTheRestGoesOn) {
  daemon_.Import(3);
  WaitUntilUsable();
  store_.SetAway(true);
  daemon_.Import(1, "more-");
  WaitForPhase(ProjectorPhase::kMeeting);

  const grpc::Status refused = client_.Call(client_.Request("r1", 1));

  EXPECT_EQ(ReasonOf(refused), controlplane::v1::REJECT_REASON_POOL_UNAVAILABLE);
  EXPECT_THAT(Status().pool_trouble(), HasSubstr("nobody is there"));
  EXPECT_EQ(Status().pool_condition(), "away");
  EXPECT_EQ(ReasonOf(Compare().status), controlplane::v1::REJECT_REASON_POOL_UNAVAILABLE);

  store_.SetAway(false);
  WaitForPhase(ProjectorPhase::kReady);
  WaitUntil([&] { return client_.Call(client_.Request("r1", 1)).ok(); });
  EXPECT_THAT(Compare().differences, IsEmpty());
}

TEST_F(PoolDriverTest, AComparisonNamesWhatDiffersAndARebuildMendsIt) {
  daemon_.Import(3);
  WaitUntilUsable();
  ASSERT_THAT(Compare().differences, IsEmpty());
  pool::Batch batch;
  daemon_.Settle();
  const pool::Position position = *store_.ReadPosition({});
  batch.log_id = position.log_id;
  batch.controller_epoch = position.controller_epoch;
  batch.follows = position.applied_seq;
  batch.upto = Next(batch.follows);
  batch.writes.emplace_back(pool::ProxyRemoval{"proxy-1"});
  batch.last_part = false;
  ASSERT_EQ(store_.Apply(std::vector{batch}, {})->verdict, pool::Verdict::kDone);

  const Diff diff = Compare();
  ASSERT_THAT(diff.differences, SizeIs(1));
  EXPECT_EQ(diff.differences[0].proxy_id(), "proxy-1");
  EXPECT_EQ(diff.differences[0].in_store(), "none");
  EXPECT_EQ(diff.last.total(), 6u);

  admin::v1::RebuildPoolResponse response;
  ASSERT_TRUE(Rebuild(true, response).ok());
  EXPECT_EQ(response.proxies_written(), 3u);
  EXPECT_THAT(Compare().differences, SizeIs(1));
  ASSERT_TRUE(Rebuild(false, response).ok());
  EXPECT_EQ(response.proxies_written(), 3u);
  EXPECT_EQ(response.addresses_written(), 3u);
  EXPECT_THAT(Compare().differences, IsEmpty());
}

TEST_F(PoolDriverTest, AStoreOfAnotherLogIsTakenOverByAnOperatorAlone) {
  daemon_.Import(2);
  WaitUntilUsable();
  admin::v1::AdoptPoolResponse adopted;
  EXPECT_EQ(ReasonOf(Adopt(adopted)), controlplane::v1::REJECT_REASON_FAILED_CONDITION);

  TestDaemon::Options options = WithStore();
  TestDaemon other(options);
  other.Import(2);
  WaitUntil([&] { return other.daemon().pool().status().phase == ProjectorPhase::kForeign; });
  TestClient client(other, "c1");
  EXPECT_FALSE(client.Call(client.Request("r1", 1)).ok());
  admin_ = admin::v1::PoolAdmin::NewStub(other.NewChannel());
  ASSERT_TRUE(Adopt(adopted).ok());
  EXPECT_GT(adopted.previous_applied_sequence(), 0u);
  WaitUntil([&] { return other.daemon().pool().status().phase == ProjectorPhase::kReady; });
  EXPECT_THAT(Compare().differences, IsEmpty());
}

TEST_F(PoolDriverTest, CallsThatWaitForTheStoreEndWithTheDaemon) {
  daemon_.Import(2);
  WaitUntilUsable();
  store_.SetAway(true);
  daemon_.Stop();
  EXPECT_FALSE(client_.Call(client_.Request("r1", 1)).ok());
}

}  // namespace
}  // namespace holdfast::server
