// A pool store is emptied and written anew, and broken off in between.

#include <gmock/gmock.h>

#include "pool/trouble.h"
#include "tests/pool/conformance.h"

namespace holdfast::pool::testing {
namespace {

using Condition = Position::Condition;
using ::testing::IsEmpty;

template <class Fixture>
class PoolResync : public Conformance<Fixture> {
 protected:
  void Begin() {
    const auto begun = this->store().BeginResync(this->projector_.Start(), kPatience);
    ASSERT_TRUE(begun.ok()) << begun.status();
    ASSERT_EQ(begun->verdict, Verdict::kDone);
  }
  // The number of steps.
  int Clear() {
    for (int steps = 1;; ++steps) {
      const auto progress = this->store().ClearSome(kPatience);
      EXPECT_TRUE(progress.ok()) << progress.status();
      if (!progress.ok() || progress->finished) return steps;
      EXPECT_LE(progress->removed, 2 * kMaxKeys);
    }
  }
};
TYPED_TEST_SUITE(PoolResync, Stores);

TYPED_TEST(PoolResync, AStoreThatResyncsTakesNothingElse) {
  this->projector_.Fill(SampleRows(3));
  const ExtractRequest request = this->projector_.NextExtract("e1", SampleCandidates(0, 1));
  const Batch batch = this->projector_.NextBatch({});

  this->Begin();

  EXPECT_EQ(this->projector_.Apply(batch).verdict, Verdict::kResyncing);
  EXPECT_EQ(this->projector_.Extract(request).verdict, Verdict::kResyncing);
  EXPECT_EQ(this->projector_.Cancel(this->projector_.CancelOf(request)).verdict, Verdict::kResyncing);
  EXPECT_EQ(this->projector_.ReadPosition(),
            (Position{Condition::kResyncing, MakeLogId(7), ControllerEpoch(1), Sequence(0)}));
}

TYPED_TEST(PoolResync, NothingOfBeforeIsLeft) {
  this->projector_.Fill(SampleRows(700));
  this->projector_.Extract(this->projector_.NextExtract("e1", SampleCandidates(0, 3), 3));
  this->projector_.Apply(this->projector_.NextBatch({AddressWrite{.row = Granted("old:1", "w1"), .previous_owner = ""},
                                                     SessionRow{"w1", {{"a", "b"}}, std::chrono::hours(1)}}));

  this->Begin();
  EXPECT_GE(this->Clear(), 2);
  EXPECT_EQ(this->Read(), Content{});
  ASSERT_EQ(this->store().WriteResync(SampleRows(2), kPatience)->verdict, Verdict::kDone);
  ASSERT_EQ(this->store().FinishResync(Sequence(40), kPatience)->verdict, Verdict::kDone);

  EXPECT_EQ(this->projector_.ReadPosition(),
            (Position{Condition::kReady, MakeLogId(7), ControllerEpoch(1), Sequence(40)}));
  EXPECT_EQ(this->Read().addresses.size(), 2u);
  EXPECT_THAT(this->Read().owned, IsEmpty());
  EXPECT_EQ(this->projector_.Apply(this->projector_.NextBatch({})).verdict, Verdict::kDone);
}

TYPED_TEST(PoolResync, OneThatWasBrokenOffIsSeenAndBegunAgain) {
  this->Begin();
  this->Clear();
  ASSERT_EQ(this->store().WriteResync(SampleRows(400), kPatience)->verdict, Verdict::kDone);

  EXPECT_EQ(this->projector_.ReadPosition().condition, Condition::kResyncing);
  this->projector_.Fill(SampleRows(5), 99);

  EXPECT_EQ(this->projector_.ReadPosition().applied_seq, Sequence(99));
  EXPECT_EQ(this->Read().addresses.size(), 5u);
}

TYPED_TEST(PoolResync, StepsHaveTheirOrder) {
  const auto trouble = [](const auto& result) { return TroubleOf(result.status()); };
  EXPECT_EQ(trouble(this->store().ClearSome(kPatience)), Trouble::kWrongRequest);
  EXPECT_EQ(trouble(this->store().WriteResync({}, kPatience)), Trouble::kWrongRequest);
  EXPECT_EQ(trouble(this->store().FinishResync(Sequence(1), kPatience)), Trouble::kWrongRequest);
  this->projector_.Fill(SampleRows(1));
  this->Begin();
  EXPECT_EQ(trouble(this->store().WriteResync({}, kPatience)), Trouble::kWrongRequest);
  EXPECT_EQ(trouble(this->store().FinishResync(Sequence(1), kPatience)), Trouble::kWrongRequest);
  this->Clear();
  ASSERT_TRUE(this->store().WriteResync({}, kPatience).ok());
  EXPECT_EQ(trouble(this->store().ClearSome(kPatience)), Trouble::kWrongRequest);
  ASSERT_TRUE(this->store().FinishResync(Sequence(1), kPatience).ok());
  EXPECT_EQ(trouble(this->store().WriteResync({}, kPatience)), Trouble::kWrongRequest);
}

TYPED_TEST(PoolResync, RowsMayBeWrittenAgain) {
  this->Begin();
  this->Clear();
  std::vector<Write> rows = SampleRows(3);
  ASSERT_TRUE(this->store().WriteResync(rows, kPatience).ok());
  rows.push_back(AddressWrite{.row = Granted(AddressName(0), "w1"), .previous_owner = ""});

  ASSERT_TRUE(this->store().WriteResync(rows, kPatience).ok());
  ASSERT_TRUE(this->store().FinishResync(Sequence(12), kPatience).ok());

  EXPECT_EQ(this->Read().addresses.size(), 3u);
  EXPECT_EQ(this->Read().addresses.at(AddressName(0)).owner, "w1");
}

TYPED_TEST(PoolResync, MoreRowsThanOneCallCarriesAreWritten) {
  this->projector_.Fill(SampleRows(9'000));

  EXPECT_EQ(this->Read().addresses.size(), 9'000u);
  EXPECT_EQ(this->Read().proxies.size(), 9'000u);
}

TYPED_TEST(PoolResync, AnIntentWhoseAnswerItTookIsCancelledAndMovedNothing) {
  this->projector_.Fill(SampleRows(2));
  const ExtractRequest request = this->projector_.NextExtract("e1", SampleCandidates(0, 1));
  ASSERT_EQ(this->projector_.Extract(request).moved.size(), 1u);
  this->projector_.Fill(SampleRows(2), 30);

  EXPECT_EQ(this->projector_.Extract(request).verdict, Verdict::kAhead);
  const ExtractResult cancelled = this->projector_.Cancel(this->projector_.CancelOf(request));

  EXPECT_EQ(cancelled.verdict, Verdict::kDone);
  EXPECT_TRUE(cancelled.cancelled);
  EXPECT_EQ(cancelled.position.applied_seq, Sequence(30));
  EXPECT_TRUE(this->projector_.Extract(request).cancelled);
  EXPECT_EQ(this->Read().available.size(), 2u);
}

TYPED_TEST(PoolResync, AnAdoptedStoreMayBeOfALaterEpoch) {
  Projector lost(this->store(), 9);
  lost.Fill(SampleRows(3), 1'500);
  Projector restored(this->store(), 6);
  restored.applied = 1'000;

  EXPECT_EQ(restored.Apply(restored.NextBatch({})).verdict, Verdict::kStaleEpoch);
  EXPECT_EQ(this->store().BeginResync(restored.Start(), kPatience)->verdict, Verdict::kStaleEpoch);
  EXPECT_EQ(restored.ReadPosition().applied_seq, Sequence(1'500));
  Fill(this->store(), SampleRows(1), Sequence(1'001), restored.Start(true));

  EXPECT_EQ(restored.ReadPosition(), (Position{Condition::kReady, MakeLogId(7), ControllerEpoch(6), Sequence(1'001)}));
  EXPECT_EQ(restored.Apply(restored.NextBatch({})).verdict, Verdict::kDone);
}

TYPED_TEST(PoolResync, AppliedSeqIsExactBeyondTwoTo53) {
  constexpr std::uint64_t kSequence = (std::uint64_t{1} << 53) + 1;
  this->projector_.Fill({}, kSequence);

  EXPECT_EQ(this->projector_.ReadPosition().applied_seq, Sequence(kSequence));
  EXPECT_EQ(this->projector_.Apply(this->projector_.NextBatch({})).position.applied_seq, Sequence(kSequence + 1));
}

}  // namespace
}  // namespace holdfast::pool::testing
