// What is checked when, by whom, and what becomes of a task.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/controller/checker_fixture.h"
#include "tests/controller/operator_inputs.h"

namespace holdfast {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::vector<std::string> ProxiesOf(const std::vector<GivenTask>& tasks) {
  std::vector<std::string> ids;
  for (const GivenTask& task : tasks) ids.push_back(task.proxy_id);
  return ids;
}

EditChecker AtOnce(std::uint32_t most) {
  return [most](auto& request) { request.set_max_concurrency(most); };
}

admin::v1::RoutingSpec RoutingTo(const std::string& id, const std::vector<std::string>& urls) {
  admin::v1::RoutingSpec routing = Routing(id);
  for (const std::string& url : urls) routing.add_targets()->set_url(url);
  return routing;
}

TEST(DecideCheck, ANewProxyIsDueAtOnceAndGoesToAnActiveChecker) {
  Story story(Checked());
  story.Import(Items(1, 1));

  const Checker checker = ActiveChecker(story, "c1");

  const std::vector<GivenTask> tasks = TasksOf(story, checker);
  ASSERT_THAT(ProxiesOf(tasks), ElementsAre(IdOf(1)));
  EXPECT_EQ(tasks[0].level, CheckLevel::kBasic);
  EXPECT_EQ(tasks[0].deadline, story.now() + seconds(12));
  EXPECT_EQ(PoolOf(story, 1), PoolState::kPending);
}

TEST(DecideCheck, NeverTwoTasksForOneKey) {
  Story story(Checked());
  story.Import(Items(1, 1));
  const Checker first = ActiveChecker(story, "c1");

  const Checker second = ActiveChecker(story, "c2");
  story.AdvanceInSteps(seconds(5), seconds(1));

  EXPECT_THAT(TasksOf(story, first), SizeIs(1));
  EXPECT_THAT(TasksOf(story, second), IsEmpty());
}

TEST(DecideCheck, ACheckerIsGivenNoMoreThanItTakesAndTheRestWaits) {
  Story story(Checked());
  story.Import(Items(1, 5));

  Checker checker = ActiveChecker(story, "c1", AtOnce(2));

  EXPECT_THAT(ProxiesOf(TasksOf(story, checker)), ElementsAre(IdOf(1), IdOf(2)));
  Answer(story, checker, Always(Verdict::kPass));
  story.Settle();
  EXPECT_THAT(ProxiesOf(TasksOf(story, checker)), ElementsAre(IdOf(3), IdOf(4)));
}

TEST(DecideCheck, TheOneThatCarriesLeastForWhatItTakesIsGivenTheNext) {
  Story story(Checked());
  const Checker small = ActiveChecker(story, "a", AtOnce(2));
  const Checker large = ActiveChecker(story, "b", AtOnce(8));

  story.Import(Items(1, 5));
  story.Settle();

  EXPECT_THAT(TasksOf(story, small), SizeIs(1));
  EXPECT_THAT(TasksOf(story, large), SizeIs(4));
}

TEST(DecideCheck, ItsZoneComesBeforeLoadAsLongAsThatHasASlot) {
  Story story(Checked());
  const Checker near =
      ActiveChecker(story, "near", [](auto& request) { request.set_zone("eu"), request.set_max_concurrency(2); });
  const Checker far = ActiveChecker(story, "far");
  std::vector<admin::v1::ProxySpec> items = Items(1, 3);
  for (admin::v1::ProxySpec& item : items) item.set_zone("eu");

  story.Import(items);
  story.Settle();

  EXPECT_THAT(ProxiesOf(TasksOf(story, near)), ElementsAre(IdOf(1), IdOf(2)));
  EXPECT_THAT(ProxiesOf(TasksOf(story, far)), ElementsAre(IdOf(3)));
}

TEST(DecideCheck, WhoCouldConcludeNothingIsAskedAfterOthers) {
  Story story(Checked());
  story.Import(Items(1, 1));
  Checker lost = ActiveChecker(story, "a");
  Checker other = ActiveChecker(story, "b");
  ASSERT_THAT(TasksOf(story, lost), SizeIs(1));

  Answer(story, lost, Always(Verdict::kInconclusive));
  story.AdvanceInSteps(seconds(10), seconds(1), [&] { Report(story, lost, {}), Report(story, other, {}); });
  EXPECT_THAT(TasksOf(story, lost), IsEmpty());
  EXPECT_THAT(TasksOf(story, other), SizeIs(1));
  Answer(story, other, Always(Verdict::kInconclusive));
  story.AdvanceInSteps(seconds(20), seconds(1), [&] { Report(story, lost, {}), Report(story, other, {}); });

  EXPECT_THAT(TasksOf(story, lost), SizeIs(1));
}

TEST(DecideCheck, AProxyWithASecretWaitsForOneThatResolvesIt) {
  Story story(Checked());
  story.Import({Item(1, [](auto& item) { item.set_secret_ref("s1"); })});
  const Checker blind = ActiveChecker(story, "blind", [](auto& request) { request.clear_capabilities(); });
  EXPECT_THAT(TasksOf(story, blind), IsEmpty());

  const Checker resolving = ActiveChecker(story, "resolving");

  EXPECT_THAT(TasksOf(story, resolving), SizeIs(1));
}

TEST(DecideCheck, ACheckerIsGivenOnlyItsLevels) {
  Story story(Checked());
  story.Import(Items(1, 1));

  const Checker checker = ActiveChecker(story, "c1", [](auto& request) {
    request.clear_levels();
    request.add_levels(controlplane::v1::CHECK_LEVEL_EGRESS);
  });

  EXPECT_THAT(TasksOf(story, checker), IsEmpty());
}

TEST(DecideCheck, EgressAndTargetFollowTheFirstBasicPassAndTargetsComeInTurn) {
  Story story(Checked());
  story.Apply({RoutingTo("shop", {"http://198.51.100.1/a", "http://198.51.100.1/b"}), Routing("none")});
  story.Import(Items(1, 1));
  Checker checker = ActiveChecker(story, "c1");

  Answer(story, checker, Always(Verdict::kPass));
  story.Settle();

  const std::vector<GivenTask> tasks = TasksOf(story, checker);
  ASSERT_THAT(tasks, SizeIs(2));
  EXPECT_EQ(tasks[0].level, CheckLevel::kEgress);
  EXPECT_EQ(tasks[1].level, CheckLevel::kTarget);
  EXPECT_EQ(tasks[1].routing_id, "shop");
  EXPECT_EQ(tasks[1].target, 0u);
  std::set<std::uint32_t> targets;
  story.AdvanceInSteps(minutes(12), seconds(5), [&] {
    for (const GivenTask& task : TasksOf(story, checker)) {
      if (task.level == CheckLevel::kTarget) targets.insert(task.target);
    }
    Answer(story, checker, Always(Verdict::kPass));
  });
  EXPECT_EQ(targets, (std::set<std::uint32_t>{0, 1}));
}

TEST(DecideCheck, OnlyProxiesThatCarryTheLabelsAreCheckedForARouting) {
  Story story(Checked());
  admin::v1::RoutingSpec routing = RoutingTo("shop", {"http://198.51.100.1/"});
  (*routing.mutable_routing()->mutable_proxy_labels())["tier"] = "gold";
  story.Apply({routing});
  story.Import({Item(1), Item(2, [](auto& item) { (*item.mutable_labels())["tier"] = "gold"; })});
  Checker checker = ActiveChecker(story, "c1");

  Answer(story, checker, Always(Verdict::kPass));

  EXPECT_EQ(story.state().checks().proxy(story.state().pool().FindProxy(IdOf(1))).targets.size(), 0u);
  EXPECT_EQ(story.state().checks().proxy(story.state().pool().FindProxy(IdOf(2))).targets.size(), 1u);
}

TEST(DecideCheck, ARoutingThatGoesTakesItsChecksWithIt) {
  Story story(Checked());
  story.Apply({RoutingTo("shop", {"http://198.51.100.1/"})});
  story.Import(Items(1, 1));
  Checker checker = ActiveChecker(story, "c1");
  Answer(story, checker, Always(Verdict::kPass));
  story.Settle();
  ASSERT_THAT(TasksOf(story, checker), SizeIs(2));
  story.Apply({});

  Check(story, {&checker}, minutes(2), Always(Verdict::kPass));

  EXPECT_EQ(story.state().checks().proxy(ProxyKey(1)).targets.size(), 0u);
  for (const GivenTask& task : TasksOf(story, checker)) EXPECT_NE(task.level, CheckLevel::kTarget);
}

TEST(DecideCheck, APoolThatWasImportedAtOnceIsNotCheckedAtOnceForEver) {
  Story story(Checked());
  story.Import(Items(1, 200));
  Checker checker = ActiveChecker(story, "c1", AtOnce(1000));

  Answer(story, checker, Always(Verdict::kPass));

  std::set<std::int64_t> tenths;
  const LogTime now = story.now();
  story.state().pool().proxies().ForEach([&](ProxyKey proxy, const ProxyRow&) {
    const LogTime due = story.state().checks().proxy(proxy).basic.due_at;
    EXPECT_GT(due, now);
    EXPECT_LE(due, now + seconds(60));
    tenths.insert((due - now) / seconds(6));
  });
  EXPECT_GE(tenths.size(), 9u);
}

TEST(CheckExpires, TheSlotIsFreeTheKeyIsDueAndNothingIsSaidOfTheProxy) {
  Story story(Checked());
  story.Import(Items(1, 1));
  Checker checker = ActiveChecker(story, "c1");
  const std::uint64_t first = TasksOf(story, checker)[0].id;
  story.AdvanceInSteps(seconds(11), seconds(1), [&] { Report(story, checker, {}); });
  EXPECT_EQ(TasksOf(story, checker)[0].id, first);

  story.AdvanceInSteps(seconds(1), seconds(1), [&] { Report(story, checker, {}); });

  ASSERT_THAT(TasksOf(story, checker), SizeIs(1));
  EXPECT_NE(TasksOf(story, checker)[0].id, first);
  EXPECT_EQ(HealthOf(story, 1).state, HealthState::kUnknown);
  EXPECT_EQ(HealthOf(story, 1).failures, 0u);
}

TEST(CheckerSessions, AnObservationAtTheDeadlineIsTooLate) {
  Story story(Checked());
  story.Import(Items(1, 1));
  Checker checker = ActiveChecker(story, "c1");
  const GivenTask task = TasksOf(story, checker)[0];
  story.Advance(seconds(12));

  const Decision& decision = Report(story, checker, {Observe(task, Verdict::kFail)});

  EXPECT_EQ(ReplyOf<controlplane::v1::ReportObservationsResponse>(decision).unknown_task_ids_size(), 1);
  EXPECT_THAT(NamesOf(decision), ElementsAre("checker_heard"));
}

TEST(CheckerSessions, ASupersededOnesTasksAreDueAgainAndItsWordCountsNoMore) {
  Story story(Checked());
  story.Import(Items(1, 1));
  Checker zombie = ActiveChecker(story, "c1");
  const GivenTask task = TasksOf(story, zombie)[0];

  Checker next = ActiveChecker(story, "c1");

  EXPECT_NE(TasksOf(story, next)[0].id, task.id);
  EXPECT_EQ(ReasonOf(Report(story, zombie, {Observe(task, Verdict::kPass)})), RejectReason::kSessionSuperseded);
  Report(story, next, {Observe(task, Verdict::kPass)});
  EXPECT_EQ(HealthOf(story, 1).state, HealthState::kUnknown);
}

TEST(CheckerSessions, SilenceEndsThemAndNothingIsInherited) {
  Story story(Checked());
  story.Import(Items(1, 1));
  const Checker silent = ActiveChecker(story, "c1");
  Checker other = ActiveChecker(story, "c2");
  ASSERT_THAT(TasksOf(story, silent), SizeIs(1));

  story.AdvanceInSteps(seconds(15), seconds(1), [&] { Answer(story, other, Always(Verdict::kPass)); });

  EXPECT_FALSE(story.state().checkers().Find("c1")->open());
  EXPECT_THAT(TasksOf(story, silent), IsEmpty());
}

TEST(CheckerSessions, ADetachedOneKeepsItsTasksAndGetsNoNewOnes) {
  Story story(Checked());
  story.Import(Items(1, 1));
  Checker checker = ActiveChecker(story, "c1");
  log::v1::Input ended;
  ended.mutable_task_stream_ended()->set_checker_id("c1");
  ended.mutable_task_stream_ended()->set_session_id(checker.session);
  ended.mutable_task_stream_ended()->set_stream(checker.stream);
  story.When(ended);

  story.Import(Items(2, 2));
  story.Settle();

  EXPECT_THAT(ProxiesOf(TasksOf(story, checker)), ElementsAre(IdOf(1)));
  Answer(story, checker, Always(Verdict::kPass));
  EXPECT_EQ(PoolOf(story, 1), PoolState::kAvailable);
}

TEST(CheckerSessions, ADrainingOneIsGivenNothingAndIsOverWithItsLastTask) {
  Story story(Checked());
  story.Import(Items(1, 1));
  Checker checker = ActiveChecker(story, "c1");
  story.When(Drain("c1", [](auto& request) { request.set_kind(controlplane::v1::SESSION_KIND_CHECKER); }));
  story.Import(Items(2, 2));
  story.Settle();
  ASSERT_THAT(ProxiesOf(TasksOf(story, checker)), ElementsAre(IdOf(1)));

  const Decision& decision = Answer(story, checker, Always(Verdict::kPass));

  EXPECT_EQ(ReplyOf<controlplane::v1::ReportObservationsResponse>(decision).session_state(),
            controlplane::v1::SESSION_STATE_CLOSED);
  EXPECT_EQ(story.state().checkers().Find("c1")->close_reason, CloseReason::kDrained);
  EXPECT_TRUE(story.state().checkers().is_cordoned("c1"));
  EXPECT_FALSE(story.state().ownership().is_cordoned("c1"));  // a worker of that id is another member
}

TEST(CheckerSessions, OneThatSaysItDrainsIsTakenAtItsWordWhateverElseIsRefused) {
  Story story(Checked());
  story.Import(Items(1, 1));
  Checker checker = ActiveChecker(story, "c1");
  Report(story, checker, {});
  checker.report = 0;  // the same number again, with other content

  const Decision& decision = Report(story, checker, {}, true);

  EXPECT_EQ(ReasonOf(decision), RejectReason::kSequenceConflict);
  EXPECT_EQ(story.state().checkers().Find("c1")->state, SessionState::kDraining);
}

TEST(CheckerSessions, ARepeatedReportIsAnsweredAsTheFirstTimeAndCountsOnce) {
  Story story(Checked());
  story.Import(Items(1, 1));
  Checker checker = ActiveChecker(story, "c1");
  GivenTask unknown = TasksOf(story, checker)[0];
  unknown.id = 77;
  const std::vector<controlplane::v1::HealthObservation> seen{Observe(TasksOf(story, checker)[0], Verdict::kFail),
                                                              Observe(unknown, Verdict::kFail)};
  Report(story, checker, seen);
  --checker.report;

  const Decision& decision = Report(story, checker, seen);

  EXPECT_THAT(decision.events, IsEmpty());
  const auto& reply = ReplyOf<controlplane::v1::ReportObservationsResponse>(decision);
  EXPECT_EQ(reply.accepted_sequence(), 1u);
  EXPECT_THAT(reply.unknown_task_ids(), ElementsAre("77"));
  EXPECT_EQ(HealthOf(story, 1).failures, 1u);
}

TEST(CheckerSessions, ARestartKeepsThemOnTheSameBootAndEndsThemOnAnother) {
  for (const bool same_boot : {true, false}) {
    SCOPED_TRACE(same_boot);
    Story story(Checked());
    story.Import(Items(1, 1));
    Checker checker = ActiveChecker(story, "c1");

    story.Restart(same_boot, seconds(2));

    EXPECT_EQ(story.state().checkers().Find("c1")->open(), same_boot);
    EXPECT_FALSE(story.state().checkers().Find("c1")->attached());
    EXPECT_THAT(TasksOf(story, checker), SizeIs(same_boot ? 1 : 0));
  }
}

TEST(FinishChecks, WhatLeavesThePoolIsNotCheckedAnyMoreAndItsCheckerIsTold) {
  Story story(Checked());
  story.Import(Items(1, 1));
  const Checker checker = ActiveChecker(story, "c1");

  story.Remove({IdOf(1)});

  const std::vector<CheckCancelled> cancelled = EventsOf<CheckCancelled>(story.last());
  ASSERT_THAT(cancelled, SizeIs(1));
  EXPECT_TRUE(cancelled[0].told);
  EXPECT_THAT(TasksOf(story, checker), IsEmpty());
}

TEST(FinishChecks, AProxyIsNotCheckedBeyondItsTimeAndAgainWhenItIsRenewed) {
  Story story(Checked());
  const auto living = [&](Duration life) {
    return std::vector{Item(1, [&](auto& item) { *item.mutable_expires_at() = Time(story.now() + life); })};
  };
  story.Import(living(minutes(3)));
  Checker checker = ActiveChecker(story, "c1");

  Check(story, {&checker}, minutes(2), Always(Verdict::kPass));
  story.AdvanceInSteps(seconds(50), seconds(1), [&] { Report(story, checker, {}); });

  EXPECT_THAT(TasksOf(story, checker), IsEmpty());
  story.Import(living(hours(1)));
  story.Settle();
  EXPECT_THAT(TasksOf(story, checker), Not(IsEmpty()));
}

// fetching new proxies starved the old ones of checks.
TEST(DecideCheck, DueChecksAreServedByDueTimeAndAShortageIsTold) {
  Story story(Checked());
  story.Import(Items(1, 500));
  Checker checker = ActiveChecker(story, "c1", AtOnce(5));
  int next = 501;
  LogTime imported = story.now();

  // Five slots, a second a check: 300 a minute, and 300 new ones come each minute.
  story.AdvanceInSteps(minutes(10), seconds(1), [&] {
    if (story.now() - imported >= minutes(1)) {
      imported = story.now();
      story.Import(Items(next, next + 299));
      next += 300;
    }
    Answer(story, checker, Always(Verdict::kPass));
  });

  EXPECT_TRUE(HasAlarm(story, AlarmKind::kCheckingShort, "basic"));
  Duration oldest{}, youngest = hours(1);
  for (int number = 1; number <= 500; ++number) {
    ASSERT_EQ(PoolOf(story, number), PoolState::kAvailable) << number;
    const Duration age = story.now() - HealthOf(story, number).observed_at;
    oldest = std::max(oldest, age);
    youngest = std::min(youngest, age);
  }
  EXPECT_LE(oldest, minutes(9));  // each was looked at again, though there is always something newer
  EXPECT_GT(oldest, youngest);
}

TEST(DecideCheckProxy, ItIsDueAtOnceAndWhatCannotBeCheckedIsRefused) {
  Story story(Checked());
  story.Import(Items(1, 1));
  Checker checker = ActiveChecker(story, "c1");
  Answer(story, checker, Always(Verdict::kPass));
  Answer(story, checker, Always(Verdict::kPass));
  const auto ask = [&](const std::string& id, controlplane::v1::CheckLevel level, const std::string& routing) {
    log::v1::Input input;
    input.mutable_check_proxy()->set_proxy_id(id);
    input.mutable_check_proxy()->set_level(level);
    input.mutable_check_proxy()->set_routing_id(routing);
    return ReasonOf(story.When(input));
  };

  EXPECT_EQ(ask(IdOf(1), controlplane::v1::CHECK_LEVEL_BASIC, ""), RejectReason::kUnspecified);
  story.Settle();
  EXPECT_THAT(TasksOf(story, checker), Not(IsEmpty()));
  EXPECT_EQ(ask(IdOf(2), controlplane::v1::CHECK_LEVEL_BASIC, ""), RejectReason::kNotFound);
  EXPECT_EQ(ask(IdOf(1), controlplane::v1::CHECK_LEVEL_TARGET, "shop"), RejectReason::kNotFound);
  story.Apply({Routing("shop")});
  EXPECT_EQ(ask(IdOf(1), controlplane::v1::CHECK_LEVEL_TARGET, "shop"), RejectReason::kFailedCondition);
}

}  // namespace
}  // namespace holdfast
