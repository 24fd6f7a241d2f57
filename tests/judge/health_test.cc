// The judge of the pool's states: what it finds, what it leaves alone, and how long it waits.

#include "tools/judge/health_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::judge {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kSecond = 1'000'000;

class HealthJudgeTest : public ::testing::Test {
 protected:
  HealthJudgeTest() {
    settings_.basic_interval_us = 10 * kSecond;
    settings_.egress_interval_us = 20 * kSecond;
    settings_.suspect_interval_us = 2 * kSecond;
    settings_.unhealthy_max_interval_us = 30 * kSecond;
    settings_.timeout_us = 1 * kSecond;
    settings_.failures_to_unhealthy = 3;
    settings_.passes_from_unhealthy = 2;
    settings_.margin_us = 5 * kSecond;
    judge_ = std::make_unique<HealthJudge>(
        settings_, [this](const ProxyId&, std::int64_t) { return truth_; },
        [this](Violation violation) { violations_.push_back(std::move(violation)); });
  }

  // A listing of one proxy, asked for at that second and there half a second later.
  void See(std::int64_t at_seconds, admin::v1::PoolState state) {
    judge_->Hear({at_seconds * kSecond, at_seconds * kSecond + kSecond / 2, {{ProxyId("p1"), state}}});
  }

  HealthSettings settings_;
  HealthTruth truth_;
  std::vector<Violation> violations_;
  std::unique_ptr<HealthJudge> judge_;
};

// 10 s until the next check, two more 2 s apart, each over its deadline of 1 s + 2 s, and the margin.
constexpr std::int64_t kDownSeconds = 10 + 2 * 2 + 3 * 3 + 5;
// Twice the longest backoff and a deadline, and the margin.
constexpr std::int64_t kUpSeconds = 2 * (30 + 3) + 5;

TEST_F(HealthJudgeTest, TheBoundsAreReckonedFromTheSettings) {
  EXPECT_EQ(settings_.DownWithin(settings_.basic_interval_us), kDownSeconds * kSecond);
  EXPECT_EQ(settings_.UpWithin(), kUpSeconds * kSecond);
}

TEST_F(HealthJudgeTest, ALivingProxyMayWaitForTheLongestOfTheIntervals) {
  HealthSettings settings = settings_;
  settings.egress_interval_us = 90 * kSecond;

  EXPECT_EQ(settings.UpWithin(), (2 * (90 + 3) + 5) * kSecond);
}

TEST_F(HealthJudgeTest, TheDocumentedSettingsAreTheDefaults) {
  const HealthSettings settings;

  EXPECT_EQ(settings.DownWithin(settings.basic_interval_us), (60 + 2 * 10 + 3 * 12 + 30) * kSecond);
  EXPECT_EQ(settings.UpWithin(), (2 * (600 + 12) + 30) * kSecond);
}

TEST_F(HealthJudgeTest, ADeadProxyMustBeUnhealthyOnceItsTimeIsOver) {
  truth_ = {.passes_basic = false, .passes_egress = false, .since_us = 100 * kSecond};
  See(0, admin::v1::POOL_STATE_AVAILABLE);

  See(100 + kDownSeconds, admin::v1::POOL_STATE_SUSPECT);
  EXPECT_THAT(violations_, IsEmpty()) << "it has all its time";
  See(100 + kDownSeconds + 1, admin::v1::POOL_STATE_SUSPECT);

  ASSERT_THAT(violations_, SizeIs(1));
  EXPECT_EQ(violations_[0].kind, ViolationKind::kHealth);
  EXPECT_EQ(violations_[0].text,
            "proxy p1 fails every check since 100.000 s, undisturbed for 29.000 s (bound 28.000 s): "
            "POOL_STATE_SUSPECT instead of POOL_STATE_UNHEALTHY");
}

TEST_F(HealthJudgeTest, ALivingProxyMustBeAvailableOnceItsTimeIsOver) {
  truth_ = {.passes_basic = true, .passes_egress = true, .since_us = 100 * kSecond};
  See(0, admin::v1::POOL_STATE_UNHEALTHY);

  See(100 + kUpSeconds, admin::v1::POOL_STATE_UNHEALTHY);
  EXPECT_THAT(violations_, IsEmpty());
  See(100 + kUpSeconds + 1, admin::v1::POOL_STATE_UNHEALTHY);

  ASSERT_THAT(violations_, SizeIs(1));
  EXPECT_THAT(violations_[0].text, HasSubstr("POOL_STATE_UNHEALTHY instead of POOL_STATE_AVAILABLE"));
}

TEST_F(HealthJudgeTest, AFailureAtEgressHasTheTimeOfItsOwnInterval) {
  truth_ = {.passes_basic = true, .passes_egress = false, .since_us = 100 * kSecond};
  See(0, admin::v1::POOL_STATE_AVAILABLE);

  See(100 + kDownSeconds + 10, admin::v1::POOL_STATE_AVAILABLE);
  EXPECT_THAT(violations_, IsEmpty());
  See(100 + kDownSeconds + 11, admin::v1::POOL_STATE_AVAILABLE);

  ASSERT_THAT(violations_, SizeIs(1));
  EXPECT_THAT(violations_[0].text, HasSubstr("fails EGRESS"));
}

