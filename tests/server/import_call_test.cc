// ImportProxies over real gRPC: answered batch by batch, each durable; what ends a stream and what stays.

#include <gtest/gtest.h>

#include <future>

#include "server/rejection_status.h"
#include "tests/server/call_detail.h"
#include "tests/server/operator_fixture.h"

namespace holdfast::server {
namespace {

using admin::v1::IMPORT_REASON_MALFORMED;
using admin::v1::IMPORT_REASON_SPECIAL_ADDRESS;
using admin::v1::ImportProxiesRequest;
using admin::v1::ImportProxiesResponse;

ImportProxiesRequest Batch(int first, int end, const std::string& source = "") {
  ImportProxiesRequest batch;
  for (int number = first; number < end; ++number) {
    *batch.add_proxies() = MadeProxy(number);
    batch.mutable_proxies(number - first)->set_source(source);
  }
  return batch;
}

TEST(ImportCall, EachBatchIsAnsweredWithItsPlaceInTheStreamAndStandsInTheLog) {
  OperatorDaemon daemon;

  const auto imported = daemon.Import({Batch(0, 3), Batch(3, 5), Batch(4, 6)});

  ASSERT_TRUE(imported.status.ok()) << imported.status.error_message();
  ASSERT_EQ(imported.messages.size(), 3u);
  EXPECT_EQ(imported.messages[0].added(), 3u);
  EXPECT_EQ(imported.messages[1].first_index(), 3u);
  EXPECT_EQ(imported.messages[2].first_index(), 5u);
  EXPECT_EQ(imported.messages[2].added(), 1u);
  EXPECT_EQ(imported.messages[2].unchanged(), 1u);
  const auto entries = daemon.daemon().Entries(log::v1::Input::kImportProxies);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].input.import_proxies().import(), 0u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(entries[i].sequence.value(), imported.messages[i].log_sequence());
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(entries[i].input.import_proxies().import(), imported.messages[0].log_sequence());
  }
  EXPECT_EQ(entries[0].principal, "loopback");
}

TEST(ImportCall, RejectionsCarryTheirIndexInTheWholeStream) {
  OperatorDaemon daemon;
  ImportProxiesRequest first = Batch(0, 3), second = Batch(3, 6);
  first.mutable_proxies(2)->mutable_endpoint()->set_port(0);
  second.mutable_proxies(1)->mutable_endpoint()->set_host("10.0.0.1");

  const auto imported = daemon.Import({first, second});

  ASSERT_EQ(imported.messages.size(), 2u);
  ASSERT_EQ(imported.messages[0].rejections_size(), 1);
  EXPECT_EQ(imported.messages[0].rejections(0).index(), 2u);
  EXPECT_EQ(imported.messages[0].rejections(0).reason(), IMPORT_REASON_MALFORMED);
  ASSERT_EQ(imported.messages[1].rejections_size(), 1);
  EXPECT_EQ(imported.messages[1].rejections(0).index(), 4u);
  EXPECT_EQ(imported.messages[1].rejections(0).reason(), IMPORT_REASON_SPECIAL_ADDRESS);
  EXPECT_EQ(daemon.List().size(), 4u);
}

TEST(ImportCall, ABrokenStreamLosesNothingThatWasAnsweredAndGoesOnInANewOne) {
  OperatorDaemon daemon;
  grpc::ClientContext context;
  const auto stream = daemon.pool().ImportProxies(&context);
  ImportProxiesResponse answer;
  ASSERT_TRUE(stream->Write(Batch(0, 3)) && stream->Read(&answer));

  context.TryCancel();
  const grpc::Status broken = stream->Finish();
  const auto resumed = daemon.Import({Batch(3, 5)});

  EXPECT_EQ(broken.error_code(), grpc::StatusCode::CANCELLED);
  ASSERT_TRUE(resumed.status.ok());
  EXPECT_EQ(resumed.messages[0].added(), 2u);
  EXPECT_EQ(daemon.List().size(), 5u);
}

