// Available becomes extracted: once, under one id, with an answer that stays until it is settled.

#include <gmock/gmock.h>

#include "pool/trouble.h"
#include "tests/pool/conformance.h"

namespace holdfast::pool::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <class Fixture>
class PoolExtraction : public Conformance<Fixture> {
 protected:
  // A batch that says nothing but that an entry settled the extraction.
  Batch Settling(const std::string& id, std::uint64_t entries = 1) {
    Batch batch = this->projector_.NextBatch({}, entries);
    batch.settled = {{id, Sequence(this->projector_.applied + 1)}};
    return batch;
  }
};
TYPED_TEST_SUITE(PoolExtraction, Stores);

TYPED_TEST(PoolExtraction, MovesAsManyAsAreNeededInTheOrderOfTheCandidates) {
  this->projector_.Fill(SampleRows(5));

  const ExtractResult result = this->projector_.Extract(this->projector_.NextExtract("e1", SampleCandidates(1, 4), 2));

  EXPECT_EQ(result.verdict, Verdict::kDone);
  EXPECT_FALSE(result.cancelled);
  EXPECT_EQ(result.moved, SampleCandidates(1, 2));
  EXPECT_EQ(result.position.applied_seq, Sequence(11));
  const Content content = this->Read();
  EXPECT_EQ(content.addresses.at(AddressName(1)), Extracted(AddressName(1), "e1", Sequence(11)));
  EXPECT_EQ(content.addresses.at(AddressName(3)), Unowned(AddressName(3)));
  EXPECT_FALSE(content.available.contains(AddressName(1)));
  EXPECT_EQ(content.available.size(), 3u);
}

TYPED_TEST(PoolExtraction, TakesNeitherWhatIsOwnedNorWhatIsNotAvailableNorWhatIsNotThere) {
  AddressRow not_available = Unowned(AddressName(1));
  not_available.available_until.reset();
  this->projector_.Fill({AddressWrite{.row = Granted(AddressName(0), "w1"), .previous_owner = ""},
                         AddressWrite{.row = not_available, .previous_owner = ""},
                         AddressWrite{.row = Unowned(AddressName(3)), .previous_owner = ""}});

  const ExtractResult result = this->projector_.Extract(this->projector_.NextExtract("e1", SampleCandidates(0, 4), 4));

  EXPECT_EQ(result.moved, SampleCandidates(3, 1));
  EXPECT_EQ(this->Read().addresses.at(AddressName(0)), Granted(AddressName(0), "w1"));
}

TYPED_TEST(PoolExtraction, TheSameIdIsAnsweredTheSameWhateverElseTheCallSays) {
  this->projector_.Fill(SampleRows(5));
  const ExtractRequest first = this->projector_.NextExtract("e1", SampleCandidates(0, 2), 2);
  this->projector_.Extract(first);
  const Content before = this->Read();

  ExtractRequest again = first;
  EXPECT_EQ(this->projector_.Extract(again).moved, SampleCandidates(0, 2));
  this->projector_.Apply(this->projector_.NextBatch({}, 5));
  again.candidates = SampleCandidates(2, 3);
  again.need = 3;
  const ExtractResult result = this->projector_.Extract(again);

  EXPECT_EQ(result.verdict, Verdict::kDone);
  EXPECT_EQ(result.moved, SampleCandidates(0, 2));
  EXPECT_EQ(result.position.applied_seq, Sequence(16));
  EXPECT_EQ(this->Read(), before);
}

TYPED_TEST(PoolExtraction, AnEmptyAnswerIsAnAnswerAndIsKept) {
  this->projector_.Fill({AddressWrite{.row = Granted(AddressName(0), "w1"), .previous_owner = ""}});
  const ExtractRequest request = this->projector_.NextExtract("e1", SampleCandidates(0, 1));
  EXPECT_THAT(this->projector_.Extract(request).moved, IsEmpty());
  this->projector_.Apply(
      this->projector_.NextBatch({AddressWrite{.row = Unowned(AddressName(0)), .previous_owner = "w1"}}));

  const ExtractResult again = this->projector_.Extract(request);

  EXPECT_EQ(again.verdict, Verdict::kDone);
  EXPECT_FALSE(again.cancelled);
  EXPECT_THAT(again.moved, IsEmpty());
  EXPECT_EQ(this->Read().addresses.at(AddressName(0)).state, AddressState::kUnowned);
}