TEST_F(HealthJudgeTest, StatesThatFollowTheTruthAreCountedAndFoundGood) {
  truth_ = {.passes_basic = false, .passes_egress = false, .since_us = 0};
  See(0, admin::v1::POOL_STATE_PENDING);
  See(100, admin::v1::POOL_STATE_UNHEALTHY);
  truth_ = {.passes_basic = true, .passes_egress = true, .since_us = 100 * kSecond};
  See(300, admin::v1::POOL_STATE_AVAILABLE);

  EXPECT_THAT(violations_, IsEmpty());
  EXPECT_EQ(judge_->comparisons(), 2U);
}

TEST_F(HealthJudgeTest, ATruthThatChangedWhileTheListingWasReadProvesNothing) {
  See(0, admin::v1::POOL_STATE_AVAILABLE);
  truth_ = {.passes_basic = false, .passes_egress = false, .since_us = 500 * kSecond + 1};

  See(500, admin::v1::POOL_STATE_AVAILABLE);

  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(HealthJudgeTest, AProxyIsJudgedFromWhenItIsFirstSeen) {
  truth_ = {.passes_basic = false, .passes_egress = false, .since_us = 0};
  See(500, admin::v1::POOL_STATE_PENDING);

  See(500 + kDownSeconds, admin::v1::POOL_STATE_PENDING);
  EXPECT_THAT(violations_, IsEmpty());
  See(500 + kDownSeconds + 1, admin::v1::POOL_STATE_PENDING);

  EXPECT_THAT(violations_, SizeIs(1));
}

TEST_F(HealthJudgeTest, AProxyThatComesBackBeginsAnew) {
  truth_ = {.passes_basic = false, .passes_egress = false, .since_us = 0};
  See(0, admin::v1::POOL_STATE_PENDING);
  judge_->Hear({400 * kSecond, 400 * kSecond, {}});

  See(500, admin::v1::POOL_STATE_PENDING);

  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(HealthJudgeTest, AGapGivesEveryProxyItsWholeTimeAgain) {
  truth_ = {.passes_basic = false, .passes_egress = false, .since_us = 0};
  See(0, admin::v1::POOL_STATE_AVAILABLE);
  judge_->OnGap();
  See(500, admin::v1::POOL_STATE_AVAILABLE);
  See(500 + kDownSeconds, admin::v1::POOL_STATE_AVAILABLE);
  EXPECT_THAT(violations_, IsEmpty());

  See(500 + kDownSeconds + 1, admin::v1::POOL_STATE_AVAILABLE);

  EXPECT_THAT(violations_, SizeIs(1));
}

TEST_F(HealthJudgeTest, WhatACheckerSpoiltIsExcusedForItsProxyAlone) {
  truth_ = {.passes_basic = false, .passes_egress = false, .since_us = 0};
  const auto see_both = [&](std::int64_t at_seconds) {
    judge_->Hear({at_seconds * kSecond,
                  at_seconds * kSecond,
                  {{ProxyId("p1"), admin::v1::POOL_STATE_SUSPECT}, {ProxyId("p2"), admin::v1::POOL_STATE_SUSPECT}}});
  };
  see_both(0);

  judge_->Excuse(ProxyId("p1"), 20 * kSecond);
  see_both(kDownSeconds + 1);

  ASSERT_THAT(violations_, SizeIs(1));
  EXPECT_THAT(violations_[0].text, HasSubstr("proxy p2 "));
}

TEST_F(HealthJudgeTest, AnExcuseOfLongAgoTakesNothingBack) {
  truth_ = {.passes_basic = false, .passes_egress = false, .since_us = 0};
  See(100, admin::v1::POOL_STATE_SUSPECT);

  judge_->Excuse(ProxyId("p1"), 0);
  See(100 + kDownSeconds, admin::v1::POOL_STATE_SUSPECT);

  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(HealthJudgeTest, AViolationIsGivenOnceForEachChangeOfTheTruth) {
  truth_ = {.passes_basic = false, .passes_egress = false, .since_us = 0};
  See(0, admin::v1::POOL_STATE_AVAILABLE);
  See(100, admin::v1::POOL_STATE_AVAILABLE);
  See(200, admin::v1::POOL_STATE_AVAILABLE);
  EXPECT_THAT(violations_, SizeIs(1));
  truth_.since_us = 300 * kSecond;

  See(400, admin::v1::POOL_STATE_AVAILABLE);

  EXPECT_THAT(violations_, SizeIs(2));
}

TEST_F(HealthJudgeTest, WhatIsExtractedOrExpiredIsNotJudged) {
  truth_ = {.passes_basic = false, .passes_egress = false, .since_us = 0};
  See(0, admin::v1::POOL_STATE_EXTRACTED);

  See(500, admin::v1::POOL_STATE_EXTRACTED);
  See(600, admin::v1::POOL_STATE_EXPIRED);

  EXPECT_THAT(violations_, IsEmpty());
  EXPECT_EQ(judge_->comparisons(), 0U);
}

}  // namespace
}  // namespace holdfast::judge