TEST(ImportCall, ABatchOfWhichTheClientNeverHearsIsTakenWholeOrNotAndLeavesNoCallBehind) {
  OperatorDaemon daemon;
  daemon.daemon().log().Hold();
  grpc::ClientContext context;
  const auto stream = daemon.pool().ImportProxies(&context);
  ASSERT_TRUE(stream->Write(Batch(0, 3)));
  daemon.daemon().log().WaitUntilHeld();

  context.TryCancel();
  const grpc::Status broken = stream->Finish();
  daemon.daemon().log().Release();
  daemon.daemon().Settle();

  EXPECT_EQ(broken.error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_EQ(daemon.List().size(), 3u);
}

TEST(ImportCall, ReplaceRemovesWhatTheStreamDidNotNameHoweverManyTheyAre) {
  OperatorDaemon daemon;
  ASSERT_TRUE(daemon.Import({Batch(0, 4'500, "shop")}).status.ok());
  ASSERT_TRUE(daemon.Import({Batch(5'000, 5'010, "other")}).status.ok());
  ImportProxiesRequest last = Batch(5, 10, "shop");
  last.set_replace_source("shop");

  const auto replaced = daemon.Import({Batch(0, 5, "shop"), last});

  ASSERT_TRUE(replaced.status.ok()) << replaced.status.error_message();
  EXPECT_EQ(replaced.messages[0].removed(), 0u);
  EXPECT_EQ(replaced.messages[1].removed(), 4'490u);
  EXPECT_EQ(daemon.List().size(), 20u);
  const auto removals = daemon.daemon().Entries(log::v1::Input::kRemoveUnnamed);
  ASSERT_EQ(removals.size(), 3u);  // 2,000 at once, until one removes fewer
  EXPECT_EQ(removals[0].input.remove_unnamed().import(), replaced.messages[0].log_sequence());
}

TEST(ImportCall, AReplaceThatIsTheFirstBatchTooNamesItself) {
  OperatorDaemon daemon;
  ASSERT_TRUE(daemon.Import({Batch(0, 10, "shop")}).status.ok());
  ImportProxiesRequest only = Batch(0, 3, "shop");
  only.set_replace_source("shop");

  const auto replaced = daemon.Import({only});

  ASSERT_TRUE(replaced.status.ok());
  EXPECT_EQ(replaced.messages[0].unchanged(), 3u);
  EXPECT_EQ(replaced.messages[0].removed(), 7u);
}

TEST(ImportCall, NothingMayFollowTheBatchWithReplaceSource) {
  OperatorDaemon daemon;
  ImportProxiesRequest last = Batch(0, 2, "shop");
  last.set_replace_source("shop");

  const auto imported = daemon.Import({last, Batch(2, 4)});

  EXPECT_EQ(imported.messages.size(), 1u);
  EXPECT_EQ(imported.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailOf(imported.status)->detail.field(), "replace_source");
  EXPECT_EQ(daemon.List().size(), 2u);
}

TEST(ImportCall, ABatchOverTheLimitEndsTheStreamAndTakesNothing) {
  OperatorDaemon daemon;

  const auto imported = daemon.Import({Batch(0, 2), Batch(0, 10'001)});

  EXPECT_EQ(imported.messages.size(), 1u);
  EXPECT_EQ(ReasonOf(imported.status), controlplane::v1::REJECT_REASON_LIMIT_EXCEEDED);
  EXPECT_EQ(daemon.List().size(), 2u);
}

TEST(ImportCall, WhileTheDiskIsLowAnImportIsOverloadedAfterWhatWasAnswered) {
  OperatorDaemon daemon;
  grpc::ClientContext context;
  const auto stream = daemon.pool().ImportProxies(&context);
  ImportProxiesResponse answer;
  ASSERT_TRUE(stream->Write(Batch(0, 3)) && stream->Read(&answer));

  daemon.daemon().daemon().admission().SetDisk(1, 2);
  stream->Write(Batch(3, 6));
  const bool answered = stream->Read(&answer);
  const grpc::Status status = stream->Finish();

  EXPECT_FALSE(answered);
  EXPECT_EQ(ReasonOf(status), controlplane::v1::REJECT_REASON_OVERLOADED);
  EXPECT_GT(DetailOf(status)->detail.retry_after().seconds(), 0);
  EXPECT_EQ(daemon.List().size(), 3u);
}

TEST(ImportCall, WhileTheQueueIsFullAnImportIsOverloaded) {
  TestDaemon::Options options;
  options.config.command_queue_bytes = 1;
  OperatorDaemon daemon(options);

  const auto imported = daemon.Import({Batch(0, 3)});

  EXPECT_TRUE(imported.messages.empty());
  EXPECT_EQ(ReasonOf(imported.status), controlplane::v1::REJECT_REASON_OVERLOADED);
}

TEST(ImportCall, TheEndOfTheServiceEndsAnOpenImportWithItsReason) {
  OperatorDaemon daemon;
  grpc::ClientContext context;
  const auto stream = daemon.pool().ImportProxies(&context);
  ImportProxiesResponse answer;
  ASSERT_TRUE(stream->Write(Batch(0, 3)) && stream->Read(&answer));

  daemon.services().CloseAll(ShuttingDownRejection());
  const grpc::Status status = stream->Finish();

  EXPECT_EQ(ReasonOf(status), controlplane::v1::REJECT_REASON_SHUTTING_DOWN);
}

}  // namespace
}  // namespace holdfast::server
