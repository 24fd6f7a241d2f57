// What the store answers, or does not, and what the client and the addresses have of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/effect.h"
#include "controller/proto_time.h"
#include "tests/controller/client_fixture.h"

namespace holdfast {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

EditExtract AllOrNothing() {
  return [](auto& request) { request.set_all_or_nothing(true); };
}

TEST(DecideExtractionAnswered, WhatWasNotMovedIsFreeAgain) {
  ClientStory story;
  story.Import(Items(1, 3));
  Ask(story, "c1", "r1", 3);
  const std::string id = AskedId(story);
  const std::vector<AddressKey> candidates = ExtractionRowOf(story, id).addresses;

  const Decision moved = Moves(story, id, {candidates[1]});

  ASSERT_THAT(EventsOf<ProxiesExtracted>(moved), SizeIs(1));
  EXPECT_THAT(EventsOf<ProxiesExtracted>(moved)[0].addresses, ElementsAre(candidates[1]));
  EXPECT_THAT(EventsOf<ProxiesExtracted>(moved)[0].returned, ElementsAre(candidates[0], candidates[2]));
  EXPECT_THAT(AnswerOf(moved).proxies(), SizeIs(1));
  EXPECT_EQ(story.state().ownership().count(PoolState::kAvailable, OwnershipState::kUnowned), 2u);
}

TEST(DecideExtractionAnswered, NoneMovedIsToldAndForgotten) {
  ClientStory story;
  story.Import(Items(1, 1));
  Ask(story, "c1", "r1", 1);
  const std::string id = AskedId(story);

  const Decision none = Moves(story, id, {});

  EXPECT_EQ(RefusalOf(none), RejectReason::kNotEnoughProxies);
  EXPECT_EQ(EventsOf<ExtractionGivenBack>(none).at(0).reason, GiveBackReason::kNoneMoved);
  EXPECT_THAT(EventsOf<InputRejected>(none), IsEmpty());  // it is the client's request that is refused
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
  EXPECT_THAT(Extracts(story, "c1", "r1", 1).proxies(), SizeIs(1));  // forgotten: it may be tried again
}

TEST(DecideExtractionAnswered, FewerThanAllAreNoneWhereAllOrNothingWasAsked) {
  ClientStory story;
  story.Import(Items(1, 2));
  Ask(story, "c1", "r1", 2, AllOrNothing());
  const std::string id = AskedId(story);

  const Decision some = Moves(story, id, {ExtractionRowOf(story, id).addresses[0]});

  EXPECT_EQ(RefusalOf(some), RejectReason::kNotEnoughProxies);
  EXPECT_THAT(EventsOf<ProxiesExtracted>(some), IsEmpty());
  EXPECT_EQ(story.state().ownership().count(PoolState::kAvailable, OwnershipState::kUnowned), 2u);
}

TEST(DecideExtractionAnswered, WhatWasNoCandidateIsNotTaken) {
  ClientStory story;
  story.Import(Items(1, 2));
  Ask(story, "c1", "r1", 1);
  const std::string id = AskedId(story);
  const AddressKey other(3 - ExtractionRowOf(story, id).addresses[0].value());

  const Decision strange = Moves(story, id, {other});

  EXPECT_THAT(EventsOf<ProxiesExtracted>(strange), IsEmpty());
  EXPECT_EQ(story.state().extractions().count(ExtractionPhase::kAsked), 0u);
}

TEST(DecideExtractionAnswered, ASecondAnswerChangesNothing) {
  ClientStory story;
  story.Import(Items(1, 2));
  Ask(story, "c1", "r1", 1);
  const std::string id = AskedId(story);
  const std::vector<AddressKey> candidates = ExtractionRowOf(story, id).addresses;
  Moves(story, id);

  EXPECT_THAT(Moves(story, id, candidates).events, IsEmpty());
  EXPECT_THAT(Moves(story, "never-asked", candidates).events, IsEmpty());
}

TEST(DecideExtractionAnswered, TheHoldEndsItAtTheLatestAtTheFirstExpiry) {
  ClientStory story;
  story.Import({Item(1, [&](auto& item) { *item.mutable_expires_at() = Time(story.now() + hours(1)); })});

  const auto held = Extracts(story, "c1", "r1", 1, Holding(minutes(10)));

  EXPECT_EQ(ReadTime(held.extracted_until()), story.now() + minutes(10));
  EXPECT_EQ(ExtractionRowOf(story, held.extraction_id()).ends_at, story.now() + minutes(10) + seconds(10));
  Release(story, "c1", "x", held.extraction_id());
  const auto longer = Extracts(story, "c1", "r2", 1, Holding(hours(10)));
  EXPECT_EQ(ReadTime(longer.extracted_until()), kStart + hours(1));
  EXPECT_EQ(ExtractionRowOf(story, longer.extraction_id()).end_reason, EndReason::kExpired);
}

TEST(DecideExtractionAnswered, WithoutAHoldItEndsWithTheEarliestUsableUntil) {
  ClientStory story;
  story.Import({Item(1, [&](auto& item) { *item.mutable_expires_at() = Time(story.now() + hours(1)); }), Item(2)});

  const auto answer = Extracts(story, "c1", "r1", 2);

  EXPECT_EQ(ReadTime(answer.extracted_until()), story.now() + hours(1) - minutes(1));
}

// ---- the store does not answer ----

TEST(DecideExtractionUnanswered, TheClientIsToldAndFromThenOnNobodyGetsAnything) {
  ClientStory story;
  story.Import(Items(1, 1));
  Ask(story, "c1", "r1", 1);
  const std::string id = AskedId(story);

  EXPECT_EQ(RefusalOf(KeepsSilent(story, id)), RejectReason::kPoolUnavailable);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kExtracting);
  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r1", 1)), RejectReason::kPoolUnavailable);
  const Decision late = Moves(story, id);

