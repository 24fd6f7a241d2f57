// The projector: what the store shows follows the log, whatever befalls the store.

#include "pool/projector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/projector/projected_story.h"

namespace holdfast::testing {
namespace {

using pool::AddressState;
using pool::ProjectorPhase;
using Accident = TroubledStore::Accident;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// Met, written, and with three machines in the pool.
struct PoolOfThree : ProjectedStory {
  explicit PoolOfThree(const Settings& settings = WithoutReserve()) : ProjectedStory(settings) {
    Import(Items(1, 3));
    Project();
  }
};

std::size_t CountOf(const Story& story, PoolStoreVerdict verdict) {
  std::size_t count = 0;
  for (const LoggedEntry& entry : story.entries()) {
    for (const PoolStoreJudged& judged : EventsOf<PoolStoreJudged>(entry.events)) count += judged.verdict == verdict;
  }
  return count;
}

GiveBackReason GivenBackBecause(const Story& story, const std::string& extraction_id) {
  for (const LoggedEntry& entry : story.entries()) {
    for (const ExtractionGivenBack& event : EventsOf<ExtractionGivenBack>(entry.events)) {
      if (event.extraction_id.value() == extraction_id) return event.reason;
    }
  }
  return GiveBackReason::kUnspecified;
}

TEST(Projector, AnEmptyStoreIsWrittenAndThenUsable) {
  ProjectedStory story;
  story.Import(Items(1, 3));

  story.Project();

  EXPECT_EQ(story.projector().status().phase, ProjectorPhase::kReady);
  EXPECT_TRUE(story.state().pool_store().usable());
  EXPECT_THAT(story.StoredAddresses(), SizeIs(3));
  EXPECT_THAT(story.Differences(), IsEmpty());
}

TEST(Projector, WhatIsGrantedAskedBackAndReleasedIsShown) {
  PoolOfThree story;
  Worker worker = story.Active("w1");
  story.Project();
  EXPECT_EQ(story.Stored(IdOf(1)).state, AddressState::kGranted);
  EXPECT_EQ(story.Stored(IdOf(1)).owner, "w1");
  EXPECT_THAT(story.Differences(), IsEmpty());

  story.Remove({IdOf(1)});
  story.Project();
  EXPECT_EQ(story.Stored(IdOf(2)).state, AddressState::kGranted);
  EXPECT_THAT(story.Differences(), IsEmpty());

  story.Drink(worker);
  story.Report(worker);
  story.Settle();
  story.Project();
  EXPECT_THAT(story.StoredAddresses(), SizeIs(2));
  EXPECT_THAT(story.Differences(), IsEmpty());
}

TEST(Projector, WhatAClientTakesIsItsInTheStoreAndComesBack) {
  PoolOfThree story;
  Ask(story, "c1", "r1", 2);
  const std::string id = AskedId(story);

  story.Project();

  EXPECT_EQ(ExtractionRowOf(story, id).phase, ExtractionPhase::kStanding);
  EXPECT_EQ(story.Stored(ExtractionRowOf(story, id).specs.at(0).proxy_id.value()).extraction_id, id);
  EXPECT_THAT(story.Differences(), IsEmpty());

  const std::string proxy = ExtractionRowOf(story, id).specs.at(0).proxy_id.value();
  Release(story, "c1", "back", id);
  story.Project();
  EXPECT_EQ(story.Stored(proxy).state, AddressState::kUnowned);
  EXPECT_THAT(story.Differences(), IsEmpty());
  EXPECT_EQ(story.projector().status().counts.refused, 0u);
}

TEST(Projector, TwoIntentsInARowTakeTheirTurns) {
  PoolOfThree story;
  Ask(story, "c1", "r1", 1);
  const std::string first = AskedId(story);
  story.Import(Items(4, 5));
  Ask(story, "c2", "r2", 1);
  const std::string second = AskedId(story);

  story.Project();

  EXPECT_EQ(ExtractionRowOf(story, first).phase, ExtractionPhase::kStanding);
  EXPECT_EQ(ExtractionRowOf(story, second).phase, ExtractionPhase::kStanding);
  EXPECT_THAT(story.Differences(), IsEmpty());
}

// What was decided before an intent is there when the store is asked.
TEST(Projector, AnIntentComesAfterAllThatWasDecidedBeforeIt) {
  PoolOfThree story;
  story.Import(Items(4, 9));
  Ask(story, "c1", "r1", 9);
  const std::string id = AskedId(story);

  story.Project();

  EXPECT_THAT(ExtractionRowOf(story, id).specs, SizeIs(9));
  EXPECT_THAT(story.Differences(), IsEmpty());
}

// The rows of a candidate wait for the answer; what changed meanwhile is written after it.
TEST(Projector, WhileAnAddressIsAskedForItsRowsAreLeftAlone) {
  PoolOfThree story;
  story.store().Plan("Extract", Accident::kTimesOutDone);
  Ask(story, "c1", "r1", 1);
  const std::string id = AskedId(story);
  story.Remove({story.state().pool().proxy(ExtractionRowOf(story, id).proxies.at(0).proxy).spec->proxy_id.value()});
  story.StepOnce();
  story.StepOnce();

  story.Project();

  EXPECT_EQ(ExtractionRowOf(story, id).phase, ExtractionPhase::kStanding);
  EXPECT_EQ(story.projector().status().counts.refused, 0u);
  EXPECT_THAT(story.Differences(), IsEmpty());
}

TEST(Projector, AnAnswerThatWasLostIsToldWhenItIsAskedForAgain) {
  for (const Accident accident : {Accident::kTimesOutUndone, Accident::kTimesOutDone}) {
    PoolOfThree story;
    story.store().Plan("Extract", accident);
    Ask(story, "c1", "r1", 2);
    const std::string id = AskedId(story);

    story.Project();

    EXPECT_EQ(ExtractionRowOf(story, id).phase, ExtractionPhase::kStanding);
    EXPECT_THAT(ExtractionRowOf(story, id).specs, SizeIs(2));
    EXPECT_THAT(story.Differences(), IsEmpty());
  }
}

// The client was told POOL_UNAVAILABLE: whatever the store has done, nobody has anything of it.
TEST(Projector, AnIntentThatNobodyWaitsForAnyMoreIsGivenBack) {
  for (const Accident accident : {Accident::kTimesOutUndone, Accident::kTimesOutDone}) {
    PoolOfThree story;
    story.store().Plan("Extract", accident);
    Ask(story, "c1", "r1", 2);
    const std::string id = AskedId(story);
    story.StepOnce();
    while (story.projector().ready()) story.StepOnce();
    story.store().SetAway(true);
    story.Advance(seconds(3));
    story.TickSessions();
    ASSERT_EQ(ExtractionRowOf(story, id).phase, ExtractionPhase::kDoubted);

    story.store().SetAway(false);
    story.Project();

    EXPECT_EQ(story.state().extractions().Find(id).value(), 0u);
    const bool was_asked = accident == Accident::kTimesOutDone;
    EXPECT_EQ(GivenBackBecause(story, id), was_asked ? GiveBackReason::kDoubted : GiveBackReason::kCancelled);
    EXPECT_THAT(story.Differences(), IsEmpty());
    for (const pool::AddressRow& row : story.StoredAddresses()) EXPECT_EQ(row.state, AddressState::kUnowned);
  }
}

TEST(Projector, WithTheStoreAwayAClientIsToldAtOnceAndNothingIsHeld) {
  PoolOfThree story;
  story.store().SetAway(true);
  story.Import(Items(4, 4));
  story.Project();
  EXPECT_EQ(story.projector().status().phase, ProjectorPhase::kMeeting);

  Ask(story, "c1", "r1", 2);
  const std::string id = AskedId(story);
  story.Project();
  EXPECT_EQ(story.state().extractions().Find(id).value(), 0u);

  story.store().SetAway(false);
  story.Project();
  EXPECT_THAT(story.Differences(), IsEmpty());
  EXPECT_EQ(CountOf(story, PoolStoreVerdict::kBehind), 1u);  // when it was new
}

TEST(Projector, AStoreThatLostItsLastWritesIsBroughtBackFromTheLog) {
  PoolOfThree story;
  story.store().Keep();
  const auto given = [&] {
    Ask(story, "c1", "r1", 1);
    const std::string id = AskedId(story);
    story.Project();
    return id;
  }();
  Worker worker = story.Active("w1");
  story.Project();
  story.store().FallBack();
  story.Import(Items(4, 4));

  story.Project();

  EXPECT_EQ(ExtractionRowOf(story, given).phase, ExtractionPhase::kStanding);
  EXPECT_THAT(story.Differences(), IsEmpty());
  EXPECT_EQ(CountOf(story, PoolStoreVerdict::kBehind), 1u);
  EXPECT_EQ(story.projector().status().counts.strays, 0u);
}

// The index of the owner before loses it, although nobody here saw it change.
TEST(Projector, WhatWasReleasedInTheLostWritesLeavesItsOwnersIndex) {
  PoolOfThree story;
  Worker worker = story.Active("w1");
  story.Project();
  story.store().Keep();
  story.When([] {
    log::v1::Input input;
    input.mutable_reclaim_proxies()->add_proxy_ids(IdOf(1));
    return input;
  }());
  story.IssueDue();
  story.Ack(worker);
  story.Report(worker);
  story.Project();
  ASSERT_NE(story.OwnerOf(IdOf(1)), "w1");
  story.store().FallBack();
  story.Import(Items(4, 4));

  story.Project();

  EXPECT_EQ(story.projector().status().counts.strays, 0u);
  EXPECT_THAT(story.Differences(), IsEmpty());
}

TEST(Projector, WhereTheLogDoesNotReachBackItIsWrittenAnew) {
  PoolOfThree story;
  story.store().Keep();
  story.KeepTail(false);
  story.Import(Items(4, 4));
  story.Project();
  story.store().FallBack();
  story.Import(Items(5, 5));

  story.Project();

  EXPECT_EQ(story.projector().status().resyncs, 2u);
  EXPECT_THAT(story.Differences(), IsEmpty());
  EXPECT_TRUE(story.state().pool_store().usable());
}

TEST(Projector, AStoreThatLostItsDataIsWrittenAnewAndAnOpenIntentIsGivenBack) {
  PoolOfThree story;
  story.store().Plan("Extract", Accident::kTimesOutDone);
  Ask(story, "c1", "r1", 2);
  const std::string id = AskedId(story);
  story.StepOnce();
  while (story.projector().ready()) story.StepOnce();
  story.store().Empty();

  story.Project();

  EXPECT_EQ(story.state().extractions().Find(id).value(), 0u);
  EXPECT_TRUE(story.state().pool_store().usable());
  EXPECT_THAT(story.Differences(), IsEmpty());
}

TEST(Projector, AfterAStartItGoesOnFromWhereTheStoreIs) {
  PoolOfThree story;
  story.Active("w1");
  Ask(story, "c1", "r1", 1);
  story.Restart(true, seconds(1));
  story.RestartProjector();

  story.Project();

  EXPECT_EQ(story.projector().status().resyncs, 0u);
  EXPECT_TRUE(story.state().pool_store().usable());
  EXPECT_THAT(story.Differences(), IsEmpty());
}

// The daemon was killed at each point between the intent and its outcome.
TEST(Projector, AnIntentOfBeforeAStartIsSettledByWhatTheStoreSays) {
  for (const bool was_asked : {false, true}) {
    PoolOfThree story;
    Ask(story, "c1", "r1", 2);
    const std::string id = AskedId(story);
    if (was_asked) {
      story.store().Plan("Extract", Accident::kTimesOutDone);
      while (story.projector().ready()) story.StepOnce();
    }
    story.Restart(true, seconds(1));
    story.RestartProjector();

    story.Project();

    const bool stands = story.state().extractions().Find(id).value() != 0;
    EXPECT_EQ(stands, was_asked);
    EXPECT_THAT(story.Differences(), IsEmpty());
  }
}

TEST(Projector, AStoreOfAnotherLogIsNotTouchedUntilItIsAdopted) {
  ProjectedStory other;
  other.Import(Items(1, 2));
  other.Project();
  Ask(other, "c9", "r9", 1);
  const std::string given = AskedId(other);
  other.Project();

  ProjectedStory story;
  story.Import(Items(1, 2));
  LogId foreign{};
  foreign.fill(9);
  ASSERT_TRUE(story.store().inner().BeginResync({foreign, pool::ControllerEpoch(40)}, {}).ok());
  ASSERT_TRUE(story.store().inner().ClearSome({}).ok());
  const std::string text = story.state().pool().address(AddressKey(1)).text;
  pool::AddressRow row;
  row.id = text;
  row.state = AddressState::kExtracted;
  row.extraction_id = "theirs";
  row.extracted_until = story.now() + hours(1);
  const std::vector<pool::Write> rows{pool::AddressWrite{row, "", ""}};
  ASSERT_TRUE(story.store().inner().WriteResync(rows, {}).ok());
  ASSERT_TRUE(story.store().inner().FinishResync(Sequence(5), {}).ok());
  story.RestartProjector();
  story.Project();
  ASSERT_EQ(story.projector().status().phase, ProjectorPhase::kForeign);
  EXPECT_THAT(story.StoredAddresses(), SizeIs(1));

  log::v1::Input adopt;
  adopt.mutable_adopt_pool()->mutable_request()->set_reason("moved");
  log::v1::AdoptPool::Extraction* shown = adopt.mutable_adopt_pool()->add_extractions();
  shown->set_extraction_id("theirs");
  shown->add_addresses(text);
  shown->set_extracted_until(ToMicros(row.extracted_until));
  shown->set_ends_at(ToMicros(row.extracted_until) + 10'000'000);
  story.When(adopt);
  story.Project();

  EXPECT_EQ(story.projector().status().phase, ProjectorPhase::kReady);
  EXPECT_THAT(story.StoredAddresses(), SizeIs(2));
  EXPECT_THAT(story.Differences(), IsEmpty());
  EXPECT_EQ(story.store().inner().ReadPosition({})->log_id, story.state().run().log_id());
}

TEST(Projector, OneThatALaterControllerWritesIsLeftAlone) {
  PoolOfThree story;
  pool::Batch batch;
  batch.log_id = story.state().run().log_id();
  batch.controller_epoch = pool::ControllerEpoch(story.state().run().controller_epoch() + 1);
  batch.follows = story.projector().status().applied;
  batch.upto = Next(batch.follows);
  ASSERT_EQ(story.store().inner().Apply(std::vector{batch}, {})->verdict, pool::Verdict::kDone);
  story.Import(Items(4, 4));

  story.Project();

  EXPECT_EQ(story.projector().status().phase, ProjectorPhase::kSuperseded);
  EXPECT_THAT(story.StoredAddresses(), SizeIs(3));
}

// Every batch would be a repeat to it, and nothing would ever come there.
TEST(Projector, AStoreThatSaysItKnowsMoreThanTheLogIsReported) {
  PoolOfThree story;
  pool::Batch batch;
  batch.log_id = story.state().run().log_id();
  batch.controller_epoch = pool::ControllerEpoch(story.state().run().controller_epoch());
  batch.follows = story.projector().status().applied;
  batch.upto = Sequence(batch.follows.value() + 1'000);
  ASSERT_EQ(story.store().inner().Apply(std::vector{batch}, {})->verdict, pool::Verdict::kDone);
  story.Import(Items(4, 4));

  story.Project();

  EXPECT_EQ(story.projector().status().phase, ProjectorPhase::kForeign);
  EXPECT_EQ(CountOf(story, PoolStoreVerdict::kAhead), 1u);
}

TEST(Projector, ARebuildWritesEverythingAnew) {
  PoolOfThree story;
  pool::Batch batch;
  batch.log_id = story.state().run().log_id();
  batch.controller_epoch = pool::ControllerEpoch(story.state().run().controller_epoch());
  batch.follows = story.projector().status().applied;
  batch.upto = Next(batch.follows);
  batch.writes.emplace_back(pool::AddressRemoval{story.state().pool().address(AddressKey(2)).text, "", ""});
  batch.last_part = false;
  ASSERT_EQ(story.store().inner().Apply(std::vector{batch}, {})->verdict, pool::Verdict::kDone);
  ASSERT_THAT(story.Differences(), Not(IsEmpty()));

  story.projector().Rebuild();
  story.Project();

  EXPECT_EQ(story.projector().status().resyncs, 2u);
  EXPECT_THAT(story.Differences(), IsEmpty());
  EXPECT_TRUE(story.state().pool_store().usable());
}

TEST(Projector, EntriesThatChangeNothingArePassedOn) {
  PoolOfThree story;
  log::v1::Input input;
  input.mutable_disk_watched()->set_free_bytes(1);
  for (int i = 0; i < 5; ++i) story.When(input);
  story.Advance(seconds(2));

  story.Project();

  EXPECT_EQ(story.projector().status().applied, story.entries().back().point.sequence);
}

TEST(Projector, ASessionIsShownWhileItLasts) {
  PoolOfThree story;
  Worker worker = story.Active("w1");
  story.Project();
  const auto sessions = [&] { return story.store().inner().Scan({.kind = pool::ScanKind::kSessions}, {})->sessions; };
  ASSERT_THAT(sessions(), SizeIs(1));
  EXPECT_THAT(sessions().front().fields, Contains(std::pair<std::string, std::string>("state", "active")));

  story.AdvanceInSteps(seconds(30), seconds(1));
  story.Project();

  EXPECT_THAT(sessions(), IsEmpty());
}

}  // namespace
}  // namespace holdfast::testing
