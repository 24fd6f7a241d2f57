// In which order a pool store takes batches, and whose.

#include <gmock/gmock.h>

#include <algorithm>

#include "pool/batch_parts.h"
#include "pool/trouble.h"
#include "tests/pool/conformance.h"

namespace holdfast::pool::testing {
namespace {

using Condition = Position::Condition;
constexpr std::uint64_t kTwoTo53 = std::uint64_t{1} << 53;

template <class Fixture>
class PoolOrder : public Conformance<Fixture> {};
TYPED_TEST_SUITE(PoolOrder, Stores);

std::vector<Write> OneRow(const std::string& id, const std::string& worker) {
  return {AddressWrite{.row = Granted(id, worker), .previous_owner = ""}};
}

TYPED_TEST(PoolOrder, AnEmptyStoreSaysSoAndTakesNothing) {
  EXPECT_EQ(this->projector_.ReadPosition(), Position{});

  EXPECT_EQ(this->projector_.Apply(this->projector_.NextBatch(OneRow("a:1", "w1"))).verdict, Verdict::kEmpty);
  EXPECT_EQ(this->projector_.Extract(this->projector_.NextExtract("e1", SampleCandidates(0, 1))).verdict,
            Verdict::kEmpty);
  EXPECT_EQ(this->Read(), Content{});
}

TYPED_TEST(PoolOrder, ABatchMovesAppliedSeqAndItsRowsAreThere) {
  this->projector_.Fill({});

  const ApplyResult result = this->projector_.Apply(this->projector_.NextBatch(OneRow("a:1", "w1"), 4));

  EXPECT_EQ(result.verdict, Verdict::kDone);
  EXPECT_EQ(result.finished, 1u);
  EXPECT_EQ(result.position.applied_seq, Sequence(14));
  EXPECT_EQ(this->projector_.ReadPosition(),
            (Position{Condition::kReady, MakeLogId(7), ControllerEpoch(1), Sequence(14)}));
  EXPECT_EQ(this->Read().addresses["a:1"], Granted("a:1", "w1"));
}

TYPED_TEST(PoolOrder, ARepeatedBatchChangesNothing) {
  this->projector_.Fill({});
  const Batch first = this->projector_.NextBatch(OneRow("a:1", "w1"));
  this->projector_.Apply(first);
  const Batch second = this->projector_.NextBatch({AddressWrite{.row = Granted("a:1", "w2"), .previous_owner = "w1"}});
  this->projector_.Apply(second);

  const ApplyResult repeated = this->projector_.Apply(first);

  EXPECT_EQ(repeated.verdict, Verdict::kDone);
  EXPECT_EQ(repeated.repeats, 1u);
  EXPECT_EQ(repeated.position.applied_seq, Sequence(12));
  EXPECT_EQ(this->Read().addresses["a:1"].owner, "w2");
}

TYPED_TEST(PoolOrder, ABatchThatDoesNotFollowIsRefusedWithTheReason) {
  this->projector_.Fill({});
  Batch gap = this->projector_.NextBatch(OneRow("a:1", "w1"));
  gap.follows = Sequence(11);
  gap.upto = Sequence(12);
  Batch overlap = gap;
  overlap.follows = Sequence(9);

  EXPECT_EQ(this->projector_.Apply(gap).verdict, Verdict::kBehind);
  EXPECT_EQ(this->projector_.Apply(overlap).verdict, Verdict::kAhead);
  EXPECT_EQ(this->projector_.ReadPosition().applied_seq, Sequence(10));
  EXPECT_TRUE(this->Read().addresses.empty());
}

TYPED_TEST(PoolOrder, ManyAreTakenUpToTheFirstThatIsRefused) {
  this->projector_.Fill({});
  std::vector<Batch> batches;
  for (std::uint64_t i = 0; i < 100; ++i) {
    batches.push_back(this->projector_.NextBatch(OneRow(AddressName(static_cast<int>(i)), "w" + std::to_string(i))));
    ++this->projector_.applied;
  }
  batches[70].follows = Sequence(batches[70].follows.value() - 1);

  const ApplyResult result = this->projector_.Apply(batches);

  EXPECT_EQ(result.verdict, Verdict::kAhead);
  EXPECT_EQ(result.finished, 70u);
  EXPECT_EQ(this->projector_.ReadPosition().applied_seq, Sequence(80));
  EXPECT_EQ(this->Read().addresses.size(), 70u);
}

TYPED_TEST(PoolOrder, AnOlderControllerIsRefusedOnceANewerHasWritten) {
  this->projector_.Fill({});
  Projector newer(this->store(), 2);
  newer.applied = 10;
  newer.Apply(newer.NextBatch({}));
  this->projector_.applied = 11;

  EXPECT_EQ(this->projector_.Apply(this->projector_.NextBatch(OneRow("a:1", "w1"))).verdict, Verdict::kStaleEpoch);
  const ExtractRequest request = this->projector_.NextExtract("e1", SampleCandidates(0, 1));
  EXPECT_EQ(this->projector_.Extract(request).verdict, Verdict::kStaleEpoch);
  EXPECT_EQ(this->projector_.Cancel(this->projector_.CancelOf(request)).verdict, Verdict::kStaleEpoch);
  EXPECT_EQ(this->store().BeginResync(this->projector_.Start(), kPatience)->verdict, Verdict::kStaleEpoch);
  EXPECT_EQ(this->projector_.ReadPosition(),
            (Position{Condition::kReady, MakeLogId(7), ControllerEpoch(2), Sequence(11)}));
  EXPECT_TRUE(this->Read().addresses.empty());
}

TYPED_TEST(PoolOrder, ARefusedBatchDoesNotRaiseTheEpoch) {
  this->projector_.Fill({});
  Projector newer(this->store(), 2);
  newer.applied = 50;

  EXPECT_EQ(newer.Apply(newer.NextBatch({})).verdict, Verdict::kBehind);
  EXPECT_EQ(this->projector_.Apply(this->projector_.NextBatch({})).verdict, Verdict::kDone);
}

TYPED_TEST(PoolOrder, AnotherLogIsRefused) {
  this->projector_.Fill({});
  Projector other(this->store(), 9);
  other.log_id = MakeLogId(8);
  other.applied = 10;

  EXPECT_EQ(other.Apply(other.NextBatch(OneRow("a:1", "w1"))).verdict, Verdict::kOtherLog);
  EXPECT_EQ(other.Extract(other.NextExtract("e1", SampleCandidates(0, 1))).verdict, Verdict::kOtherLog);
  EXPECT_EQ(this->store().BeginResync(other.Start(), kPatience)->verdict, Verdict::kOtherLog);
  EXPECT_EQ(this->store().BeginResync(other.Start(true), kPatience)->verdict, Verdict::kDone);
  EXPECT_EQ(other.ReadPosition().log_id, MakeLogId(8));
}

TYPED_TEST(PoolOrder, SequencesAndEpochsAreExactBeyondTwoTo53) {
  Projector projector(this->store(), kTwoTo53);
  projector.Fill({}, kTwoTo53 - 1);
  for (std::uint64_t sequence = kTwoTo53; sequence < kTwoTo53 + 5; ++sequence) {
    const Batch batch = projector.NextBatch({});
    ASSERT_EQ(projector.Apply(batch).position.applied_seq, Sequence(sequence));
    ASSERT_EQ(projector.Apply(batch).repeats, 1u);
  }
  Batch stale = projector.NextBatch({});
  stale.follows = Sequence(kTwoTo53 + 3);
  EXPECT_EQ(projector.Apply(stale).verdict, Verdict::kAhead);
  stale.follows = Sequence(kTwoTo53 + 5);
  stale.upto = Sequence(kTwoTo53 + 6);
  EXPECT_EQ(projector.Apply(stale).verdict, Verdict::kBehind);

  projector.applied = kTwoTo53 + 4;
  Projector newer(this->store(), kTwoTo53 + 1);
  newer.applied = kTwoTo53 + 4;
  EXPECT_EQ(newer.Apply(newer.NextBatch({})).verdict, Verdict::kDone);
  projector.applied = newer.applied;
  EXPECT_EQ(projector.Apply(projector.NextBatch({})).verdict, Verdict::kStaleEpoch);
  EXPECT_EQ(newer.ReadPosition(),
            (Position{Condition::kReady, MakeLogId(7), ControllerEpoch(kTwoTo53 + 1), Sequence(kTwoTo53 + 5)}));
}

TYPED_TEST(PoolOrder, ALongerNumberIsTheLarger) {
  Projector projector(this->store(), 9);
  projector.Fill({}, 9);
  EXPECT_EQ(projector.Apply(projector.NextBatch({}, 1)).position.applied_seq, Sequence(10));
  Projector newer(this->store(), 10);
  newer.applied = 10;
  EXPECT_EQ(newer.Apply(newer.NextBatch({}, 90)).position.applied_seq, Sequence(100));
  newer.applied = 99;
  EXPECT_EQ(newer.Apply(newer.NextBatch({}, 1)).repeats, 1u);
  EXPECT_EQ(projector.Apply(projector.NextBatch({})).verdict, Verdict::kStaleEpoch);
}

TYPED_TEST(PoolOrder, ALargeBatchGoesInPartsAndOnlyTheLastMovesAppliedSeq) {
  this->projector_.Fill({});
  const std::vector<Batch> parts = SplitBatch(this->projector_.NextBatch(SampleRows(600), 3));
  ASSERT_EQ(parts.size(), 3u);

  for (std::size_t i = 0; i < parts.size(); ++i) {
    ASSERT_EQ(this->projector_.Apply(parts[i]).verdict, Verdict::kDone);
    EXPECT_EQ(this->projector_.ReadPosition().applied_seq, Sequence(i + 1 < parts.size() ? 10 : 13));
  }

  EXPECT_EQ(this->Read().addresses.size(), 600u);
  EXPECT_EQ(this->Read().proxies.size(), 600u);
  EXPECT_EQ(this->projector_.Apply(parts[0]).repeats, 1u);
}

TYPED_TEST(PoolOrder, APartMayComeAgainAndNoneMayBeLeftOut) {
  this->projector_.Fill({});
  const std::vector<Batch> parts = SplitBatch(this->projector_.NextBatch(SampleRows(600)));

  EXPECT_EQ(this->projector_.Apply(parts[1]).verdict, Verdict::kMissingPart);
  EXPECT_EQ(this->projector_.Apply(parts[0]).verdict, Verdict::kDone);
  EXPECT_EQ(this->projector_.Apply(parts[2]).verdict, Verdict::kMissingPart);
  EXPECT_EQ(this->projector_.Apply(parts[0]).verdict, Verdict::kDone);
  EXPECT_EQ(this->projector_.Apply(parts[1]).verdict, Verdict::kDone);
  EXPECT_EQ(this->projector_.Apply(parts[1]).verdict, Verdict::kDone);
  EXPECT_EQ(this->projector_.Apply(parts[2]).verdict, Verdict::kDone);
  EXPECT_EQ(this->Read().addresses.size(), 600u);
}

TYPED_TEST(PoolOrder, PartsOfOneBatchAreNotThoseOfAnother) {
  this->projector_.Fill({});
  std::vector<Batch> parts = SplitBatch(this->projector_.NextBatch(SampleRows(400)));
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(this->projector_.Apply(parts[0]).verdict, Verdict::kDone);

  parts[1].upto = Sequence(parts[1].upto.value() + 1);

  EXPECT_EQ(this->projector_.Apply(parts[1]).verdict, Verdict::kMissingPart);
  EXPECT_EQ(this->projector_.ReadPosition().applied_seq, Sequence(10));
}

TYPED_TEST(PoolOrder, ABatchOfTooManyKeysIsNotSent) {
  this->projector_.Fill({});

  const Batch batch = this->projector_.NextBatch(SampleRows(241));
  const absl::Status status = this->store().Apply(std::span(&batch, 1), kPatience).status();

  EXPECT_EQ(TroubleOf(status), Trouble::kWrongRequest) << status;
  EXPECT_EQ(this->projector_.ReadPosition().applied_seq, Sequence(10));
  EXPECT_EQ(this->projector_.Apply(this->projector_.NextBatch(SampleRows(240))).verdict, Verdict::kDone);
}

TEST(SplitBatch, CountsTheIndexOfAWorkerOnceAndKeepsTheOrder) {
  Batch batch;
  for (int i = 0; i < 1000; ++i) {
    batch.writes.push_back(
        AddressWrite{.row = Granted(AddressName(i), i % 2 == 0 ? "w1" : "w2"), .previous_owner = "w3"});
  }
  batch.settled = {{"e1", Sequence(1)}};

  const std::vector<Batch> parts = SplitBatch(batch);

  ASSERT_EQ(parts.size(), 3u);
  int next = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].part, i);
    EXPECT_EQ(parts[i].last_part, i == 2);
    EXPECT_EQ(parts[i].settled.size(), i == 2 ? 1u : 0u);
    for (const Write& write : parts[i].writes) EXPECT_EQ(std::get<AddressWrite>(write).row.id, AddressName(next++));
  }
  EXPECT_EQ(parts[0].writes.size(), 477u);
  EXPECT_EQ(next, 1000);
}

}  // namespace
}  // namespace holdfast::pool::testing
