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
