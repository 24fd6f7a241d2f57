// The look at the direct path, on a clock that only the test moves.

#include "tools/checker/direct_path.h"

#include <gtest/gtest.h>

#include "tests/client/manual_scheduler.h"

namespace holdfast::checker {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kInterval(250);

class DirectPathTest : public ::testing::Test {
 protected:
  // Counts good and bad answers.
  DirectPath::Answer Counting() {
    return [this](const DirectAnswer& answer) { ++(answer.reached ? good_ : bad_); };
  }
  void EndProbe(bool reached) {
    const DirectPath::Answer ended = std::move(under_way_.front());
    under_way_.erase(under_way_.begin());
    ended({reached, std::nullopt});
  }
  DirectPath::WaiterId Ask() { return path_.Ask(echo_, scheduler_.Now(), Counting()); }

  const Question echo_{.ask = Question::Ask::kReach, .url = "http://203.0.113.1/"};
  client::ManualScheduler scheduler_;
  int begun_ = 0;
  int good_ = 0;
  int bad_ = 0;
  std::vector<DirectPath::Answer> under_way_;
  DirectPath path_{scheduler_, kInterval, [this](const Question&, DirectPath::Answer ended) {
                     ++begun_;
                     under_way_.push_back(std::move(ended));
                   }};
};

TEST_F(DirectPathTest, TheFirstQuestionIsLookedIntoAtOnceAndAllOfThatMomentShareIt) {
  for (int i = 0; i < 100; ++i) Ask();
  EXPECT_EQ(begun_, 1);

  EndProbe(true);

  EXPECT_EQ(good_, 100);
  EXPECT_EQ(begun_, 1);
}

TEST_F(DirectPathTest, AFailureIsNotExcusedByAProbeThatBeganBeforeIt) {
  Ask();
  scheduler_.Advance(milliseconds(1));
  Ask();

  EndProbe(true);
  EXPECT_EQ(good_, 1) << "the later failure waits for a later probe";
  scheduler_.Advance(kInterval);
  ASSERT_EQ(begun_, 2);
  EndProbe(false);

  EXPECT_EQ(good_, 1);
  EXPECT_EQ(bad_, 1);
}

TEST_F(DirectPathTest, ProbesBeginNoFasterThanTheInterval) {
  Ask();
  EndProbe(true);
  for (int i = 0; i < 1000; ++i) {
    scheduler_.Advance(milliseconds(1));
    Ask();
    if (!under_way_.empty()) EndProbe(true);
  }

  EXPECT_LE(begun_, 5);
  EXPECT_GE(begun_, 4);
}

TEST_F(DirectPathTest, NobodyWaitsThenNothingIsDone) {
  Ask();
  EndProbe(true);
  scheduler_.Advance(milliseconds(1));
  path_.Forget(echo_, Ask());
  scheduler_.Advance(std::chrono::seconds(10));

  EXPECT_EQ(begun_, 1);
  EXPECT_EQ(good_, 1);
}

TEST_F(DirectPathTest, OneProbeAtATimeHoweverLongItTakes) {
  Ask();
  for (int i = 0; i < 20; ++i) {
    scheduler_.Advance(kInterval);
    Ask();
  }
  EXPECT_EQ(begun_, 1);

  EndProbe(true);

  EXPECT_EQ(begun_, 2) << "for the twenty that came later";
  EndProbe(true);
  EXPECT_EQ(good_, 21);
}

TEST_F(DirectPathTest, AGoodAnswerIsKeptWithTheMomentThatItsProbeBegan) {
  const client::BootTime begun_at = scheduler_.Now();
  Ask();
  scheduler_.Advance(milliseconds(100));
  EXPECT_EQ(path_.Kept(echo_, begun_at), nullptr);
  EndProbe(true);

  EXPECT_NE(path_.Kept(echo_, begun_at), nullptr);
  EXPECT_EQ(path_.Kept(echo_, begun_at + milliseconds(1)), nullptr);

  scheduler_.Advance(kInterval);
  Ask();
  EndProbe(false);
  EXPECT_NE(path_.Kept(echo_, begun_at), nullptr) << "who we are does not change with an outage";
}

TEST_F(DirectPathTest, EndpointsAreKeptApart) {
  Question target{.ask = Question::Ask::kFetch, .url = "http://198.51.100.1/"};
  Ask();
  path_.Ask(target, scheduler_.Now(), Counting());
  target.expected_status = {404};
  path_.Ask(target, scheduler_.Now(), Counting());

  EXPECT_EQ(begun_, 3);
  EndProbe(true);
  EXPECT_EQ(good_, 1);
}

TEST_F(DirectPathTest, TargetsThatNobodyAsksAboutAreDropped) {
  for (int i = 0; i < 10'000; ++i) {
    path_.Ask({.ask = Question::Ask::kFetch, .url = "http://198.51.100.1/" + std::to_string(i)}, scheduler_.Now(),
              Counting());
    EndProbe(true);
    scheduler_.Advance(kInterval);
  }

  EXPECT_EQ(good_, 10'000);
  const Question first{.ask = Question::Ask::kFetch, .url = "http://198.51.100.1/0"};
  EXPECT_EQ(path_.Kept(first, client::BootTime()), nullptr);
}

}  // namespace
}  // namespace holdfast::checker
