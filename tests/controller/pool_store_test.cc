// What the pool store is found to be, and what that stops.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/place_due.h"
#include "controller/sequencer.h"
#include "tests/controller/checker_fixture.h"
#include "tests/controller/client_fixture.h"
#include "tests/controller/operator_inputs.h"

namespace holdfast {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kOtherLog(32, 'e');

log::v1::Input Adopt() {
  log::v1::Input input;
  input.mutable_adopt_pool()->mutable_request()->set_reason("the backup was put back");
  return input;
}

log::v1::Input Written(std::uint64_t applied) {
  log::v1::Input input;
  input.mutable_pool_store_written()->set_applied_sequence(applied);
  input.mutable_pool_store_written()->set_proxies(2);
  return input;
}

TEST(PoolStoreSeen, OfThisLogAndNotAheadItMayBeUsed) {
  Story story;
  story.Import(Items(1, 1));
  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r1", 1)), RejectReason::kPoolUnavailable);

  EXPECT_EQ(EventsOf<PoolStoreJudged>(MeetStore(story)).at(0).verdict, PoolStoreVerdict::kUsable);

  EXPECT_THAT(Extracts(story, "c1", "r1", 1).proxies(), SizeIs(1));
}

TEST(PoolStoreSeen, AnEmptyOneIsWrittenAnewBeforeAnythingIsExtracted) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");

  SeeStore(story, "", 0);

  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r1", 1)), RejectReason::kPoolUnavailable);
  EXPECT_FALSE(HasAlarm(story, AlarmKind::kPoolBehind, ""));  // it held nothing yet
  EXPECT_EQ(story.OwnerOf(IdOf(1)), "w1");                    // grants go on
  EXPECT_THAT(EventsOf<PoolResynced>(story.When(Written(5))), SizeIs(1));
  EXPECT_TRUE(story.state().pool_store().usable());
}

TEST(PoolStoreSeen, OneThatHasLostWhatItHadIsAnAlarmUntilItIsWrittenAnew) {
  ClientStory story;
  SeeStore(story, "", 0);
  EXPECT_TRUE(HasAlarm(story, AlarmKind::kPoolBehind, ""));
  EXPECT_EQ(ReasonOf(story.When(Clear(admin::v1::ALARM_KIND_POOL_BEHIND, ""))), RejectReason::kFailedCondition);

  story.When(Written(3));

  EXPECT_FALSE(HasAlarm(story, AlarmKind::kPoolBehind, ""));
}

TEST(PoolStoreSeen, OfAnotherLogItStopsGrantsAndExtractionUntilItIsAdoptedAndTheWaitIsOver) {
  Story story;
  SeeStore(story, kOtherLog, 1'500);
  story.Import(Items(1, 2));
  story.Active("w1");

  EXPECT_THAT(story.View("w1"), IsEmpty());
  EXPECT_TRUE(HasAlarm(story, AlarmKind::kPoolForeign, ""));
  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r1", 1)), RejectReason::kNotReady);
  story.AdvanceInSteps(seconds(50), seconds(1));  // the time alone ends nothing
  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r1", 1)), RejectReason::kPoolUnavailable);
  EXPECT_FALSE(IsPlacementDue(story.state()));
  EXPECT_EQ(NextStateDeadline(story.state()).value_or(LogTime::max()) > story.now(), true);
  EXPECT_EQ(ReasonOf(story.When(Clear(admin::v1::ALARM_KIND_POOL_FOREIGN, ""))), RejectReason::kFailedCondition);

  const Decision adopted = story.When(Adopt());
  story.Settle();

  EXPECT_EQ(ReplyOf<admin::v1::AdoptPoolResponse>(adopted).previous_log_id(), kOtherLog);
  EXPECT_EQ(ReplyOf<admin::v1::AdoptPoolResponse>(adopted).previous_applied_sequence(), 1'500u);
  EXPECT_FALSE(HasAlarm(story, AlarmKind::kPoolForeign, ""));
  story.Active("w2");
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r1", 1)), RejectReason::kPoolUnavailable);  // written anew first
  story.When(Written(9));
  EXPECT_TRUE(story.state().pool_store().usable());
}

TEST(PoolStoreSeen, AheadOfThisLogItSaysFromWhereOnHistoryIsLost) {
  Story story;
  const Decision seen = SeeStore(story, story.state().run().log_id_text(), 1'500);

  EXPECT_EQ(EventsOf<PoolStoreJudged>(seen).at(0).verdict, PoolStoreVerdict::kAhead);
  EXPECT_THAT(EventsOf<AlarmRaised>(seen).at(0).detail, HasSubstr("1500"));
  EXPECT_EQ(story.state().run().wait_until(), story.now() + seconds(40));
}

TEST(PoolStoreSeen, AdoptedBeforeTheWaitIsOverItStillWaits) {
  Story story;
  SeeStore(story, kOtherLog, 1);
  story.Import(Items(1, 1));
  story.When(Adopt());
  story.When(Written(9));

  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r1", 1)), RejectReason::kNotReady);
  story.AdvanceInSteps(seconds(40), seconds(1));

  EXPECT_THAT(Extracts(story, "c1", "r1", 1).proxies(), SizeIs(1));
}

TEST(PoolStoreSeen, ARestartDoesNotMakeItOurs) {
  Story story;
  SeeStore(story, kOtherLog, 1);
  story.AdvanceInSteps(seconds(30), seconds(1));

  story.Restart(true, seconds(1));

  EXPECT_TRUE(story.state().pool_store().must_be_adopted());
  EXPECT_EQ(story.state().run().wait_until(), story.now() + seconds(40));  // from this start on
}

TEST(PoolStoreSeen, AnotherStoreThatIsOursEndsIt) {
  Story story;
  SeeStore(story, kOtherLog, 1);

  MeetStore(story);
  story.AdvanceInSteps(seconds(40), seconds(1));

  EXPECT_FALSE(HasAlarm(story, AlarmKind::kPoolForeign, ""));
  EXPECT_EQ(story.state().run().wait_until(), LogTime());
}

TEST(AdoptPool, WithoutAReasonToThereIsNothingToAdopt) {
  ClientStory story;

  EXPECT_EQ(ReasonOf(story.When(Adopt())), RejectReason::kFailedCondition);
}

TEST(AdoptPool, WhatTheStoreShowsAsExtractedStaysSoUntilItsEnd) {
  Story story;
  SeeStore(story, kOtherLog, 1);
  story.Import(Items(1, 2));
  log::v1::Input adopt = Adopt();
  auto& shown = *adopt.mutable_adopt_pool()->add_extractions();
  shown.set_extraction_id("of-the-other-log");
  shown.set_client_id("c9");
  shown.add_addresses("198.18.0.1:8080");
  shown.add_addresses("198.18.0.99:8080");  // not in the pool
  shown.set_extracted_until(ToMicros(story.now() + minutes(5)));
  shown.set_ends_at(ToMicros(story.now() + minutes(5) + seconds(10)));

  story.When(adopt);
  story.When(Written(9));
  story.AdvanceInSteps(minutes(1), seconds(1));

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kExtracted);
  EXPECT_EQ(IdsOf(Extracts(story, "c1", "r1", 5)), std::vector<std::string>{IdOf(2)});
  EXPECT_EQ(ReasonOf(Release(story, "c1", "x1", "of-the-other-log")), RejectReason::kNotFound);
  story.AdvanceInSteps(minutes(5), seconds(1));
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
}

}  // namespace
}  // namespace holdfast