TYPED_TEST(PoolExtraction, AllOrNothingMovesNoneOfTooFew) {
  this->projector_.Fill(SampleRows(3));
  ExtractRequest request = this->projector_.NextExtract("e1", SampleCandidates(0, 5), 4);
  request.all_or_nothing = true;

  const ExtractResult result = this->projector_.Extract(request);

  EXPECT_EQ(result.verdict, Verdict::kDone);
  EXPECT_THAT(result.moved, IsEmpty());
  EXPECT_EQ(this->Read().available.size(), 3u);
  ExtractRequest enough = this->projector_.NextExtract("e2", SampleCandidates(0, 5), 3);
  enough.all_or_nothing = true;
  EXPECT_EQ(this->projector_.Extract(enough).moved, SampleCandidates(0, 3));
}

TYPED_TEST(PoolExtraction, FewerThanNeededAreMovedWhereThatIsAskedFor) {
  this->projector_.Fill(SampleRows(3));

  EXPECT_EQ(this->projector_.Extract(this->projector_.NextExtract("e1", SampleCandidates(0, 5), 5)).moved,
            SampleCandidates(0, 3));
}

TYPED_TEST(PoolExtraction, TakesItsTurnBetweenTheBatches) {
  this->projector_.Fill(SampleRows(3));
  const ExtractRequest request = this->projector_.NextExtract("e1", SampleCandidates(0, 1));
  ExtractRequest early = request;
  early.follows = Sequence(11);
  early.sequence = Sequence(12);

  EXPECT_EQ(this->projector_.Extract(early).verdict, Verdict::kBehind);
  Batch after = this->projector_.NextBatch({});
  after.follows = request.sequence;
  after.upto = Sequence(12);
  EXPECT_EQ(this->projector_.Apply(after).verdict, Verdict::kBehind);
  EXPECT_EQ(this->projector_.Extract(request).verdict, Verdict::kDone);
  EXPECT_EQ(this->projector_.Apply(after).verdict, Verdict::kDone);

  ExtractRequest late = request;
  late.extraction_id = "e2";
  EXPECT_EQ(this->projector_.Extract(late).verdict, Verdict::kAhead);
  EXPECT_EQ(this->Read().available.size(), 2u);
}

TYPED_TEST(PoolExtraction, OtherWritesOfItsEntryGoBeforeItAsAPart) {
  this->projector_.Fill(SampleRows(3));
  Batch part = this->projector_.NextBatch({AddressWrite{.row = Granted(AddressName(1), "w1"), .previous_owner = ""}});
  part.last_part = false;
  EXPECT_EQ(this->projector_.Apply(part).verdict, Verdict::kDone);
  const ExtractRequest request = this->projector_.NextExtract("e1", SampleCandidates(0, 3), 3);

  const ExtractResult result = this->projector_.Extract(request);

  EXPECT_EQ(result.position.applied_seq, part.upto);
  EXPECT_THAT(result.moved, ElementsAre(SampleCandidates(0, 1)[0], SampleCandidates(2, 1)[0]));
}

TYPED_TEST(PoolExtraction, ACancelledExtractionMovesNothingWhenItComesLate) {
  this->projector_.Fill(SampleRows(2));
  const ExtractRequest request = this->projector_.NextExtract("e1", SampleCandidates(0, 2), 2);

  const ExtractResult cancelled = this->projector_.Cancel(this->projector_.CancelOf(request));
  EXPECT_EQ(cancelled.verdict, Verdict::kDone);
  EXPECT_TRUE(cancelled.cancelled);
  EXPECT_EQ(cancelled.position.applied_seq, request.sequence);

  const ExtractResult late = this->projector_.Extract(request);
  EXPECT_EQ(late.verdict, Verdict::kDone);
  EXPECT_TRUE(late.cancelled);
  EXPECT_THAT(late.moved, IsEmpty());
  EXPECT_EQ(this->Read().available.size(), 2u);
}

TYPED_TEST(PoolExtraction, ACancelAfterTheAnswerTellsTheAnswer) {
  this->projector_.Fill(SampleRows(2));
  const ExtractRequest request = this->projector_.NextExtract("e1", SampleCandidates(0, 1));
  this->projector_.Extract(request);

  for (int times = 0; times < 2; ++times) {
    const ExtractResult cancelled = this->projector_.Cancel(this->projector_.CancelOf(request));
    EXPECT_EQ(cancelled.verdict, Verdict::kDone);
    EXPECT_FALSE(cancelled.cancelled);
    EXPECT_EQ(cancelled.moved, SampleCandidates(0, 1));
  }
  EXPECT_EQ(this->Read().addresses.at(AddressName(0)).state, AddressState::kExtracted);
}

