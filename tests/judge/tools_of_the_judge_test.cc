// What the judge computes with: its checksum, its clock, its order of events.

#include <gtest/gtest.h>

#include "tests/client/checksum_vectors.h"
#include "tests/judge/judge_story.h"
#include "tools/judge/ordered_feed.h"
#include "tools/judge/rejections.h"

namespace holdfast::judge {
namespace {

TEST(CanonicalChecksum, EveryVectorOfTheDocumentIsComputed) {
  const std::vector<test::ChecksumVector> vectors = test::ReadChecksumVectors();
  ASSERT_GE(vectors.size(), 7U);

  for (const test::ChecksumVector& vector : vectors) {
    const ContentPointer content = ContentOf(vector.snapshot);

    EXPECT_EQ(Hex(content->Digest(vector.snapshot.ownership_epoch())), vector.checksum) << vector.title;
    if (vector.snapshot.proxies_size() == 0) continue;
    const Number256 first = ProxyDigest(vector.snapshot.proxies(0));
    EXPECT_EQ(Hex(std::string(first.begin(), first.end())), vector.first_hash) << vector.title;
  }
}

TEST(CanonicalChecksum, ADeltaGivesWhatTheFullContentGives) {
  Story story;
  const auto base = story.Full(7, 10, 30, {GrantOf("a", "192.0.2.1"), GrantOf("b", "192.0.2.2")});
  const auto whole = story.Full(7, 11, 30, {GrantOf("b", "192.0.2.9"), GrantOf("c", "192.0.2.3")});
  wire::SnapshotDelta delta;
  *delta.add_upserted() = GrantOf("b", "192.0.2.9");
  *delta.add_upserted() = GrantOf("c", "192.0.2.3");
  delta.add_removed_proxy_ids("a");

  const ContentPointer after = ContentAfter(ContentOf(base.full()), delta);

  EXPECT_EQ(Hex(after->Digest(7)), Hex(whole.full().checksum()));
}

TEST(ConservativeClock, ReachesALimitAtTheFirstMicrosecondThatIsNotShortOfIt) {
  ConservativeClock clock;
  clock.Hear(5'000'000, 1'000);

  for (std::int64_t ahead = 1; ahead < 5'000; ahead += 7) {
    const std::int64_t at = clock.Reaches(5'000'000 + ahead);
    EXPECT_GE(clock.LatestAt(at), 5'000'000 + ahead) << ahead;
    EXPECT_LT(clock.LatestAt(at - 1), 5'000'000 + ahead) << ahead;
  }
}

TEST(ConservativeClock, ATighterAnswerMovesTheEndOutAndALooserOneDoesNot) {
  ConservativeClock clock;
  clock.Hear(1'000'000, 0);
  const std::int64_t loose = clock.Reaches(9'000'000);

  clock.Hear(1'000'000, 500'000);
  const std::int64_t tight = clock.Reaches(9'000'000);
  clock.Hear(1'000'000, 100'000);

  EXPECT_GT(tight, loose);
  EXPECT_EQ(clock.Reaches(9'000'000), tight);
}

TEST(OrderedFeed, DeliversInTheOrderOfInstantsAndOnlyWhatIsOldEnough) {
  std::vector<Violation> violations;
  Judge judge([&violations](Violation violation) { violations.push_back(std::move(violation)); });
  OrderedFeed feed(judge, 100);
  const Who who = Story::Process("w1", "i1");
  // Ends before it began, as they were added; told in order, nothing was ever given.
  feed.Add({20, who, UseEnded{"a"}});
  feed.Add({10, who, UseBegan{"a"}});
  feed.Add({150, who, Died{}});

  feed.Deliver(115);
  EXPECT_EQ(judge.counts().happenings, 1U);
  ASSERT_EQ(violations.size(), 1U);
  EXPECT_NE(violations[0].text.find("began"), std::string::npos);
  feed.Deliver(200);
  EXPECT_EQ(judge.counts().happenings, 2U);
  feed.Finish();

  EXPECT_EQ(judge.counts().happenings, 3U);
}

TEST(WrongRejection, EveryReasonOfTheWireIsEitherOfACallOrOfNone) {
  const auto* reasons = wire::RejectReason_descriptor();
  int of_some_call = 0;
  for (int i = 0; i < reasons->value_count(); ++i) {
    const auto reason = static_cast<wire::RejectReason>(reasons->value(i)->number());
    for (const CallKind call : {CallKind::kRegister, CallKind::kWatch, CallKind::kAck, CallKind::kReport,
                                CallKind::kOutcomes, CallKind::kExtract, CallKind::kRelease}) {
      int right_codes = 0;
      for (int code = 1; code <= 16; ++code) {
        CallEnd end = Story::Refused(code, reason);
        end.detail->mutable_retry_after()->set_seconds(1);
        if (!WrongRejection(call, end)) ++right_codes;
      }
      EXPECT_LE(right_codes, 1) << reasons->value(i)->name() << " of " << CallKindName(call);
      of_some_call += right_codes;
    }
  }
  // 6 of any call; 1 of register, 3 of watch, 4 of ack, 4 of report; 6 of every call in a session; 5 of extract, 2 of
  // release.
  EXPECT_EQ(of_some_call, 6 * 7 + 1 + 3 + 4 + 4 + 6 * 4 + 5 + 2);
}

}  // namespace
}  // namespace holdfast::judge
