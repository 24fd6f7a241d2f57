// The guard: one broken uplink must not empty the pool.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/controller/checker_fixture.h"
#include "tests/controller/operator_inputs.h"

namespace holdfast {
namespace {

using namespace testing;
using ::testing::IsEmpty;

EditChecker AtOnce(std::uint32_t most) {
  return [most](auto& request) { request.set_max_concurrency(most); };
}

Finds WhileDown(const bool& down) {
  return [&down](const GivenTask&) { return down ? Verdict::kFail : Verdict::kPass; };
}

// the uplink of all checks is gone for five minutes.
TEST(HealthGuard, WhatFailsAllAtOnceStopsAtSuspectAndAllComesBack) {
  Story story(Checked());
  story.Import(Items(1, 200));
  Checker checker = ActiveChecker(story, "c1", AtOnce(50));
  bool down = false;
  Check(story, {&checker}, minutes(2), WhileDown(down));
  ASSERT_EQ(CountOf(story, PoolState::kAvailable), 200u);

  down = true;
  Check(story, {&checker}, minutes(5), WhileDown(down));

  EXPECT_EQ(CountOf(story, PoolState::kSuspect), 200u);
  EXPECT_TRUE(HasAlarm(story, AlarmKind::kHealthFrozen, "basic"));
  down = false;
  Check(story, {&checker}, seconds(130), WhileDown(down));
  EXPECT_FALSE(HasAlarm(story, AlarmKind::kHealthFrozen, "basic"));
  EXPECT_EQ(CountOf(story, PoolState::kAvailable), 200u);
}

TEST(HealthGuard, OneCheckersBrokenUplinkHoldsItsWordAloneAndCostsFewerThanTwenty) {
  Story story(Checked());
  story.Import(Items(1, 400));
  Checker broken = ActiveChecker(story, "broken", AtOnce(50));
  Checker sound = ActiveChecker(story, "sound", AtOnce(50));
  bool down = false;
  const Finds fine = Always(Verdict::kPass);
  Check(story, {&broken, &sound}, minutes(2), fine);

  down = true;
  story.AdvanceInSteps(minutes(10), seconds(1), [&] {
    Answer(story, broken, WhileDown(down));
    Answer(story, sound, fine);
  });

  EXPECT_LT(CountOf(story, PoolState::kUnhealthy), 20u);
  EXPECT_FALSE(HasAlarm(story, AlarmKind::kHealthFrozen, "basic"));
}

TEST(HealthGuard, ItIsTheCheckerThatIsSuspectedWhereOthersPass) {
  Settings settings = Checked();
  settings.failures_to_unhealthy = 1;  // so that one word is enough
  Story story(settings);
  story.Import(Items(1, 200));
  Checker broken = ActiveChecker(story, "broken", AtOnce(50));
  Checker sound = ActiveChecker(story, "sound", AtOnce(50));
  Check(story, {&broken, &sound}, minutes(2), Always(Verdict::kPass));
  const std::uint64_t before = CountOf(story, PoolState::kUnhealthy);
  ASSERT_EQ(before, 0u);

  story.AdvanceInSteps(minutes(1), seconds(1), [&] {
    Answer(story, broken, Always(Verdict::kFail));
    Answer(story, sound, Always(Verdict::kPass));
  });

  EXPECT_TRUE(HasAlarm(story, AlarmKind::kHealthFrozen, "basic@broken"));
  EXPECT_LT(CountOf(story, PoolState::kUnhealthy), 20u);
  story.When(Fence("broken"));  // a worker of that id: none
  log::v1::Input fence = Fence("broken");
  fence.mutable_fence_session()->set_kind(controlplane::v1::SESSION_KIND_CHECKER);
  story.When(fence);
  EXPECT_FALSE(HasAlarm(story, AlarmKind::kHealthFrozen, "basic@broken"));
  EXPECT_TRUE(story.state().guard().freezes().empty());
}

TEST(HealthGuard, AListThatNeverWorkedFreezesNothing) {
  Story story(Checked());
  story.Import(Items(1, 500));
  Checker checker = ActiveChecker(story, "c1", AtOnce(1000));
  const Finds finds = [](const GivenTask& task) {
    return task.proxy_id < IdOf(1) + "~" && task.proxy_id > IdOf(1) ? Verdict::kPass : Verdict::kFail;
  };

  Check(story, {&checker}, minutes(2), finds);

  EXPECT_EQ(CountOf(story, PoolState::kUnhealthy) + CountOf(story, PoolState::kAvailable), 500u);
  EXPECT_GT(CountOf(story, PoolState::kUnhealthy), 300u);
  EXPECT_TRUE(story.state().guard().freezes().empty());
}

// A judge of addresses that answers nonsense: few are looked at in the time that the first takes to its third failure.
TEST(HealthGuard, WhereLittleIsLookedAtAMinuteTells) {
  Story story(Checked());
  story.Import(Items(1, 250));
  Checker checker = ActiveChecker(story, "c1", AtOnce(400));
  Check(story, {&checker}, minutes(11), Always(Verdict::kPass));

  Check(story, {&checker}, minutes(12),
        [](const GivenTask& task) { return task.level == CheckLevel::kEgress ? Verdict::kFail : Verdict::kPass; });

  EXPECT_LT(CountOf(story, PoolState::kUnhealthy), 20u) << "the share would be 75";
  EXPECT_TRUE(HasAlarm(story, AlarmKind::kHealthFrozen, "egress"));
  EXPECT_FALSE(HasAlarm(story, AlarmKind::kHealthFrozen, "basic"));
}

// Half of a pool that is really gone is no reason to doubt: the other half passes.
TEST(HealthGuard, AProviderThatIsGoneGoesDownAsFarAsTheShare) {
  Story story(Checked());
  story.Import(Items(1, 200));
  Checker checker = ActiveChecker(story, "c1", AtOnce(400));
  Check(story, {&checker}, minutes(2), Always(Verdict::kPass));
  std::set<std::string> gone;
  for (int number = 1; number <= 50; ++number) gone.insert(IdOf(number));

  Check(story, {&checker}, minutes(3),
        [&](const GivenTask& task) { return gone.contains(task.proxy_id) ? Verdict::kFail : Verdict::kPass; });

  EXPECT_EQ(CountOf(story, PoolState::kUnhealthy), 50u);
  EXPECT_TRUE(story.state().guard().freezes().empty());
}

// It is not lifted by what was said before it began, nor by the first that passes.
TEST(HealthGuard, AFreezeStandsForAWindowAtLeast) {
  Story story(Checked());
  story.Import(Items(1, 200));
  Checker checker = ActiveChecker(story, "c1", AtOnce(400));
  bool down = false;
  Check(story, {&checker}, minutes(2), WhileDown(down));
  down = true;
  while (!HasAlarm(story, AlarmKind::kHealthFrozen, "basic")) Check(story, {&checker}, seconds(1), WhileDown(down));
  down = false;

  Check(story, {&checker}, seconds(58), WhileDown(down));
  EXPECT_TRUE(HasAlarm(story, AlarmKind::kHealthFrozen, "basic"));
  Check(story, {&checker}, seconds(3), WhileDown(down));

  EXPECT_TRUE(story.state().guard().freezes().empty());
  EXPECT_EQ(CountOf(story, PoolState::kAvailable), 200u);
}

// One that is down at EGRESS already counts with nobody; with its BASIC gone as well it was not up for the others.
TEST(HealthGuard, TheShareIsOfWhatIsUpAtThatPointOfTheDecision) {
  Settings settings = Checked();
  settings.guard_minimum = 2;
  settings.failures_to_unhealthy = 1;
  Story story(settings);
  story.Import(Items(1, 10));
  Checker checker = ActiveChecker(story, "c1", AtOnce(50));
  const auto down_at_egress = [](const GivenTask& task) {
    return task.level == CheckLevel::kEgress && task.proxy_id == IdOf(10) ? Verdict::kFail : Verdict::kPass;
  };
  Check(story, {&checker}, minutes(11), down_at_egress);
  ASSERT_EQ(CountOf(story, PoolState::kUnhealthy), 1u);
  ASSERT_EQ(CountOf(story, PoolState::kAvailable), 9u);

  std::vector<controlplane::v1::HealthObservation> seen;
  for (const int number : {4, 5, 6, 7, 8, 9, 10, 1, 2, 3}) {
    log::v1::Input ask;
    ask.mutable_check_proxy()->set_proxy_id(IdOf(number));
    ask.mutable_check_proxy()->set_level(controlplane::v1::CHECK_LEVEL_BASIC);
    story.When(ask);
    story.Settle();
    for (const GivenTask& task : TasksOf(story, checker)) {
      const bool its = task.level == CheckLevel::kBasic && task.proxy_id == IdOf(number);
      const bool passes = number >= 4 && number <= 9;  // so that most of what is looked at does
      if (its) seen.push_back(Observe(task, passes ? Verdict::kPass : Verdict::kFail));
    }
  }
  ASSERT_EQ(seen.size(), 10u);
  Report(story, checker, seen);

  EXPECT_EQ(PoolOf(story, 2), PoolState::kUnhealthy);
  EXPECT_EQ(PoolOf(story, 3), PoolState::kSuspect) << "three of nine are more than the share";
  EXPECT_TRUE(HasAlarm(story, AlarmKind::kHealthFrozen, "basic"));
}

TEST(HealthGuard, WhatIsOverStaysOverWhenTheWindowGrows) {
  Settings settings = Checked();
  Story story(settings);
  story.Import(Items(1, 100));
  Checker checker = ActiveChecker(story, "c1", AtOnce(200));
  Check(story, {&checker}, minutes(2), Always(Verdict::kPass));
  const auto some_fail = [](const GivenTask& task) {
    return task.proxy_id == IdOf(1) || task.proxy_id == IdOf(2) ? Verdict::kFail : Verdict::kPass;
  };
  Check(story, {&checker}, minutes(2), some_fail);
  ASSERT_EQ(CountOf(story, PoolState::kUnhealthy), 2u);
  Check(story, {&checker}, minutes(2), some_fail);

  settings.guard_window = hours(1);
  story.ChangeSettings(settings);
  story.Restart(/*same_boot=*/true, seconds(1));

  EXPECT_THAT(story.state().guard().Demoted({CheckLevel::kBasic, RoutingKey()}, story.now()), IsEmpty());
}

TEST(HealthGuard, AnOperatorMaySayThatTheChecksAreRight) {
  Story story(Checked());
  story.Import(Items(1, 100));
  Checker checker = ActiveChecker(story, "c1", AtOnce(200));
  Check(story, {&checker}, minutes(2), Always(Verdict::kPass));
  Check(story, {&checker}, minutes(2), Always(Verdict::kFail));
  ASSERT_TRUE(HasAlarm(story, AlarmKind::kHealthFrozen, "basic"));

  story.When(Clear(admin::v1::ALARM_KIND_HEALTH_FROZEN, "basic"));

  EXPECT_FALSE(HasAlarm(story, AlarmKind::kHealthFrozen, "basic"));
  EXPECT_FALSE(story.state().guard().freezes().contains({{CheckLevel::kBasic, RoutingKey()}, CheckerKey()}));
}

TEST(HealthGuard, ATargetThatIsDownMarksNoMoreThanTheShare) {
  Story story(Checked());
  admin::v1::RoutingSpec routing = Routing("shop");
  routing.add_targets()->set_url("http://198.51.100.1/");
  story.Apply({routing});
  story.Import(Items(1, 200));
  Checker checker = ActiveChecker(story, "c1", AtOnce(400));
  Check(story, {&checker}, minutes(6), Always(Verdict::kPass));

  Check(story, {&checker}, minutes(12),
        [](const GivenTask& task) { return task.level == CheckLevel::kTarget ? Verdict::kFail : Verdict::kPass; });

  std::uint64_t marked = 0;
  story.state().health().proxies().ForEach([&](ProxyKey, const ProxyHealth& row) { marked += !row.marked.empty(); });
  EXPECT_EQ(CountOf(story, PoolState::kAvailable), 200u);
  EXPECT_LE(marked, 60u);
  EXPECT_TRUE(HasAlarm(story, AlarmKind::kHealthFrozen, "target/shop"));
}

}  // namespace
}  // namespace holdfast
