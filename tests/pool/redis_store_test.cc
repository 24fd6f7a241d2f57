// What only the store in Redis has: keys, other people's keys, several stores on one Redis.

#include <gmock/gmock.h>

#include <mutex>
#include <thread>

#include "pool/trouble.h"
#include "tests/pool/redis_fixture.h"
#include "tests/pool/relay.h"

namespace holdfast::pool::testing {
namespace {

using ::testing::HasSubstr;

class RedisStoreTest : public RedisFixture {};

TEST_F(RedisStoreTest, KeysAreInOneSlotAndNamedAsDocumented) {
  RedisServer redis;
  const auto store = MakeStore(redis.address());
  Projector projector(*store);
  projector.Fill({AddressWrite{.row = Granted("a:1", "w1"), .previous_owner = ""}, Proxy("p1", "a:1"),
                  AddressWrite{.row = Unowned("b:1"), .previous_owner = ""},
                  SessionRow{"w1", {{"state", "active"}}, std::chrono::hours(1)}});
  projector.Extract(projector.NextExtract("e1", {{"b:1", {}}}));
  Batch batch = projector.NextBatch({});
  batch.settled = {{"e1", batch.upto}};
  projector.Apply(batch);

  std::set<std::string> keys;
  for (const RedisReply& key : redis.Ask({"KEYS", "*"}).elements) keys.insert(key.text);

  EXPECT_EQ(keys, (std::set<std::string>{"{holdfast}address:a:1", "{holdfast}address:b:1", "{holdfast}available",
                                         "{holdfast}extracted:e1", "{holdfast}meta", "{holdfast}owned:w1",
                                         "{holdfast}proxy:p1", "{holdfast}session:w1", "{holdfast}settling"}));
  EXPECT_EQ(redis.Ask({"HGET", "{holdfast}meta", "applied_seq"}).text, "12");
  EXPECT_GT(redis.Ask({"PTTL", "{holdfast}session:w1"}).integer, 0);
}

TEST_F(RedisStoreTest, AResyncLeavesTheKeysOfOthersAlone) {
  RedisServer redis;
  const auto store = MakeStore(redis.address());
  for (const char* key : {"holdfast", "holdfast}x", "{holdfas}meta", "{holdfast2}address:a:1", "other"}) {
    redis.Ask({"SET", key, "theirs"});
  }
  redis.Ask({"SET", "{holdfast}from-an-older-version", "ours"});

  Projector projector(*store);
  projector.Fill({});

  EXPECT_EQ(redis.Ask({"DBSIZE"}).integer, 6);  // and meta
  EXPECT_EQ(redis.Ask({"EXISTS", "{holdfast}from-an-older-version"}).integer, 0);
}

TEST_F(RedisStoreTest, NoCallNamesMoreThanFiveHundredKeys) {
  RedisServer redis;
  Relay relay(redis.address());
  const auto store = MakeStore(relay.address());
  Projector projector(*store);
  std::vector<Write> rows;
  for (int i = 0; i < 2'000; ++i) {
    rows.push_back(AddressWrite{.row = Granted(AddressName(i), "w" + std::to_string(i)), .previous_owner = ""});
  }
  projector.Fill(rows);
  projector.Fill(SampleRows(600));
  projector.Extract(projector.NextExtract("e1", SampleCandidates(0, kMaxCandidates), 1));

  EXPECT_EQ(relay.most_keys(), kMaxKeys);
  for (int i = 2; i < 30; ++i)
    projector.Extract(projector.NextExtract("e" + std::to_string(i), SampleCandidates(i, 1)));
  Batch batch = projector.NextBatch({});
  for (int i = 1; i < 30; ++i) batch.settled.push_back({"e" + std::to_string(i), batch.upto});
  projector.Apply(batch);
  projector.Apply(projector.NextBatch(SampleRows(240)));

  EXPECT_EQ(relay.most_keys(), kMaxKeys);
}

TEST_F(RedisStoreTest, ANewStoreForgetsWhatAnEarlierOneHadSettled) {
  RedisServer redis;
  const auto before = MakeStore(redis.address());
  Projector projector(*before);
  projector.Fill(SampleRows(3));
  projector.Extract(projector.NextExtract("e1", SampleCandidates(0, 1)));
  Batch batch = projector.NextBatch({});
  batch.settled = {{"e1", batch.upto}};
  projector.Apply(batch);
  ASSERT_EQ(redis.Ask({"EXISTS", "{holdfast}extracted:e1"}).integer, 1);

  const auto after = MakeStore(redis.address());
  Projector restarted(*after, 2);
  restarted.applied = projector.applied;
  restarted.Apply(restarted.NextBatch({}));

  EXPECT_EQ(redis.Ask({"EXISTS", "{holdfast}extracted:e1"}).integer, 0);
  EXPECT_EQ(redis.Ask({"EXISTS", "{holdfast}settling"}).integer, 0);
}

// Two controllers that both believe it is theirs, each on a connection of its own.
TEST_F(RedisStoreTest, TwoExtractorsAtOnceNeverMoveOneAddressTwice) {
  constexpr int kAddresses = 400;
  RedisServer redis;
  const auto filled = MakeStore(redis.address());
  Projector(*filled).Fill(SampleRows(kAddresses));
  std::mutex mutex;
  std::map<std::string, std::string> moved;
  int twice = 0;
  const auto extract_all = [&](const std::string& name) {
    const auto store = MakeStore(redis.address());
    Projector projector(*store);
    for (int i = 0; i < kAddresses; ++i) {
      ExtractResult result;
      do {
        projector.ReadPosition();
        const std::string id = name + std::to_string(i);
        result = projector.Extract(projector.NextExtract(id, SampleCandidates(i, 1)));
        ASSERT_THAT(result.verdict, ::testing::AnyOf(Verdict::kDone, Verdict::kAhead));
      } while (result.verdict != Verdict::kDone);
      const std::lock_guard lock(mutex);
      for (const Candidate& candidate : result.moved) twice += !moved.emplace(candidate.address, name).second;
    }
  };

  std::thread first([&] { extract_all("a"); });
  std::thread second([&] { extract_all("b"); });
  first.join();
  second.join();

  EXPECT_EQ(twice, 0);
  EXPECT_EQ(moved.size(), static_cast<std::size_t>(kAddresses));
}

TEST_F(RedisStoreTest, RowsThatSomebodyChangedByHandAreNamed) {
  RedisServer redis;
  const auto store = MakeStore(redis.address());
  Projector projector(*store);
  projector.Fill(SampleRows(3));
  redis.Ask({"HSET", "{holdfast}address:" + AddressName(0), "state", "mine"});
  redis.Ask({"HSET", "{holdfast}proxy:proxy-1", "seq", "007"});
  redis.Ask({"HSET", "{holdfast}session:w1", "state", "active"});

  const Content content = ReadAll(*store);

  EXPECT_EQ(content.unreadable, (std::set<std::string>{AddressName(0), "proxy-1", "w1"}));
  EXPECT_EQ(content.addresses.size(), 2u);
}

TEST_F(RedisStoreTest, AMetaThatSomebodyChangedIsAWrongAnswer) {
  RedisServer redis;
  const auto store = MakeStore(redis.address());
  Projector projector(*store);
  projector.Fill(SampleRows(3));
  redis.Ask({"HSET", "{holdfast}meta", "applied_seq", "1e3"});

  const absl::Status status = store->ReadPosition(kPatience).status();

  EXPECT_EQ(TroubleOf(status), Trouble::kWrongAnswer) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("rebuild"));
}

TEST_F(RedisStoreTest, AKeyOfAnotherKindStopsTheBatchBeforeItCounts) {
  RedisServer redis;
  const auto store = MakeStore(redis.address());
  Projector projector(*store);
  projector.Fill({});
  redis.Ask({"SET", "{holdfast}address:a:1", "mine"});
  const Batch batch = projector.NextBatch({AddressWrite{.row = Unowned("a:1"), .previous_owner = ""}});

  const absl::Status status = store->Apply(std::span(&batch, 1), kPatience).status();

  EXPECT_EQ(TroubleOf(status), Trouble::kWrongAnswer) << status;
  EXPECT_EQ(projector.ReadPosition().applied_seq, Sequence(10));
}

TEST_F(RedisStoreTest, ARedisThatHasNoMemoryLeftChangesNothingAndIsTriedAgain) {
  RedisServer redis;
  const auto store = MakeStore(redis.address());
  Projector projector(*store);
  projector.Fill(SampleRows(3));
  const Content before = ReadAll(*store);
  const ExtractRequest request = projector.NextExtract("e1", SampleCandidates(0, 1));
  const Batch batch = projector.NextBatch({ProxyRemoval{"proxy-1"}, Proxy("proxy-9", AddressName(1))});
  redis.Ask({"CONFIG", "SET", "maxmemory", "1"});

  absl::Status status = store->Extract(request, kPatience).status();
  EXPECT_EQ(TroubleOf(status), Trouble::kUnreachable) << status;
  status = store->Apply(std::span(&batch, 1), kPatience).status();
  EXPECT_EQ(TroubleOf(status), Trouble::kUnreachable) << status;
  redis.Ask({"CONFIG", "SET", "maxmemory", "0"});

  EXPECT_EQ(projector.ReadPosition().applied_seq, Sequence(10));
  EXPECT_EQ(ReadAll(*store), before);
  EXPECT_EQ(projector.Extract(request).moved.size(), 1u);
}

}  // namespace
}  // namespace holdfast::pool::testing
