// How a store finds its Redis and gets in: addresses, replicas, sentinels, users, databases.

#include <gmock/gmock.h>

#include <fstream>

#include "pool/trouble.h"
#include "tests/pool/redis_fixture.h"

namespace holdfast::pool::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string PortOf(const RedisServer& redis) { return std::to_string(redis.address().port); }

RedisAddress Nobody() { return {.host = "127.0.0.1", .port = checker::FreePort()}; }

class RedisWay : public RedisFixture {
 protected:
  static void AwaitReplica(RedisServer& replica) {
    EXPECT_TRUE(checker::WaitUntil(
        [&] { return replica.Ask({"INFO"}).text.find("master_link_status:up") != std::string::npos; }));
    EXPECT_TRUE(checker::WaitUntil([&] { return replica.Ask({"EXISTS", "{holdfast}meta"}).integer == 1; }));
  }
};

TEST_F(RedisWay, AnAddressThatNobodyAnswersIsPassedOver) {
  RedisServer redis;
  const auto store = MakeStore(SettingsFor({Nobody(), redis.address()}));

  Projector projector(*store);

  EXPECT_EQ(projector.ReadPosition(), Position{});
}

TEST_F(RedisWay, AHungAddressDoesNotKeepTheNextTryFromTheOthers) {
  RedisServer hung, redis;
  hung.Pause();
  RedisSettings settings = SettingsFor({hung.address(), redis.address()});
  settings.connect_timeout = 10 * kPatience;
  const auto store = MakeStore(settings);

  EXPECT_EQ(TroubleOf(store->ReadPosition(std::chrono::milliseconds(50)).status()), Trouble::kUnreachable);
  clock_.MoveOn(std::chrono::seconds(2));

  EXPECT_TRUE(store->ReadPosition(kPatience).ok());
}

TEST_F(RedisWay, AReplicaIsNotWrittenTo) {
  RedisServer master({.tcp = true});
  RedisServer replica({.tcp = true, .more = {"--replicaof", "127.0.0.1", PortOf(master)}});

  const auto only_replica = MakeStore(replica.address());
  const absl::Status status = only_replica->ReadPosition(kPatience).status();
  EXPECT_EQ(TroubleOf(status), Trouble::kUnreachable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("is no master"));

  const auto both = MakeStore(SettingsFor({replica.address(), master.address()}));
  Projector(*both).Fill(SampleRows(1));
  EXPECT_EQ(master.Ask({"EXISTS", "{holdfast}meta"}).integer, 1);
}

TEST_F(RedisWay, AReplicaThatTookOverWithoutTheLastWritesIsSeenToBeBehind) {
  RedisServer master({.tcp = true});
  const auto store = MakeStore(master.address());
  Projector projector(*store);
  projector.Fill(SampleRows(5));
  RedisServer replica({.tcp = true, .more = {"--replicaof", "127.0.0.1", PortOf(master)}});
  AwaitReplica(replica);
  const auto failing_over = MakeStore(SettingsFor({master.address(), replica.address()}));
  Projector follower(*failing_over);
  follower.applied = 10;
  replica.Ask({"REPLICAOF", "NO", "ONE"});
  follower.Apply(follower.NextBatch({}));
  const ExtractRequest lost = follower.NextExtract("e1", SampleCandidates(0, 1));
  ASSERT_EQ(follower.Extract(lost).moved.size(), 1u);
  const std::uint64_t applied = follower.applied;
  master.Stop();

  EXPECT_EQ(follower.ReadPosition().applied_seq, Sequence(10));
  follower.applied = applied;
  EXPECT_EQ(follower.Apply(follower.NextBatch({})).verdict, Verdict::kBehind);
  EXPECT_EQ(follower.Extract(lost).verdict, Verdict::kBehind);
}