  EXPECT_EQ(EventsOf<ExtractionGivenBack>(late).at(0).reason, GiveBackReason::kDoubted);
  EXPECT_THAT(EventsOf<ProxiesExtracted>(late), IsEmpty());
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
}

TEST(DecideExtractionUnanswered, AStoreThatCancelsGivesBack) {
  ClientStory story;
  story.Import(Items(1, 1));
  Ask(story, "c1", "r1", 1);
  const std::string id = AskedId(story);
  KeepsSilent(story, id);

  log::v1::Input cancelled;
  cancelled.mutable_extraction_answered()->set_extraction_id(id);
  cancelled.mutable_extraction_answered()->set_cancelled(true);
  const Decision given = story.When(cancelled);

  EXPECT_EQ(EventsOf<ExtractionGivenBack>(given).at(0).reason, GiveBackReason::kCancelled);
  EXPECT_THAT(Extracts(story, "c1", "r1", 1).proxies(), SizeIs(1));
}

TEST(DecideExtractionUnanswered, WhenNobodySaysSoTheDeadlineDoes) {
  ClientStory story;
  story.Import(Items(1, 1));
  Ask(story, "c1", "r1", 1);
  const std::string id = AskedId(story);

  story.Advance(seconds(2));
  story.Settle();

  EXPECT_EQ(ExtractionRowOf(story, id).phase, ExtractionPhase::kDoubted);
  EXPECT_THAT(KeepsSilent(story, id).events, IsEmpty());
}

TEST(DecideExtractionUnanswered, AnIntentEndsAlsoWhereTheStoreNeverComesBack) {
  ClientStory story;
  story.Import(Items(1, 1));
  Ask(story, "c1", "r1", 1);
  const std::string id = AskedId(story);

  story.AdvanceInSteps(seconds(62), seconds(1));

  EXPECT_EQ(story.state().extractions().Find(id), ExtractionKey());
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
  EXPECT_THAT(Moves(story, id, {AddressKey(1)}).events, IsEmpty());
}

TEST(DecideExtractionUnanswered, WhatWasRemovedMeanwhileLeavesWhenItIsGivenBack) {
  ClientStory story;
  story.Import(Items(1, 1));
  Ask(story, "c1", "r1", 1);
  const std::string id = AskedId(story);
  story.Remove({IdOf(1)});
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kExtracting);

  const Decision none = Moves(story, id, {});

  EXPECT_THAT(NamesOf(none), ElementsAre("extraction_given_back", "proxy_removed", "address_retired"));
}

// A tick has nobody to reply to: the call that waits is told by the effect, in the words of the reply.
TEST(DecideExtractionAnswered, ADoubtIsAnEffectForTheCallThatWaits) {
  ClientStory story;
  story.Import(Items(1, 1));
  Ask(story, "c1", "r1", 1);
  const std::string id = AskedId(story);

  const Decision silent = KeepsSilent(story, id);
  std::vector<Effect> effects;
  for (const Event& event : silent.events) AppendEffects(story.state(), event, effects);

  ASSERT_THAT(effects, SizeIs(1));
  const auto& tell = std::get<TellExtraction>(effects[0]);
  EXPECT_EQ(tell.extraction_id.value(), id);
  EXPECT_EQ(tell.told.reason, RejectReason::kPoolUnavailable);
  EXPECT_EQ(tell.told.message, std::get<Rejection>(std::get<ExtractionSettled>(silent.reply).answer).message);
}

}  // namespace
}  // namespace holdfast
