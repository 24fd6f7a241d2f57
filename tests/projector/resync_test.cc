// The projector writes the store anew: what goes wrong on the way, and that it comes to an end.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/projector/projected_story.h"

namespace holdfast::testing {
namespace {

using Accident = TroubledStore::Accident;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ProjectorResync, AStepOfAResyncThatWasLostIsDoneAgain) {
  for (const char* call : {"BeginResync", "ClearSome", "WriteResync", "FinishResync"}) {
    for (const Accident accident : {Accident::kTimesOutUndone, Accident::kTimesOutDone, Accident::kUnreachable}) {
      ProjectedStory story;
      story.Import(Items(1, 3));
      story.store().Plan(call, accident);

      story.Project();

      EXPECT_TRUE(story.state().pool_store().usable()) << call;
      EXPECT_THAT(story.Differences(), IsEmpty()) << call;
    }
  }
}

// A slice is 2,000 rows: a machine and its proxy are two.
TEST(ProjectorResync, AResyncWritesEveryRowOnceAndEndsAlsoWhereTheyFillTheirSlices) {
  for (const int machines : {1, 999, 1'000, 1'001, 3'000}) {
    ProjectedStory story;
    story.Import(Items(1, machines));

    for (int steps = 0; steps < 60 && !story.projector().ready(); ++steps) {
      story.Follow();
      story.StepOnce();
    }

    ASSERT_TRUE(story.projector().ready()) << machines;
    EXPECT_EQ(story.projector().status().written, 2u * static_cast<unsigned>(machines));
    EXPECT_THAT(story.Differences(), IsEmpty()) << machines;
  }
}

TEST(ProjectorResync, WhatChangesWhileItIsWrittenAnewIsInItAsWell) {
  ProjectedStory story;
  story.Import(Items(1, 30));
  Worker worker;
  for (int step = 0; !story.projector().ready() && step < 1'000; ++step) {
    story.StepOnce();
    if (step == 4) worker = story.Active("w1");
    if (step == 5) story.Remove({IdOf(1), IdOf(30)});
    if (step == 6) story.Drink(worker);
  }
  story.Project();

  EXPECT_THAT(story.Differences(), IsEmpty());
}

// An operator must not read "nothing waits" while most of the pool is not there yet.
TEST(ProjectorResync, WhileItIsWrittenTheStoreIsBehindSinceItWasBegun) {
  ProjectedStory story;
  story.Import(Items(1, 3'000));
  for (int steps = 0; story.projector().status().phase != pool::ProjectorPhase::kWriting && steps < 60; ++steps) {
    story.Follow();
    story.StepOnce();
  }
  story.StepOnce();
  const LogTime begun = story.now();
  story.Advance(std::chrono::seconds(7));
  story.Import(Items(3'001, 3'002));
  story.Follow();
  for (int slices = 0; slices < 2; ++slices) story.StepOnce();

  const pool::ProjectorStatus writing = story.projector().status();
  story.Project();

  ASSERT_EQ(writing.phase, pool::ProjectorPhase::kWriting);
  EXPECT_EQ(writing.waiting_since, begun);
  EXPECT_EQ(writing.waiting, 2u) << "what was imported since";
  EXPECT_TRUE(IsAbsent(story.projector().status().waiting_since));
  EXPECT_EQ(story.projector().status().waiting, 0u);
}

TEST(ProjectorResync, MoreChangesThanAreKeptMeanThatItIsWrittenAnew) {
  ProjectedStory story(WithoutReserve(), true, 10);
  story.Project();
  story.store().SetAway(true);
  story.Import(Items(1, 20));
  story.Project();

  story.store().SetAway(false);
  story.Project();

  EXPECT_EQ(story.projector().status().resyncs, 2u);
  EXPECT_THAT(story.StoredAddresses(), SizeIs(20));
  EXPECT_THAT(story.Differences(), IsEmpty());
}

}  // namespace
}  // namespace holdfast::testing
