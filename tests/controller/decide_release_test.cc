// How extractions end, and what the client hears that asks once more.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/checker_fixture.h"
#include "tests/controller/client_fixture.h"

namespace holdfast {
namespace {

using namespace testing;
using distribution::v1::ReleaseResponse;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST(DecideRelease, AllOfItComesBack) {
  ClientStory story;
  story.Import(Items(1, 2));
  const auto answer = Extracts(story, "c1", "r1", 2);

  const Decision released = Release(story, "c1", "x1", answer.extraction_id());

  EXPECT_EQ(ReplyOf<ReleaseResponse>(released).released(), 2u);
  ASSERT_THAT(EventsOf<ExtractionEnded>(released), SizeIs(1));
  EXPECT_TRUE(EventsOf<ExtractionEnded>(released)[0].over);
  EXPECT_EQ(EventsOf<ExtractionEnded>(released)[0].reason, EndReason::kReleased);
  EXPECT_EQ(story.state().ownership().count(PoolState::kAvailable, OwnershipState::kUnowned), 2u);
}

TEST(DecideRelease, ARepeatGetsTheSameAnswerAndChangesNothing) {
  ClientStory story;
  story.Import(Items(1, 2));
  const auto answer = Extracts(story, "c1", "r1", 2);
  const ReleaseResponse first = ReplyOf<ReleaseResponse>(Release(story, "c1", "x1", answer.extraction_id()));

  const Decision again = Release(story, "c1", "x1", answer.extraction_id());

  EXPECT_EQ(ReplyOf<ReleaseResponse>(again).SerializeAsString(), first.SerializeAsString());
  EXPECT_THAT(again.events, IsEmpty());
  EXPECT_EQ(ReasonOf(Release(story, "c1", "x1", answer.extraction_id(), {IdOf(1)})), RejectReason::kRequestConflict);
}

TEST(DecideRelease, APartIsGivenBackByItsIds) {
  ClientStory story;
  story.Import(Items(1, 3));
  const auto answer = Extracts(story, "c1", "r1", 3);

  const Decision part = Release(story, "c1", "x1", answer.extraction_id(), {IdOf(2)});

  EXPECT_EQ(ReplyOf<ReleaseResponse>(part).released(), 1u);
  EXPECT_FALSE(EventsOf<ExtractionEnded>(part).at(0).over);
  EXPECT_EQ(story.OwnershipOf(IdOf(2)), OwnershipState::kUnowned);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kExtracted);
  EXPECT_THAT(Ask(story, "c1", "r1", 3).events, IsEmpty());  // it stands
  const Decision rest = Release(story, "c1", "x2", answer.extraction_id());
  EXPECT_EQ(ReplyOf<ReleaseResponse>(rest).released(), 2u);
  EXPECT_TRUE(EventsOf<ExtractionEnded>(rest).at(0).over);
}

TEST(DecideRelease, AMachineIsFreeWhenAllThatWasHandedOutOfItHasComeBack) {
  ClientStory story;
  admin::v1::ProxySpec sibling = Item(1);
  sibling.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5);
  story.Import({Item(1), sibling});
  const auto answer = Extracts(story, "c1", "r1", 1);

  const Decision half = Release(story, "c1", "x1", answer.extraction_id(), {IdOf(1)});

  EXPECT_THAT(EventsOf<ExtractionEnded>(half).at(0).addresses, IsEmpty());
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kExtracted);
  Release(story, "c1", "x2", answer.extraction_id(), {"socks5://198.18.0.1:8080"});
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
}

TEST(DecideRelease, OfAnotherClientsExtractionNothingIsReleased) {
  ClientStory story;
  story.Import(Items(1, 1));
  const auto answer = Extracts(story, "c1", "r1", 1);

  const Decision foreign = Release(story, "c2", "x1", answer.extraction_id());

  EXPECT_EQ(ReasonOf(foreign), RejectReason::kNotFound);
  EXPECT_THAT(EventsOf<ExtractionEnded>(foreign), IsEmpty());
  EXPECT_EQ(ReasonOf(Release(story, "c1", "x2", "no-such")), RejectReason::kNotFound);
}

TEST(DecideRelease, WithAProxyThatIsNotInItNothingIsReleased) {
  ClientStory story;
  story.Import(Items(1, 2));
  const auto answer = Extracts(story, "c1", "r1", 1);
  const std::string mine = answer.proxies(0).proxy_id();
  const std::string other = mine == IdOf(1) ? IdOf(2) : IdOf(1);

  const Decision mixed = Release(story, "c1", "x1", answer.extraction_id(), {mine, other});

  EXPECT_EQ(ReasonOf(mixed), RejectReason::kNotFound);
  EXPECT_EQ(story.OwnershipOf(mine), OwnershipState::kExtracted);
}