TYPED_TEST(PoolExtraction, ACancelTakesTheTurnOfItsIntent) {
  this->projector_.Fill(SampleRows(2));
  CancelRequest early = this->projector_.CancelOf(this->projector_.NextExtract("e1", SampleCandidates(0, 1)));
  early.follows = Sequence(11);
  early.sequence = Sequence(12);
  CancelRequest skewed = early;
  skewed.follows = Sequence(9);

  EXPECT_EQ(this->projector_.Cancel(early).verdict, Verdict::kBehind);
  EXPECT_EQ(this->projector_.Cancel(skewed).verdict, Verdict::kAhead);
  EXPECT_EQ(this->projector_.ReadPosition().applied_seq, Sequence(10));
}

TYPED_TEST(PoolExtraction, AnAnswerIsForgottenOnceAppliedSeqIsAboveTheEntryThatSettledIt) {
  this->projector_.Fill(SampleRows(2));
  const ExtractRequest request = this->projector_.NextExtract("e1", SampleCandidates(0, 1));
  this->projector_.Extract(request);

  this->projector_.Apply(this->Settling("e1"));
  EXPECT_EQ(this->projector_.Extract(request).verdict, Verdict::kDone);
  this->projector_.Apply(this->projector_.NextBatch({}));

  EXPECT_EQ(this->projector_.Extract(request).verdict, Verdict::kAhead);
}

TYPED_TEST(PoolExtraction, ABatchThatReachesBeyondTheSettlingEntryForgetsAtOnce) {
  this->projector_.Fill(SampleRows(2));
  const ExtractRequest request = this->projector_.NextExtract("e1", SampleCandidates(0, 1));
  const ExtractRequest cancelled = [&] {
    this->projector_.Extract(request);
    return this->projector_.NextExtract("e2", SampleCandidates(1, 1));
  }();
  this->projector_.Cancel(this->projector_.CancelOf(cancelled));

  Batch batch = this->Settling("e1", 2);
  batch.settled.push_back({"e2", batch.settled[0].entry});
  this->projector_.Apply(batch);

  EXPECT_EQ(this->projector_.Extract(request).verdict, Verdict::kAhead);
  EXPECT_EQ(this->projector_.Extract(cancelled).verdict, Verdict::kAhead);
}

TYPED_TEST(PoolExtraction, ManySettledAreAllForgotten) {
  this->projector_.Fill(SampleRows(60));
  std::vector<ExtractRequest> requests;
  for (int i = 0; i < 60; ++i) {
    requests.push_back(this->projector_.NextExtract("e" + std::to_string(i), SampleCandidates(i, 1)));
    this->projector_.Extract(requests.back());
  }
  Batch batch = this->projector_.NextBatch({});
  for (const ExtractRequest& request : requests) batch.settled.push_back({request.extraction_id, batch.upto});
  this->projector_.Apply(batch);
  for (int i = 0; i < 4; ++i) this->projector_.Apply(this->projector_.NextBatch({}));

  for (const ExtractRequest& request : requests) ASSERT_EQ(this->projector_.Extract(request).verdict, Verdict::kAhead);
}

TYPED_TEST(PoolExtraction, ALateReleaseDoesNotFreeWhatIsAnothersByNow) {
  this->projector_.Fill(SampleRows(1));
  const std::string address = AddressName(0);
  this->projector_.Extract(this->projector_.NextExtract("a", SampleCandidates(0, 1)));
  const AddressWrite end_of_a{.row = Unowned(address, Sequence(12)), .previous_owner = "", .ends_extraction = "a"};
  EXPECT_EQ(this->projector_.Apply(this->projector_.NextBatch({end_of_a})).counts, RowCounts{});
  EXPECT_EQ(this->projector_.Extract(this->projector_.NextExtract("b", SampleCandidates(0, 1))).moved.size(), 1u);

  for (int times = 1; times <= 2; ++times) {
    const ApplyResult late = this->projector_.Apply(this->projector_.NextBatch(
        {end_of_a, AddressRemoval{.id = address, .previous_owner = "", .ends_extraction = "a"}}));
    EXPECT_EQ(late.verdict, Verdict::kDone);
    EXPECT_EQ(late.counts.refused, 2u);
  }

  EXPECT_EQ(this->Read().addresses.at(address), Extracted(address, "b", Sequence(13)));
  EXPECT_THAT(this->Read().available, IsEmpty());
}

