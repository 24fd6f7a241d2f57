// The guard: one broken uplink must not empty the pool.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
TEST(HealthGuard, AtMostTheShareGoesDownTheRestStopsAtSuspectAndAllComesBack) {
  Story story(Checked());
  story.Import(Items(1, 200));
  Checker checker = ActiveChecker(story, "c1", AtOnce(50));
  bool down = false;
  Check(story, {&checker}, minutes(2), WhileDown(down));
  ASSERT_EQ(CountOf(story, PoolState::kAvailable), 200u);

  down = true;
  Check(story, {&checker}, minutes(5), WhileDown(down));

  EXPECT_LE(CountOf(story, PoolState::kUnhealthy), 60u);
  EXPECT_GE(CountOf(story, PoolState::kUnhealthy), 50u);
  EXPECT_EQ(CountOf(story, PoolState::kSuspect) + CountOf(story, PoolState::kUnhealthy), 200u);
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
  for (const int number : {10, 1, 2, 3}) {
    log::v1::Input ask;
    ask.mutable_check_proxy()->set_proxy_id(IdOf(number));
    ask.mutable_check_proxy()->set_level(controlplane::v1::CHECK_LEVEL_BASIC);
    story.When(ask);
    story.Settle();
    for (const GivenTask& task : TasksOf(story, checker)) {
      const bool its = task.level == CheckLevel::kBasic && task.proxy_id == IdOf(number);
      if (its) seen.push_back(Observe(task, Verdict::kFail));
    }
  }
  ASSERT_EQ(seen.size(), 4u);
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