TEST(DecideRelease, WhatComesBackIsPendingAndCheckedAtOnce) {
  ClientStory story(Checked());
  story.Import(Items(1, 1));
  Checker checker = ActiveChecker(story, "k1");
  Check(story, {&checker}, seconds(2), Always(Verdict::kPass));
  const auto answer = Extracts(story, "c1", "r1", 1);
  Check(story, {&checker}, seconds(5), Always(Verdict::kPass));

  Release(story, "c1", "x1", answer.extraction_id());

  EXPECT_EQ(PoolOf(story, 1), PoolState::kPending);
  EXPECT_EQ(ReasonOf(Ask(story, "c2", "r1", 1)), RejectReason::kNotEnoughProxies);
  story.Settle();
  const std::vector<GivenTask> tasks = TasksOf(story, checker);
  ASSERT_THAT(tasks, SizeIs(1));
  EXPECT_EQ(tasks[0].level, CheckLevel::kBasic);
  Answer(story, checker, Always(Verdict::kPass));
  EXPECT_EQ(PoolOf(story, 1), PoolState::kAvailable);
  EXPECT_THAT(Extracts(story, "c2", "r1", 1).proxies(), SizeIs(1));
}

TEST(DecideRelease, WhatWasFoundUnhealthyMeanwhileStaysSo) {
  ClientStory story(Checked());
  story.Import(Items(1, 1));
  Checker checker = ActiveChecker(story, "k1");
  Check(story, {&checker}, seconds(2), Always(Verdict::kPass));
  const auto answer = Extracts(story, "c1", "r1", 1);
  Check(story, {&checker}, minutes(3), Always(Verdict::kFail));
  ASSERT_EQ(PoolOf(story, 1), PoolState::kUnhealthy);

  const Decision released = Release(story, "c1", "x1", answer.extraction_id());

  EXPECT_EQ(PoolOf(story, 1), PoolState::kUnhealthy);
  EXPECT_THAT(EventsOf<CheckRequested>(released), SizeIs(1));
}

TEST(DecideRelease, WhereUncheckedProxiesAreTrustedItIsAvailableAtOnce) {
  ClientStory story;
  story.Import(Items(1, 1));
  const auto answer = Extracts(story, "c1", "r1", 1);

  Release(story, "c1", "x1", answer.extraction_id());

  EXPECT_EQ(PoolOf(story, 1), PoolState::kAvailable);
}

// ---- ends by time ----

TEST(EndOfExtraction, ItEndsTheGraceAfterItsHold) {
  ClientStory story;
  story.Import(Items(1, 1));
  const auto answer = Extracts(story, "c1", "r1", 1, Holding(seconds(30)));

  story.AdvanceInSteps(milliseconds(39'999), seconds(1));
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kExtracted);
  story.AdvanceInSteps(milliseconds(1), seconds(1));

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
  EXPECT_EQ(ExtractionRowOf(story, answer.extraction_id()).phase, ExtractionPhase::kOver);
}

TEST(EndOfExtraction, WhatHasExpiredLeavesThePoolWithItsEndAndNotBefore) {
  ClientStory story;
  story.Import({Item(1, [&](auto& item) { *item.mutable_expires_at() = Time(story.now() + minutes(2)); })});
  Extracts(story, "c1", "r1", 1, Holding(hours(1)));

  story.AdvanceInSteps(minutes(2), seconds(1));
  EXPECT_EQ(PoolOf(story, 1), PoolState::kExpired);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kExtracted);
  story.AdvanceInSteps(seconds(10), seconds(1));

  EXPECT_EQ(story.state().pool().FindProxy(IdOf(1)), ProxyKey());
  EXPECT_EQ(story.state().pool().addresses().size(), 0u);
}

TEST(EndOfExtraction, ItsRequestIsNotFoundForADayAndThenForgotten) {
  ClientStory story;
  story.Import(Items(1, 2));
  const auto answer = Extracts(story, "c1", "r1", 1);
  Release(story, "c1", "x1", answer.extraction_id());

  story.AdvanceInSteps(hours(24) - seconds(1), hours(1));
  story.Import(Items(1, 2));
  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r1", 1)), RejectReason::kNotFound);
  story.AdvanceInSteps(seconds(1), seconds(1));

  EXPECT_THAT(Extracts(story, "c1", "r1", 1).proxies(), SizeIs(1));
  EXPECT_EQ(ReasonOf(Release(story, "c1", "x1", answer.extraction_id())), RejectReason::kNotFound);
}

TEST(EndOfExtraction, ItIsAPeriodOfTheClient) {
  ClientStory story;
  story.Import(Items(1, 1));
  const auto answer = Extracts(story, "c1", "r1", 1, Holding(seconds(30)));

  const std::vector<OwnershipPeriod> open = story.state().audit().Open(AddressKey(1));

  ASSERT_THAT(open, SizeIs(1));
  EXPECT_EQ(open[0].client_id, "c1");
  EXPECT_EQ(open[0].extraction_id, answer.extraction_id());
  EXPECT_EQ(open[0].worker_id, "");
  EXPECT_EQ(open[0].owned_until, story.now() + seconds(40));
  Release(story, "c1", "x1", answer.extraction_id());
  EXPECT_THAT(story.state().audit().Open(AddressKey(1)), IsEmpty());
}

}  // namespace
}  // namespace holdfast
