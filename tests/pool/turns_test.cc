// Batches, extractions and cancels that go together, in the order of the log.

#include <gmock/gmock.h>

#include "tests/pool/conformance.h"

namespace holdfast::pool::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

template <class Fixture>
class PoolTurns : public Conformance<Fixture> {
 protected:
  // A round: rows, an intent, rows again, an intent that is given up, and rows.
  std::vector<Call> Round() {
    std::vector<Call> calls;
    auto& projector = this->projector_;
    const std::uint64_t before = projector.applied;
    calls.emplace_back(projector.NextBatch({AddressWrite{Granted(AddressName(9), "w1"), "", ""}}));
    ++projector.applied;
    calls.emplace_back(projector.NextExtract("e1", SampleCandidates(0, 2), 2));
    ++projector.applied;
    calls.emplace_back(projector.NextBatch({AddressWrite{Granted(AddressName(2), "w1"), "", ""}}));
    ++projector.applied;
    calls.emplace_back(projector.CancelOf(projector.NextExtract("e2", SampleCandidates(2, 2), 2)));
    ++projector.applied;
    calls.emplace_back(projector.NextBatch({AddressWrite{Granted(AddressName(3), "w1"), "", ""}}));
    projector.applied = before;
    return calls;
  }
};
TYPED_TEST_SUITE(PoolTurns, Stores);

TYPED_TEST(PoolTurns, AreDoneInTheirOrderAndEachExtractionIsAnswered) {
  this->projector_.Fill(SampleRows(5));

  const auto result = this->store().Run(this->Round(), kPatience);

  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->verdict, Verdict::kDone);
  EXPECT_EQ(result->finished, 5u);
  ASSERT_THAT(result->answers, SizeIs(2));
  EXPECT_EQ(result->answers[0].moved, SampleCandidates(0, 2));
  EXPECT_TRUE(result->answers[1].cancelled);
  EXPECT_EQ(result->position.applied_seq, Sequence(15));
  EXPECT_EQ(this->Read().addresses.at(AddressName(3)), Granted(AddressName(3), "w1"));
}

TYPED_TEST(PoolTurns, SentAgainTheyAreAnsweredTheSameAndChangeNothing) {
  this->projector_.Fill(SampleRows(5));
  const std::vector<Call> calls = this->Round();
  const auto first = this->store().Run(calls, kPatience);
  const Content before = this->Read();

  const auto again = this->store().Run(calls, kPatience);

  ASSERT_TRUE(first.ok() && again.ok());
  EXPECT_EQ(again->finished, 5u);
  EXPECT_EQ(again->repeats, 3u);
  ASSERT_THAT(again->answers, SizeIs(2));
  EXPECT_EQ(again->answers[0].moved, first->answers[0].moved);
  EXPECT_EQ(this->Read(), before);
}

TYPED_TEST(PoolTurns, OneThatIsOutOfTurnEndsTheRoundAndNothingAfterItIsDone) {
  this->projector_.Fill(SampleRows(5));
  std::vector<Call> calls = this->Round();
  calls.erase(calls.begin());

  const auto result = this->store().Run(calls, kPatience);

  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->verdict, Verdict::kBehind);
  EXPECT_EQ(result->finished, 0u);
  EXPECT_THAT(result->answers, IsEmpty());
  EXPECT_EQ(this->Read().addresses.at(AddressName(2)), Unowned(AddressName(2)));
}

TEST(PoolTurnsInRedis, GoOnWhereRedisHasForgottenItsScripts) {
  Redis<false> redis;
  Projector projector(redis.store());
  projector.Fill(SampleRows(5));
  redis.server().Ask({"SCRIPT", "FLUSH"});
  std::vector<Call> calls;
  calls.emplace_back(projector.NextBatch({AddressWrite{Granted(AddressName(9), "w1"), "", ""}}));
  ++projector.applied;
  calls.emplace_back(projector.NextExtract("e1", SampleCandidates(0, 2), 2));
  ++projector.applied;
  calls.emplace_back(projector.CancelOf(projector.NextExtract("e2", SampleCandidates(2, 2), 2)));

  const auto result = redis.store().Run(calls, kPatience);

  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->finished, 3u);
  EXPECT_EQ(result->answers.at(0).moved, SampleCandidates(0, 2));
}

}  // namespace
}  // namespace holdfast::pool::testing
