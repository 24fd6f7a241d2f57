// What becomes of calls when Redis forgets, restarts, hangs, or the way to it breaks.

#include <gmock/gmock.h>

#include "pool/trouble.h"
#include "tests/pool/redis_fixture.h"
#include "tests/pool/relay.h"

namespace holdfast::pool::testing {
namespace {

using ::testing::HasSubstr;
using Condition = Position::Condition;
constexpr Duration kShort = std::chrono::milliseconds(50);

class RedisFaults : public RedisFixture {};

TEST_F(RedisFaults, ScriptsThatRedisForgotAreSentAgainAndRunOnce) {
  RedisServer redis;
  const auto store = MakeStore(redis.address());
  Projector projector(*store);
  projector.Fill(SampleRows(3));
  projector.Extract(projector.NextExtract("e1", SampleCandidates(0, 3)));
  projector.Apply(projector.NextBatch({}));
  redis.Ask({"SCRIPT", "FLUSH"});
  const std::int64_t commands_before = redis.Info("total_commands_processed");

  const ExtractResult result = projector.Extract(projector.NextExtract("e2", SampleCandidates(0, 3)));

  EXPECT_EQ(result.moved, SampleCandidates(1, 1));
  EXPECT_EQ(ReadAll(*store).available.size(), 1u);
  EXPECT_GT(redis.Info("total_commands_processed"), commands_before);
  EXPECT_EQ(redis.Ask({"SCRIPT", "EXISTS", std::string(kExtractScript.sha1)}).elements[0].integer, 1);
}

TEST_F(RedisFaults, ManyBatchesInFlightAreWrittenOnceWhenTheScriptIsGone) {
  RedisServer redis;
  const auto store = MakeStore(redis.address());
  Projector projector(*store);
  projector.Fill({});
  std::vector<Batch> batches;
  for (int i = 0; i < 50; ++i) {
    batches.push_back(projector.NextBatch({AddressWrite{.row = Unowned(AddressName(i)), .previous_owner = ""}}));
    ++projector.applied;
  }
  redis.Ask({"SCRIPT", "FLUSH"});

  const ApplyResult result = projector.Apply(batches);

  EXPECT_EQ(result.verdict, Verdict::kDone);
  EXPECT_EQ(result.finished, 50u);
  EXPECT_EQ(result.repeats, 0u);
  EXPECT_EQ(ReadAll(*store).addresses.size(), 50u);
}

TEST_F(RedisFaults, ARestartWithDataIsNotNoticed) {
  RedisServer redis({.durable = true});
  const auto store = MakeStore(redis.address());
  Projector projector(*store);
  projector.Fill(SampleRows(3));
  const ExtractRequest first = projector.NextExtract("e1", SampleCandidates(0, 3));
  projector.Extract(first);
  redis.Stop();
  redis.Start();

  EXPECT_EQ(projector.Extract(projector.NextExtract("e2", SampleCandidates(0, 3))).moved, SampleCandidates(1, 1));
  EXPECT_EQ(projector.Extract(first).moved, SampleCandidates(0, 1));
  EXPECT_EQ(ReadAll(*store).available.size(), 1u);
}

TEST_F(RedisFaults, ARestartWithoutDataIsSeenAndResynced) {
  RedisServer redis({.durable = true});
  const auto store = MakeStore(redis.address());
  Projector projector(*store);
  projector.Fill(SampleRows(3));
  redis.Stop();
  redis.LoseData();
  redis.Start();

  EXPECT_EQ(projector.Extract(projector.NextExtract("e1", SampleCandidates(0, 3))).verdict, Verdict::kEmpty);
  EXPECT_EQ(projector.ReadPosition(), Position{});
  projector.Fill(SampleRows(3), 20);
  EXPECT_EQ(projector.Extract(projector.NextExtract("e1", SampleCandidates(0, 3))).moved, SampleCandidates(0, 1));
}

TEST_F(RedisFaults, ARedisThatIsDownIsTriedAgainOnlyWhenItIsTime) {
  RedisServer redis({.durable = true});
  const auto store = MakeStore(redis.address());
  Projector projector(*store);
  projector.Fill(SampleRows(1));
  redis.Stop();

  absl::Status status = store->ReadPosition(kPatience).status();
  EXPECT_EQ(TroubleOf(status), Trouble::kUnreachable) << status;
  redis.Start();
  status = store->ReadPosition(kPatience).status();
  EXPECT_EQ(TroubleOf(status), Trouble::kUnreachable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("next try in"));
  clock_.MoveOn(std::chrono::milliseconds(1200));
  EXPECT_EQ(projector.ReadPosition().applied_seq, Sequence(10));
}

TEST_F(RedisFaults, AHungRedisIsWaitedForNoLongerThanAskedAndRunsTheCallOnce) {
  RedisServer redis;
  const auto store = MakeStore(redis.address());
  Projector projector(*store);
  projector.Fill(SampleRows(3));
  const ExtractRequest request = projector.NextExtract("e1", SampleCandidates(0, 3));
  redis.Pause();

  const absl::Status status = store->Extract(request, kShort).status();
  EXPECT_EQ(TroubleOf(status), Trouble::kTimedOut) << status;
  EXPECT_TRUE(IsInDoubt(status));
  EXPECT_EQ(TroubleOf(store->ReadPosition(kShort).status()), Trouble::kUnreachable);
  redis.Resume();
  clock_.MoveOn(std::chrono::seconds(20));

  EXPECT_EQ(projector.Extract(request).moved, SampleCandidates(0, 1));
  EXPECT_EQ(ReadAll(*store).available.size(), 2u);
}

TEST_F(RedisFaults, AnAnswerThatWasLostIsGivenAgain) {
  RedisServer redis;
  Relay relay(redis.address());
  const auto direct = MakeStore(redis.address());
  Projector(*direct).Fill(SampleRows(500));
  const auto store = MakeStore(relay.address());
  Projector projector(*store);
  projector.applied = 10;
  relay.CutRepliesOfEvery(3);
  std::map<std::string, std::string> granted;  // address to extraction

  for (int i = 0; i < 1000; ++i) {
    const std::string id = "e" + std::to_string(i);
    const ExtractRequest request = projector.NextExtract(id, SampleCandidates(i % 250 * 2, 4));
    auto result = store->Extract(request, kPatience);
    while (!result.ok()) {
      ASSERT_EQ(TroubleOf(result.status()), Trouble::kCutOff) << result.status();
      result = store->Extract(request, kPatience);
    }
    ASSERT_EQ(result->verdict, Verdict::kDone) << VerdictName(result->verdict);
    projector.applied = request.sequence.value();
    for (const Candidate& moved : result->moved) EXPECT_TRUE(granted.emplace(moved.address, id).second);
  }

  EXPECT_GT(relay.cuts(), 300);
  EXPECT_EQ(granted.size(), 500u);
  std::map<std::string, std::string> stored;
  for (const auto& [id, row] : ReadAll(*direct).addresses) stored.emplace(id, row.extraction_id);
  EXPECT_EQ(stored, granted);
}

TEST_F(RedisFaults, BatchesWhoseCallOrAnswerWasLostAreWrittenOnce) {
  RedisServer redis;
  Relay relay(redis.address());
  const auto store = MakeStore(relay.address());
  Projector projector(*store);
  projector.Fill({});
  relay.CutRepliesOfEvery(3);
  relay.CutCallsOfEvery(5);

  for (int i = 0; i < 200; ++i) {
    const Batch batch = projector.NextBatch({AddressWrite{.row = Unowned(AddressName(i)), .previous_owner = ""}});
    auto result = store->Apply(std::span(&batch, 1), kPatience);
    while (!result.ok()) result = store->Apply(std::span(&batch, 1), kPatience);
    ASSERT_EQ(result->verdict, Verdict::kDone) << VerdictName(result->verdict);
    ASSERT_EQ(result->position.applied_seq, batch.upto);
    projector.applied = batch.upto.value();
  }

  relay.CutRepliesOfEvery(0);
  relay.CutCallsOfEvery(0);
  EXPECT_GT(relay.cuts(), 100);
  EXPECT_EQ(ReadAll(*store).addresses.size(), 200u);
}

TEST_F(RedisFaults, AScriptThatArrivesAfterItsTombstoneMovesNothing) {
  RedisServer redis;
  Relay relay(redis.address());
  const auto direct = MakeStore(redis.address());
  Projector projector(*direct);
  projector.Fill(SampleRows(3));
  const auto store = MakeStore(relay.address());
  ASSERT_TRUE(store->ReadPosition(kPatience).ok());
  const ExtractRequest request = projector.NextExtract("e1", SampleCandidates(0, 3));
  relay.HoldCalls();
  EXPECT_EQ(TroubleOf(store->Extract(request, kShort).status()), Trouble::kTimedOut);
  ASSERT_TRUE(checker::WaitUntil([&] { return relay.holds(); }));

  EXPECT_TRUE(projector.Cancel(projector.CancelOf(request)).cancelled);
  relay.ReleaseAndAwaitReply();

  EXPECT_EQ(ReadAll(*direct).available.size(), 3u);
  EXPECT_TRUE(projector.Extract(request).cancelled);
}

TEST_F(RedisFaults, AStepOfAResyncThatArrivesLateDoesNothing) {
  RedisServer redis;
  Relay relay(redis.address());
  const auto store = MakeStore(relay.address());
  Projector projector(*store);
  ASSERT_TRUE(store->BeginResync(projector.Start(), kPatience).ok());
  ASSERT_TRUE(store->ClearSome(kPatience)->finished);
  relay.HoldCalls();
  const std::vector<Write> stale = {AddressWrite{.row = Granted("stale:1", "w1"), .previous_owner = ""}};
  EXPECT_EQ(TroubleOf(store->WriteResync(stale, kShort).status()), Trouble::kTimedOut);
  ASSERT_TRUE(checker::WaitUntil([&] { return relay.holds(); }));

  const auto direct = MakeStore(redis.address());
  ASSERT_TRUE(direct->BeginResync(projector.Start(), kPatience).ok());
  relay.ReleaseAndAwaitReply();
  ASSERT_TRUE(direct->ClearSome(kPatience)->finished);

  EXPECT_EQ(direct->WriteResync(SampleRows(1), kPatience)->verdict, Verdict::kDone);
  EXPECT_EQ(store->WriteResync(stale, kPatience)->verdict, Verdict::kNotResyncing);
  EXPECT_EQ(direct->FinishResync(Sequence(30), kPatience)->verdict, Verdict::kDone);
  EXPECT_EQ(store->WriteResync(stale, kPatience)->verdict, Verdict::kNotResyncing);
  EXPECT_EQ(ReadAll(*direct).addresses.size(), 1u);
}

TEST_F(RedisFaults, AStepThatALaterOneOvertookDoesNothing) {
  RedisServer redis;
  Relay relay(redis.address());
  RedisSettings settings = SettingsFor({relay.address(), redis.address()});
  settings.connect_timeout = std::chrono::milliseconds(200);
  const auto store = MakeStore(settings);
  Projector projector(*store);
  ASSERT_TRUE(store->BeginResync(projector.Start(), kPatience).ok());
  ASSERT_TRUE(store->ClearSome(kPatience)->finished);
  relay.HoldCalls();
  const std::vector<Write> stale = {AddressWrite{.row = Granted("a:1", "w1"), .previous_owner = ""}};
  EXPECT_EQ(TroubleOf(store->WriteResync(stale, kShort).status()), Trouble::kTimedOut);
  ASSERT_TRUE(checker::WaitUntil([&] { return relay.holds(); }));

  const std::vector<Write> fresh = {AddressWrite{.row = Unowned("a:1"), .previous_owner = "w1"}};
  ASSERT_EQ(store->WriteResync(fresh, kPatience)->verdict, Verdict::kDone);
  relay.ReleaseAndAwaitReply();

  EXPECT_EQ(ReadAll(*store).addresses.at("a:1"), Unowned("a:1"));
  EXPECT_EQ(store->FinishResync(Sequence(30), kPatience)->verdict, Verdict::kDone);
}

TEST_F(RedisFaults, AResyncWhoseAnswersAreLostGoesOn) {
  RedisServer redis;
  Relay relay(redis.address());
  const auto store = MakeStore(relay.address());
  Projector projector(*store);
  projector.Fill(SampleRows(2'000));
  relay.CutRepliesOfEvery(4);
  const auto retry = [](auto&& call) {
    auto result = call();
    while (!result.ok()) result = call();
    return result;
  };

  ASSERT_EQ(retry([&] { return store->BeginResync(projector.Start(), kPatience); })->verdict, Verdict::kDone);
  while (!retry([&] { return store->ClearSome(kPatience); })->finished) {
  }
  for (int i = 0; i < 20; ++i) {
    const std::vector<Write> rows = {AddressWrite{.row = Unowned(AddressName(i)), .previous_owner = ""}};
    ASSERT_EQ(retry([&] { return store->WriteResync(rows, kPatience); })->verdict, Verdict::kDone);
  }
  ASSERT_EQ(retry([&] { return store->FinishResync(Sequence(30), kPatience); })->verdict, Verdict::kDone);

  relay.CutRepliesOfEvery(0);
  EXPECT_GT(relay.cuts(), 5);
  EXPECT_EQ(projector.ReadPosition().applied_seq, Sequence(30));
  EXPECT_EQ(ReadAll(*store).addresses.size(), 20u);
}

TEST_F(RedisFaults, AFinishedResyncMayBeFinishedAgain) {
  RedisServer redis;
  Relay relay(redis.address());
  const auto store = MakeStore(relay.address());
  Projector projector(*store);
  ASSERT_TRUE(store->BeginResync(projector.Start(), kPatience).ok());
  ASSERT_TRUE(store->ClearSome(kPatience)->finished);
  relay.CutRepliesOfEvery(1);
  EXPECT_EQ(TroubleOf(store->FinishResync(Sequence(30), kPatience).status()), Trouble::kCutOff);
  relay.CutRepliesOfEvery(0);

  EXPECT_EQ(store->FinishResync(Sequence(30), kPatience)->verdict, Verdict::kDone);
  EXPECT_EQ(projector.ReadPosition().applied_seq, Sequence(30));
}

}  // namespace
}  // namespace holdfast::pool::testing