TYPED_TEST(PoolExtraction, AWriteThatNamesNoExtractionTakesNothingOutOfOne) {
  this->projector_.Fill(SampleRows(1));
  const std::string address = AddressName(0);
  this->projector_.Extract(this->projector_.NextExtract("a", SampleCandidates(0, 1)));

  const ApplyResult result = this->projector_.Apply(
      this->projector_.NextBatch({AddressWrite{.row = Granted(address, "w1"), .previous_owner = ""},
                                  AddressWrite{.row = Extracted(address, "b"), .previous_owner = ""},
                                  AddressRemoval{.id = address, .previous_owner = ""}}));

  EXPECT_EQ(result.counts.refused, 3u);
  EXPECT_EQ(this->Read().addresses.at(address), Extracted(address, "a", Sequence(11)));
  EXPECT_THAT(this->Read().owned, IsEmpty());
}

TYPED_TEST(PoolExtraction, ItsOwnWritesGoOnWithItAndEndIt) {
  this->projector_.Fill(SampleRows(2));
  this->projector_.Extract(this->projector_.NextExtract("a", SampleCandidates(0, 2), 2));
  AddressRow longer = Extracted(AddressName(0), "a", Sequence(12));
  longer.extracted_until = LogTimeFromMicros(ToMicros(kUntil) + 1);

  const ApplyResult result = this->projector_.Apply(
      this->projector_.NextBatch({AddressWrite{.row = longer, .previous_owner = ""},
                                  AddressRemoval{.id = AddressName(1), .previous_owner = "", .ends_extraction = "a"}}));
  EXPECT_EQ(result.counts, RowCounts{});
  EXPECT_EQ(this->Read().addresses, (std::map<std::string, AddressRow>{{AddressName(0), longer}}));

  this->projector_.Apply(this->projector_.NextBatch(
      {AddressWrite{.row = Unowned(AddressName(0), Sequence(13)), .previous_owner = "", .ends_extraction = "a"}}));
  EXPECT_EQ(this->Read().addresses.at(AddressName(0)), Unowned(AddressName(0), Sequence(13)));
}

TYPED_TEST(PoolExtraction, TheLargestTakesOneCallAndOneMoreIsNotSent) {
  constexpr int kMost = static_cast<int>(kMaxCandidates);
  this->projector_.Fill(SampleRows(kMost + 1));
  const auto too_many = this->projector_.NextExtract("e1", SampleCandidates(0, kMost + 1), kMost + 1);

  EXPECT_EQ(TroubleOf(this->store().Extract(too_many, kPatience).status()), Trouble::kWrongRequest);
  const ExtractResult most =
      this->projector_.Extract(this->projector_.NextExtract("e1", SampleCandidates(0, kMost), kMost));

  EXPECT_EQ(most.moved, SampleCandidates(0, kMost));
  EXPECT_EQ(this->Read().available.size(), 1u);
}

TYPED_TEST(PoolExtraction, WhatNoCallMaySayIsNotSent) {
  this->projector_.Fill(SampleRows(2));
  const ExtractRequest good = this->projector_.NextExtract("e1", SampleCandidates(0, 2));
  std::vector<ExtractRequest> wrong(6, good);
  wrong[0].extraction_id.clear();
  wrong[1].need = 0;
  wrong[2].candidates.clear();
  wrong[3].candidates.push_back(wrong[3].candidates[0]);
  wrong[4].sequence = wrong[4].follows;
  wrong[5].extracted_until = LogTimeFromMicros(std::int64_t{1} << 53);

  for (const ExtractRequest& request : wrong) {
    EXPECT_EQ(TroubleOf(this->store().Extract(request, kPatience).status()), Trouble::kWrongRequest);
  }
  EXPECT_EQ(this->Read().available.size(), 2u);
}

TYPED_TEST(PoolExtraction, TextsOfAnyBytesComeBackAsTheyWere) {
  const std::string odd = std::string("s\0e,\n:{}c%ret@h\xff:1", 19);
  this->projector_.Fill({AddressWrite{.row = Unowned(odd), .previous_owner = ""}});
  const std::vector<Candidate> candidates = {{odd, {"", "a,b:1,", std::string("\0\r\n", 3)}}};

  const ExtractRequest request = this->projector_.NextExtract(odd, candidates);

  EXPECT_EQ(this->projector_.Extract(request).moved, candidates);
  EXPECT_EQ(this->projector_.Extract(request).moved, candidates);
  EXPECT_EQ(this->Read().addresses.at(odd), Extracted(odd, odd, Sequence(11)));
}

}  // namespace
}  // namespace holdfast::pool::testing
