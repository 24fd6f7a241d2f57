// Clients over real gRPC: what they wait for, who answers them, and what becomes of a call that is cut off.

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "controller/proto_time.h"
#include "tests/server/call_detail.h"
#include "tests/server/test_client.h"
#include "tests/server/wait_until.h"

namespace holdfast::server {
namespace {

using namespace controlplane::v1;
using distribution::v1::ExtractRequest;
using distribution::v1::ExtractResponse;
using log::v1::Input;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::MatchesRegex;
using ::testing::SizeIs;

// A pool of machines, and a store that may be used.
struct ServedPool {
  explicit ServedPool(int machines, TestDaemon::Options options = {}) : daemon(std::move(options)) {
    daemon.Import(machines);
    store.Meet();
  }
  TestDaemon daemon;
  PlayedStore store{daemon};
  TestClient client{daemon, "client-1"};
};

// But for when it was said.
bool SaysTheSame(ExtractResponse one, ExtractResponse other) {
  one.clear_server_time();
  other.clear_server_time();
  return google::protobuf::util::MessageDifferencer::Equals(one, other);
}

TEST(Distribution, AClientGetsWhatTheStoreHasMoved) {
  ServedPool pool(3);
  const auto call = pool.client.Begin(pool.client.Request("r1", 2));
  const ExtractionRow intent = pool.store.NextIntent();
  EXPECT_EQ(pool.daemon.daemon().extractions().size(), 1u);

  pool.store.MoveAll(intent);
  const grpc::Status status = call->End();

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(call->response().proxies(), SizeIs(2));
  EXPECT_THAT(call->response().extraction_id(), MatchesRegex("[0-9a-f]{32}"));
  EXPECT_GT(ReadTime(call->response().extracted_until()), ReadTime(call->response().server_time()));
  EXPECT_EQ(pool.daemon.daemon().extractions().size(), 0u);
  const auto asked = pool.daemon.Entries(Input::kExtract);
  ASSERT_THAT(asked, SizeIs(1));
  EXPECT_EQ(asked[0].principal, kLoopbackPrincipal);
  EXPECT_EQ(asked[0].input.extract().extraction_id(), call->response().extraction_id());
}

TEST(Distribution, WhatIsMovedInPartIsGivenInPart) {
  ServedPool pool(3);
  const auto call = pool.client.Begin(pool.client.Request("r1", 3));
  const ExtractionRow intent = pool.store.NextIntent();

  pool.store.Move(intent, {intent.addresses[1]});
  const grpc::Status status = call->End();

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(call->response().proxies(), SizeIs(1));
  EXPECT_EQ(call->response().requested(), 3u);
}

// No input says so: a tick does, and no reply carries it.
TEST(Distribution, WhatTheStoreLeavesUnansweredIsToldByTheClock) {
  ServedPool pool(1);
  const auto call = pool.client.Begin(pool.client.Request("r1", 1));
  const ExtractionRow intent = pool.store.NextIntent();

  pool.daemon.Advance(seconds(3));
  const grpc::Status status = call->End();

  EXPECT_EQ(ReasonOf(status), REJECT_REASON_POOL_UNAVAILABLE);
  EXPECT_TRUE(pool.daemon.Entries(Input::kExtractionUnanswered).empty());
  EXPECT_EQ(pool.daemon.daemon().extractions().size(), 0u);
  // It comes after all, and nobody has anything of it.
  pool.store.MoveAll(intent);
  pool.daemon.Settle();
  EXPECT_TRUE(pool.store.Extract(pool.client, pool.client.Request("r1", 1)).proxies_size() == 1);
}

TEST(Distribution, AStoreThatCannotBeReachedIsToldAtOnce) {
  ServedPool pool(1);
  const auto call = pool.client.Begin(pool.client.Request("r1", 1));

  pool.store.KeepSilent(pool.store.NextIntent());
  const grpc::Status status = call->End();

  EXPECT_EQ(ReasonOf(status), REJECT_REASON_POOL_UNAVAILABLE);
  EXPECT_EQ(pool.daemon.Entries(Input::kExtractionUnanswered).size(), 1u);
}

TEST(Distribution, TheSameRequestIsAnsweredTheSameAlsoAfterARestart) {
  ServedPool pool(2);
  const ExtractResponse first = pool.store.Extract(pool.client, pool.client.Request("r1", 1));

  ASSERT_TRUE(pool.client.Call(pool.client.Request("r1", 1)).ok());
  EXPECT_TRUE(SaysTheSame(pool.client.extracted(), first));

  pool.daemon.Restart();
  TestClient again(pool.daemon, "client-1");
  ASSERT_TRUE(again.Call(again.Request("r1", 1)).ok());
  EXPECT_TRUE(SaysTheSame(again.extracted(), first));
  EXPECT_EQ(pool.daemon.daemon().extractions().size(), 0u);
}

TEST(Distribution, WhileItsIntentIsOpenARepeatIsToldToComeAgain) {
  ServedPool pool(1);
  const auto first = pool.client.Begin(pool.client.Request("r1", 1));
  const ExtractionRow intent = pool.store.NextIntent();

  const grpc::Status repeat = pool.client.Call(pool.client.Request("r1", 1));
  pool.store.MoveAll(intent);

  EXPECT_EQ(ReasonOf(repeat), REJECT_REASON_POOL_UNAVAILABLE);
  EXPECT_TRUE(first->End().ok());
}

TEST(Distribution, AClientThatHasGoneHarmsNobodyAndFindsItsOwnAgain) {
  ServedPool pool(1);
  const auto call = pool.client.Begin(pool.client.Request("r1", 1));
  const ExtractionRow intent = pool.store.NextIntent();

  call->Cancel();
  EXPECT_EQ(call->End().error_code(), grpc::StatusCode::CANCELLED);
  pool.store.MoveAll(intent);
  pool.daemon.Settle();

  EXPECT_EQ(pool.daemon.daemon().extractions().size(), 0u);
  ASSERT_TRUE(pool.client.Call(pool.client.Request("r1", 1)).ok());
  EXPECT_EQ(pool.client.extracted().extraction_id(), intent.extraction_id.value());
}

TEST(Distribution, WhatIsGivenBackIsCountedAndTheSameReleaseIsAnsweredTheSame) {
  ServedPool pool(2);
  const ExtractResponse extracted = pool.store.Extract(pool.client, pool.client.Request("r1", 2));

  ASSERT_TRUE(pool.client.Call(pool.client.ReleaseRequest("g1", extracted.extraction_id())).ok());
  EXPECT_EQ(pool.client.released().released(), 2u);
  const std::uint64_t sequence = pool.client.released().log_sequence();
  ASSERT_TRUE(pool.client.Call(pool.client.ReleaseRequest("g1", extracted.extraction_id())).ok());

  EXPECT_EQ(pool.client.released().released(), 2u);
  EXPECT_EQ(pool.client.released().log_sequence(), sequence);
}

TEST(Distribution, MoreCallsThanMayWaitAreTurnedAwayUndecided) {
  TestDaemon::Options options;
  options.config.max_waiting_extractions = 1;
  ServedPool pool(2, options);
  const auto first = pool.client.Begin(pool.client.Request("r1", 1));
  const ExtractionRow intent = pool.store.NextIntent();

  const grpc::Status second = pool.client.Call(pool.client.Request("r2", 1));
  pool.store.MoveAll(intent);
  EXPECT_TRUE(first->End().ok());

  EXPECT_EQ(ReasonOf(second), REJECT_REASON_OVERLOADED);
  EXPECT_TRUE(DetailOf(second)->detail.has_retry_after());
  EXPECT_EQ(pool.daemon.Entries(Input::kExtract).size(), 1u);
  pool.store.Extract(pool.client, pool.client.Request("r2", 1));  // there is room again
}

TEST(Distribution, OnAFullDiskNothingIsTakenAndWhatComesBackIs) {
  ServedPool pool(2);
  const ExtractResponse extracted = pool.store.Extract(pool.client, pool.client.Request("r1", 1));

  pool.daemon.daemon().admission().SetDisk(1, 2);

  EXPECT_EQ(ReasonOf(pool.client.Call(pool.client.Request("r2", 1))), REJECT_REASON_OVERLOADED);
  EXPECT_TRUE(pool.client.Call(pool.client.ReleaseRequest("g1", extracted.extraction_id())).ok());
}

TEST(Distribution, ANewLogGivesNothingUntilItsWaitIsOver) {
  TestDaemon::Options options;
  options.bootstrap = false;
  ServedPool pool(1, options);

  const grpc::Status early = pool.client.Call(pool.client.Request("r1", 1));
  pool.daemon.Advance(seconds(41));

  EXPECT_EQ(ReasonOf(early), REJECT_REASON_NOT_READY);
  EXPECT_EQ(pool.store.Extract(pool.client, pool.client.Request("r1", 1)).proxies_size(), 1);
}

// The call waits for the store, then for the disk.
TEST(Distribution, TheEndOfTheProcessAnswersWhoWaits) {
  ServedPool pool(2);
  const auto asked = pool.client.Begin(pool.client.Request("r1", 1));
  pool.store.NextIntent();
  pool.daemon.log().Hold();
  const auto undecided = pool.client.Begin(pool.client.Request("r2", 1));
  pool.daemon.log().WaitUntilHeld();
  ExtractionWaits& waits = pool.daemon.daemon().extractions();
  WaitUntil([&] { return waits.size() == 2; });

  std::thread stopping([&] { pool.daemon.Stop(); });
  const grpc::Status told = asked->End();
  const grpc::Status told_too = undecided->End();
  pool.daemon.log().Release();
  stopping.join();

  EXPECT_EQ(ReasonOf(told), REJECT_REASON_SHUTTING_DOWN);
  EXPECT_EQ(ReasonOf(told_too), REJECT_REASON_SHUTTING_DOWN);
  EXPECT_EQ(waits.size(), 0u);
  EXPECT_EQ(pool.daemon.Entries(Input::kExtract).size(), 2u);  // what was queued is decided, as ever
}

TEST(Distribution, AnAnswerForNobodyIsIgnored) {
  ServedPool pool(1);
  ExtractionWaits& waits = pool.daemon.daemon().extractions();

  waits.Settle({ExtractionId("never-given"), Rejection{RejectReason::kPoolUnavailable, "nobody hears it"}});

  EXPECT_EQ(waits.size(), 0u);
  pool.store.Extract(pool.client, pool.client.Request("r1", 1));
}

}  // namespace
}  // namespace holdfast::server