// What its rows lack would never be written: the resync would end without them.
TEST_F(RedisWay, AReplicaThatTookOverWithoutTheLastStepsOfAResyncTakesNoMoreOfThem) {
  RedisServer master({.tcp = true});
  const auto direct = MakeStore(master.address());
  Projector projector(*direct);
  projector.Fill({});
  RedisServer replica({.tcp = true, .more = {"--replicaof", "127.0.0.1", PortOf(master)}});
  AwaitReplica(replica);
  const auto failing_over = MakeStore(SettingsFor({master.address(), replica.address()}));
  ASSERT_EQ(failing_over->BeginResync(projector.Start(), kPatience)->verdict, Verdict::kDone);
  while (!failing_over->ClearSome(kPatience)->finished) {
  }
  ASSERT_TRUE(checker::WaitUntil([&] {
    return replica.Ask({"HGET", "{holdfast}meta", "resync_step"}).text ==
           master.Ask({"HGET", "{holdfast}meta", "resync_step"}).text;
  }));
  replica.Ask({"REPLICAOF", "NO", "ONE"});
  ASSERT_EQ(failing_over->WriteResync(SampleRows(3), kPatience)->verdict, Verdict::kDone);
  master.Stop();
  ASSERT_EQ(failing_over->ReadPosition(kPatience)->condition, Position::Condition::kResyncing);

  const absl::StatusOr<ResyncResult> next = failing_over->WriteResync(SampleRows(1), kPatience);

  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ(next->verdict, Verdict::kNotResyncing);
  const absl::StatusOr<ResyncResult> finish = failing_over->FinishResync(Sequence(9), kPatience);
  ASSERT_TRUE(finish.ok()) << finish.status();
  EXPECT_EQ(finish->verdict, Verdict::kNotResyncing);
  EXPECT_EQ(failing_over->ReadPosition(kPatience)->condition, Position::Condition::kResyncing);
}

TEST_F(RedisWay, AMasterThatWasDemotedIsLeftForTheNewOne) {
  RedisServer old_master({.tcp = true}), new_master({.tcp = true});
  for (RedisServer* redis : {&old_master, &new_master}) {
    const auto filling = MakeStore(redis->address());
    Projector(*filling).Fill({});
  }
  const auto store = MakeStore(SettingsFor({old_master.address(), new_master.address()}));
  Projector projector(*store);
  projector.ReadPosition();
  old_master.Ask({"REPLICAOF", "127.0.0.1", PortOf(new_master)});

  const Batch batch = projector.NextBatch({});
  const absl::Status status = store->Apply(std::span(&batch, 1), kPatience).status();
  EXPECT_EQ(TroubleOf(status), Trouble::kUnreachable) << status;
  EXPECT_EQ(projector.Apply(batch).repeats, 0u);

  EXPECT_EQ(new_master.Ask({"HGET", "{holdfast}meta", "applied_seq"}).text, "11");
}

TEST_F(RedisWay, ASentinelIsAskedForTheMaster) {
  RedisServer master({.tcp = true});
  const std::uint16_t port = checker::FreePort();
  const std::string file =
      checker::WriteFile("sentinel.conf", "bind 127.0.0.1\nport " + std::to_string(port) +
                                              "\ndir /tmp\nsentinel monitor pool 127.0.0.1 " + PortOf(master) + " 1\n");
  checker::ChildProcess sentinel({"redis-server", file, "--sentinel"});
  ASSERT_TRUE(checker::WaitUntil([&] { return checker::IsListening(port); })) << sentinel.Output();
  RedisSettings settings;
  settings.sentinels = {Nobody(), {.host = "127.0.0.1", .port = port}};
  settings.sentinel_master = "pool";

  const auto store = MakeStore(settings);
  Projector(*store).Fill({});
  EXPECT_EQ(master.Ask({"EXISTS", "{holdfast}meta"}).integer, 1);

  settings.sentinel_master = "another";
  const absl::Status status = MakeStore(settings)->ReadPosition(kPatience).status();
  EXPECT_EQ(TroubleOf(status), Trouble::kUnreachable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("knows no master another"));
}

