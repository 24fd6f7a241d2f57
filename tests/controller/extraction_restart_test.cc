// Extractions over restarts and moves of the clock.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/client_fixture.h"
#include "tests/controller/operator_inputs.h"

namespace holdfast {
namespace {

using namespace testing;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ExtractionRestart, OnTheSameBootAllIsKept) {
  ClientStory story;
  story.Import(Items(1, 1));
  const auto answer = Extracts(story, "c1", "r1", 1, Holding(minutes(10)));

  story.Restart(true, minutes(4));
  MeetStore(story);

  EXPECT_EQ(ExtractionRowOf(story, answer.extraction_id()).ends_at, kStart + minutes(10) + seconds(10));
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kExtracted);
  EXPECT_EQ(ReplyOf<distribution::v1::ExtractResponse>(Ask(story, "c1", "r1", 1, Holding(minutes(10)))).extraction_id(),
            answer.extraction_id());
}

TEST(ExtractionRestart, OnAnotherBootItKeepsWhatItHadLeft) {
  ClientStory story;
  story.Import(Items(1, 1));
  const auto answer = Extracts(story, "c1", "r1", 1, Holding(minutes(10)));
  story.AdvanceInSteps(minutes(4), seconds(1));
  const Duration silent = story.now() - story.state().run().last().at;

  story.Restart(false, hours(7));

  const Duration left = minutes(6) + seconds(10) + silent;
  EXPECT_EQ(ExtractionRowOf(story, answer.extraction_id()).ends_at, story.now() + left);
  EXPECT_EQ(story.state().audit().Open(AddressKey(1)).at(0).owned_until, story.now() + left);
  story.TickOwnership();
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kExtracted);
}

TEST(ExtractionRestart, AnIntentStaysOpenAndItsDowntimeIsNotCounted) {
  ClientStory story;
  story.Import(Items(1, 1));
  Ask(story, "c1", "r1", 1);
  const std::string id = AskedId(story);

  story.Restart(true, minutes(4));
  story.TickSessions();
  EXPECT_EQ(ExtractionRowOf(story, id).phase, ExtractionPhase::kAsked);
  MeetStore(story);

  EXPECT_THAT(AnswerOf(Moves(story, id)).proxies(), SizeIs(1));  // asked again under the same id
  EXPECT_EQ(ReplyOf<distribution::v1::ExtractResponse>(Ask(story, "c1", "r1", 1)).extraction_id(), id);
}

TEST(ExtractionRestart, AStartForgetsWhetherTheStoreMayBeUsed) {
  ClientStory story;
  story.Import(Items(1, 1));

  story.Restart(true, seconds(1));

  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r1", 1)), RejectReason::kPoolUnavailable);
  MeetStore(story);
  EXPECT_THAT(Extracts(story, "c1", "r1", 1).proxies(), SizeIs(1));
}

TEST(ExtractionRestart, AReleaseIsRememberedOverARestart) {
  ClientStory story;
  story.Import(Items(1, 1));
  const auto answer = Extracts(story, "c1", "r1", 1);
  Release(story, "c1", "x1", answer.extraction_id());

  story.Restart(false, hours(30));

  EXPECT_EQ(ReasonOf(Release(story, "c1", "x1", answer.extraction_id())), RejectReason::kUnspecified);
  EXPECT_THAT(story.last().events, IsEmpty());
}

TEST(ExtractionClock, AcceptingTheClockMovesEndsAndDeadlines) {
  ClientStory story;
  story.Import(Items(1, 2));
  const auto answer = Extracts(story, "c1", "r1", 1, Holding(minutes(10)));
  Ask(story, "c1", "r2", 1);
  const std::string id = AskedId(story);

  story.When(AcceptClock(hours(2)));
  story.Advance(hours(2));
  story.TickOwnership();
  story.TickSessions();

  EXPECT_EQ(ExtractionRowOf(story, answer.extraction_id()).ends_at, kStart + hours(2) + minutes(10) + seconds(10));
  EXPECT_EQ(ExtractionRowOf(story, id).phase, ExtractionPhase::kAsked);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)) == OwnershipState::kUnowned, false);
  EXPECT_EQ(story.OwnershipOf(IdOf(2)) == OwnershipState::kUnowned, false);
}

TEST(ExtractionClock, WhileSomethingIsExtractedTimeIsMarked) {
  ClientStory story;
  story.Import(Items(1, 1));
  Extracts(story, "c1", "r1", 1, Holding(hours(1)));

  EXPECT_TRUE(story.state().ownership().anything_held());
}

}  // namespace
}  // namespace holdfast