TEST_F(RedisWay, AWrongPasswordIsSaidAndNotShown) {
  RedisServer redis;
  redis.Ask({"ACL", "SETUSER", "holdfast", "on", ">right-one", "~{holdfast}*", "+@all"});
  redis.Ask({"ACL", "SETUSER", "default", "off"});
  RedisSettings settings = SettingsFor({redis.address()});
  settings.user = "holdfast";
  settings.password = Secret("wrong-one");

  const absl::Status wrong = MakeStore(settings)->ReadPosition(kPatience).status();
  EXPECT_EQ(TroubleOf(wrong), Trouble::kDenied) << wrong;
  EXPECT_THAT(std::string(wrong.message()),
              AllOf(HasSubstr("refuses the user holdfast"), HasSubstr("WRONGPASS"), Not(HasSubstr("wrong-one"))));

  settings.password = Secret("right-one");
  EXPECT_TRUE(MakeStore(settings)->ReadPosition(kPatience).ok());

  const absl::Status none = MakeStore(redis.address())->ReadPosition(kPatience).status();
  EXPECT_EQ(TroubleOf(none), Trouble::kDenied) << none;
}

TEST_F(RedisWay, TheRightsThatAreDocumentedAreEnough) {
  RedisServer redis;
  RedisCommand user = {"ACL", "SETUSER", "holdfast", "on", ">pw", "~{holdfast}*", "-@all"};
  for (const char* right : {"auth",    "role",  "select",  "eval", "evalsha", "hset",    "hget",  "hmget",
                            "hgetall", "hdel",  "hincrby", "zadd", "zrem",    "zscore",  "zscan", "sadd",
                            "srem",    "scard", "sscan",   "del",  "unlink",  "pexpire", "pttl",  "scan"}) {
    user.push_back(std::string("+") + right);
  }
  ASSERT_EQ(redis.Ask(user).text, "OK");
  RedisSettings settings = SettingsFor({redis.address()});
  settings.user = "holdfast";
  settings.password = Secret("pw");
  const auto store = MakeStore(settings);
  Projector projector(*store);

  projector.Fill(SampleRows(5));
  projector.Fill(SampleRows(5));
  const ExtractRequest request = projector.NextExtract("e1", SampleCandidates(0, 1));
  projector.Extract(request);
  projector.Cancel(projector.CancelOf(request));
  Batch batch = projector.NextBatch({AddressWrite{.row = Granted("a:1", "w1"), .previous_owner = ""},
                                     SessionRow{"w1", {{"a", "b"}}, std::chrono::hours(1)}},
                                    2);
  batch.settled = {{"e1", Sequence(batch.upto.value() - 1)}};
  projector.Apply(batch);
  projector.Apply(projector.NextBatch({AddressRemoval{.id = "a:1", .previous_owner = "w1"}}));
  EXPECT_EQ(ReadAll(*store).addresses.size(), 5u);

  settings.key_prefix = "elsewhere";
  EXPECT_EQ(TroubleOf(MakeStore(settings)->ReadPosition(kPatience).status()), Trouble::kDenied);
}

TEST_F(RedisWay, KeysAreInTheDatabaseThatIsSelected) {
  RedisServer redis;
  RedisSettings settings = SettingsFor({redis.address()});
  settings.database = 3;
  const auto store = MakeStore(settings);
  Projector(*store).Fill({});

  EXPECT_EQ(redis.Ask({"DBSIZE"}).integer, 0);
  settings.database = 99;
  const absl::Status status = MakeStore(settings)->ReadPosition(kPatience).status();
  EXPECT_EQ(TroubleOf(status), Trouble::kWrongAnswer);
  EXPECT_THAT(std::string(status.message()), HasSubstr("has no database 99"));
}

TEST(RedisBackoffTest, DoublesToTenSecondsWithinAFifthAndBeginsAgain) {
  std::uint64_t jitter = 0;
  RedisBackoff backoff([&] { return jitter; });
  std::vector<std::int64_t> least;
  for (int i = 0; i < 6; ++i) least.push_back(backoff.NextDelay().count() / 1000);
  EXPECT_EQ(least, (std::vector<std::int64_t>{800, 1600, 3200, 6400, 8000, 8000}));
  backoff.Reset();
  jitter = 400'000;
  EXPECT_EQ(backoff.NextDelay(), std::chrono::milliseconds(1200));
  jitter = 400'001;
  EXPECT_EQ(backoff.NextDelay(), Duration(1'600'000 + 400'001));
}

}  // namespace
}  // namespace holdfast::pool::testing
