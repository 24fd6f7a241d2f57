// What observations and outcomes make of a proxy's health, of its place in the pool, and of what its owner is shown.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "controller/reducer.h"
#include "tests/controller/checker_fixture.h"

namespace holdfast {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// One proxy that one checker looks at, again and again.
struct Looked {
  explicit Looked(const Settings& settings = Checked()) : story(settings) {
    story.Import(Items(1, 1));
    checker = ActiveChecker(story, "c1");
  }

  // Waits for the next task of the level, and answers it; those of other levels pass.
  const Decision& Next(Verdict verdict, CheckLevel level = CheckLevel::kBasic, const Finding& edit = {}) {
    const auto has = [&] {
      for (const GivenTask& task : TasksOf(story, checker)) {
        if (task.level == level) return true;
      }
      return false;
    };
    for (int second = 0; second < 1000 && !has(); ++second) {
      Answer(story, checker, Always(Verdict::kPass));
      story.Advance(seconds(1));
      story.Settle();
      if (owner) Live();
    }
    EXPECT_TRUE(has());
    return Answer(
        story, checker, [&](const GivenTask& task) { return task.level == level ? verdict : Verdict::kPass; },
        [&](controlplane::v1::HealthObservation& seen) {
          if (edit && seen.level() == static_cast<controlplane::v1::CheckLevel>(level)) edit(seen);
        });
  }

  // A worker that owns it, takes its updates and reports.
  void Own() {
    owner = story.Active("w1");
    EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  }
  void Live() {
    story.Report(*owner);
    story.Drink(*owner);
  }

  Story story;
  Checker checker;
  std::optional<Worker> owner;
};

Finding SeenAs(Anonymity anonymity) {
  return [anonymity](auto& seen) {
    seen.set_anonymity(static_cast<controlplane::v1::Anonymity>(anonymity));
    seen.set_egress_ip("203.0.113.9");
  };
}

TEST(Reducer, OnePassMakesANewProxyAvailable) {
  Looked looked;

  const Decision& decision = looked.Next(Verdict::kPass);

  EXPECT_EQ(PoolOf(looked.story, 1), PoolState::kAvailable);
  const std::vector<HealthChanged> changed = EventsOf<HealthChanged>(decision);
  ASSERT_THAT(changed, SizeIs(1));
  EXPECT_THAT(changed[0].evidence, ElementsAre(looked.story.entries().back().point.sequence));
  EXPECT_THAT(changed[0].tasks, SizeIs(1));
}

TEST(Reducer, OneFailureMakesItSuspectAndThreeInARowUnhealthyAndAllThreeAreNamed) {
  Looked looked;
  looked.Next(Verdict::kPass);
  std::vector<Sequence> failures;

  looked.Next(Verdict::kFail);
  failures.push_back(looked.story.entries().back().point.sequence);
  EXPECT_EQ(PoolOf(looked.story, 1), PoolState::kSuspect);
  looked.Next(Verdict::kFail);
  failures.push_back(looked.story.entries().back().point.sequence);
  EXPECT_EQ(PoolOf(looked.story, 1), PoolState::kSuspect);
  const Decision& third = looked.Next(Verdict::kFail);
  failures.push_back(looked.story.entries().back().point.sequence);

  EXPECT_EQ(PoolOf(looked.story, 1), PoolState::kUnhealthy);
  EXPECT_EQ(EventsOf<HealthChanged>(third)[0].evidence, failures);
}

TEST(Reducer, AFailureBetweenPassesIsNoRow) {
  Looked looked;
  looked.Next(Verdict::kPass);
  for (int i = 0; i < 5; ++i) {
    looked.Next(Verdict::kFail);
    looked.Next(Verdict::kFail);
    looked.Next(Verdict::kPass);
    EXPECT_EQ(PoolOf(looked.story, 1), PoolState::kAvailable);
  }
}

TEST(Reducer, FromUnhealthyItTakesTwoPassesInARow) {
  Looked looked;
  for (int i = 0; i < 3; ++i) looked.Next(Verdict::kFail);
  ASSERT_EQ(PoolOf(looked.story, 1), PoolState::kUnhealthy);

  looked.Next(Verdict::kPass);
  EXPECT_EQ(PoolOf(looked.story, 1), PoolState::kUnhealthy);
  looked.Next(Verdict::kFail);
  looked.Next(Verdict::kPass);
  EXPECT_EQ(PoolOf(looked.story, 1), PoolState::kUnhealthy);
  looked.Next(Verdict::kPass);

  EXPECT_EQ(PoolOf(looked.story, 1), PoolState::kAvailable);
}

TEST(Reducer, WhatFailsIsLookedAtSoonAndThenLessAndLess) {
  Looked looked;
  const auto due_in = [&] {
    return looked.story.state().checks().proxy(ProxyKey(1)).basic.due_at - looked.story.now();
  };
  std::vector<Duration> waits;

  for (int i = 0; i < 12; ++i) {
    looked.Next(Verdict::kFail);
    waits.push_back(due_in());
  }

  EXPECT_THAT(std::vector<Duration>(waits.begin(), waits.begin() + 5),
              ElementsAre(seconds(10), seconds(10), seconds(20), seconds(40), seconds(80)));
  EXPECT_EQ(waits.back(), minutes(10));
}

// A-05, its first half: nothing follows from INCONCLUSIVE.
TEST(Reducer, InconclusiveChangesNothingAndIsNotAskedAllTheTime) {
  Looked looked;
  looked.Next(Verdict::kPass);
  looked.Next(Verdict::kFail);
  const KeyHealth before = HealthOf(looked.story, 1);

  const Decision& decision = looked.Next(Verdict::kInconclusive);

  EXPECT_THAT(EventsOf<HealthChanged>(decision), IsEmpty());
  EXPECT_EQ(HealthOf(looked.story, 1).failures, before.failures);
  EXPECT_EQ(HealthOf(looked.story, 1).observed_at, before.observed_at);
  looked.Next(Verdict::kInconclusive);
  EXPECT_EQ(looked.story.state().checks().proxy(ProxyKey(1)).basic.due_at, looked.story.now() + seconds(20));
  looked.Next(Verdict::kFail);
  EXPECT_EQ(HealthOf(looked.story, 1).failures, 2u);
}

// the judge is down for ten minutes, then back.
TEST(Reducer, AJudgeThatIsSilentIsToldAndCostsNoProxy) {
  Story story(Checked());
  story.Import(Items(1, 50));
  Checker checker = ActiveChecker(story, "c1", [](auto& request) { request.set_max_concurrency(20); });
  bool judge_is_down = true;
  const Finds finds = [&](const GivenTask& task) {
    return judge_is_down && task.level == CheckLevel::kEgress ? Verdict::kInconclusive : Verdict::kPass;
  };

  Check(story, {&checker}, minutes(10), finds);

  EXPECT_TRUE(HasAlarm(story, AlarmKind::kJudgeSilent, "egress"));
  EXPECT_FALSE(HasAlarm(story, AlarmKind::kJudgeSilent, "basic"));
  EXPECT_EQ(CountOf(story, PoolState::kAvailable), 50u);
  judge_is_down = false;
  Check(story, {&checker}, minutes(11), finds);
  EXPECT_FALSE(HasAlarm(story, AlarmKind::kJudgeSilent, "egress"));
  for (int number = 1; number <= 50; ++number) {
    EXPECT_EQ(HealthOf(story, number, CheckLevel::kEgress).state, HealthState::kAvailable) << number;
  }
}

TEST(Reducer, ThePoolTakesTheWorseOfBasicAndEgress) {
  const Settings settings = Checked();
  Settings required = settings, trusting = settings;
  required.egress_required = true;
  trusting.trust_unchecked = true;
  using enum HealthState;

  EXPECT_EQ(PoolStateOf(settings, kUnknown, kUnhealthy), PoolState::kPending);
  EXPECT_EQ(PoolStateOf(settings, kAvailable, kUnknown), PoolState::kAvailable);
  EXPECT_EQ(PoolStateOf(settings, kAvailable, kSuspect), PoolState::kSuspect);
  EXPECT_EQ(PoolStateOf(settings, kSuspect, kUnhealthy), PoolState::kUnhealthy);
  EXPECT_EQ(PoolStateOf(settings, kUnhealthy, kAvailable), PoolState::kUnhealthy);
  EXPECT_EQ(PoolStateOf(required, kAvailable, kUnknown), PoolState::kPending);
  EXPECT_EQ(PoolStateOf(required, kSuspect, kUnknown), PoolState::kPending);
  EXPECT_EQ(PoolStateOf(required, kUnhealthy, kUnknown), PoolState::kUnhealthy);
  EXPECT_EQ(PoolStateOf(trusting, kUnknown, kUnknown), PoolState::kAvailable);
}

TEST(Reducer, APassThatGivesAwayMoreThanIsRequiredIsAFailure) {
  Settings settings = Checked();
  settings.egress_min_anonymity = static_cast<std::uint64_t>(Anonymity::kAnonymous);
  Looked looked(settings);
  looked.Next(Verdict::kPass);

  const Decision& decision = looked.Next(Verdict::kPass, CheckLevel::kEgress, SeenAs(Anonymity::kTransparent));

  EXPECT_EQ(EventsOf<CheckObserved>(decision)[0].verdict, Verdict::kFail);
  EXPECT_EQ(PoolOf(looked.story, 1), PoolState::kSuspect);
  EXPECT_EQ(looked.story.state().health().proxy(ProxyKey(1)).egress_ip, "203.0.113.9");
}

// ---- what follows for its owner ----------------------------------------------------------------------------------

TEST(Reducer, SuspectStaysWithItsOwnerAndIsShownAsThat) {
  Looked looked;
  looked.Next(Verdict::kPass);
  looked.Own();
  looked.Next(Verdict::kFail);
  looked.Live();

  EXPECT_EQ(looked.story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  EXPECT_EQ(looked.story.View("w1").at(IdOf(1)).state, GrantState::kSuspect);
  looked.Next(Verdict::kPass);
  looked.Live();
  EXPECT_EQ(looked.story.View("w1").at(IdOf(1)).state, GrantState::kActive);
  EXPECT_THAT(looked.story.faults(), IsEmpty());
}

TEST(Reducer, UnhealthyIsAskedBackFromItsOwnerInTheSameDecision) {
  Looked looked;
  looked.Next(Verdict::kPass);
  looked.Own();
  looked.Next(Verdict::kFail);
  looked.Next(Verdict::kFail);
  looked.Next(Verdict::kFail);

  const std::vector<OwnershipRevoked> revoked = EventsOf<OwnershipRevoked>(looked.story.last());
  ASSERT_THAT(revoked, SizeIs(1));
  EXPECT_EQ(revoked[0].reason, RevokeReason::kHealth);
  EXPECT_EQ(looked.story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
  looked.story.Drink(*looked.owner);
  looked.Live();
  EXPECT_EQ(looked.story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
  EXPECT_THAT(looked.story.faults(), IsEmpty());
}

TEST(Reducer, AnAddressStaysAsLongAsOneProxyOnItIsOfUse) {
  Story story(Checked());
  const auto socks =
      Item(1, [](auto& item) { item.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5); });
  story.Import({Item(1), socks});
  Checker checker = ActiveChecker(story, "c1");
  Worker worker = story.Active("w1");
  bool http_fails = false;
  const Finds finds = [&](const GivenTask& task) {
    return http_fails && task.proxy_id == IdOf(1) ? Verdict::kFail : Verdict::kPass;
  };
  const auto pass_time = [&](Duration duration) {
    story.AdvanceInSteps(duration, seconds(1), [&] {
      Answer(story, checker, finds);
      story.Report(worker);
      if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(worker);
    });
  };
  pass_time(seconds(2));
  ASSERT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);

  http_fails = true;
  pass_time(minutes(3));

  EXPECT_EQ(PoolOf(story, 1), PoolState::kUnhealthy);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  EXPECT_EQ(story.View("w1").at(IdOf(1)).state, GrantState::kDraining);
  EXPECT_EQ(story.View("w1").at("socks5://198.18.0.1:8080").state, GrantState::kActive);
  EXPECT_THAT(story.faults(), IsEmpty());
}

// ---- routings ----------------------------------------------------------------------------------------------------

admin::v1::RoutingSpec Shop(Anonymity least = Anonymity::kUnspecified) {
  admin::v1::RoutingSpec routing = Routing("shop");
  routing.add_targets()->set_url("http://198.51.100.1/");
  routing.set_min_anonymity(static_cast<controlplane::v1::Anonymity>(least));
  return routing;
}

TEST(Reducer, ATargetThatFailsMarksTheRoutingAndLeavesTheProxyAvailable) {
  Looked looked;
  looked.story.Apply({Shop()});
  looked.Next(Verdict::kPass);
  looked.Own();
  for (int i = 0; i < 3; ++i) looked.Next(Verdict::kFail, CheckLevel::kTarget);
  looked.Live();

  EXPECT_EQ(PoolOf(looked.story, 1), PoolState::kAvailable);
  const auto& marked = looked.story.SnapshotsOf("w1").content.at(ProxyKey(1))->unhealthy_routings;
  ASSERT_TRUE(marked);
  EXPECT_THAT(*marked, ElementsAre("shop"));
  looked.Next(Verdict::kPass, CheckLevel::kTarget);
  looked.Next(Verdict::kPass, CheckLevel::kTarget);
  EXPECT_THAT(looked.story.state().health().proxy(ProxyKey(1)).marked, IsEmpty());
  EXPECT_THAT(looked.story.faults(), IsEmpty());
}

TEST(Reducer, AProxyThatGivesAwayMoreThanARoutingAllowsDoesNotServeIt) {
  Looked looked;
  looked.story.Apply({Shop(Anonymity::kElite)});

  looked.Next(Verdict::kPass);
  EXPECT_THAT(looked.story.state().health().proxy(ProxyKey(1)).marked, SizeIs(1));  // unknown: it may
  looked.Next(Verdict::kPass, CheckLevel::kEgress, SeenAs(Anonymity::kElite));
  EXPECT_THAT(looked.story.state().health().proxy(ProxyKey(1)).marked, IsEmpty());
  looked.Next(Verdict::kPass, CheckLevel::kEgress, SeenAs(Anonymity::kAnonymous));
  EXPECT_THAT(looked.story.state().health().proxy(ProxyKey(1)).marked, SizeIs(1));

  EXPECT_EQ(PoolOf(looked.story, 1), PoolState::kAvailable);
}

// ---- outcomes ----------------------------------------------------------------------------------------------------

controlplane::v1::Outcome Outcome(controlplane::v1::OutcomePhase phase, controlplane::v1::OutcomeError error,
                                  const std::string& routing = "") {
  controlplane::v1::Outcome outcome;
  outcome.set_proxy_id(IdOf(1));
  outcome.set_routing_id(routing);
  outcome.set_phase(phase);
  outcome.set_error(error);
  return outcome;
}

const auto kGood = Outcome(controlplane::v1::OUTCOME_PHASE_TUNNEL, controlplane::v1::OUTCOME_ERROR_NONE);
const auto kUnreached = Outcome(controlplane::v1::OUTCOME_PHASE_DIAL, controlplane::v1::OUTCOME_ERROR_REFUSED);
const auto kGivenUp = Outcome(controlplane::v1::OUTCOME_PHASE_DIAL, controlplane::v1::OUTCOME_ERROR_CANCELLED);

// A worker that owns proxy 1, which is AVAILABLE, and tells what came of its requests.
struct Used : Looked {
  explicit Used(const Settings& settings = Checked()) : Looked(settings) {
    story.Apply({Shop()});
    Next(Verdict::kPass);
    Own();
  }

  const Decision& Tell(const controlplane::v1::Outcome& outcome, int times) {
    log::v1::Input input;
    controlplane::v1::ReportOutcomesRequest& request = *input.mutable_report_outcomes()->mutable_request();
    request.set_worker_id(owner->id);
    request.set_session_id(owner->session);
    request.set_ownership_epoch(owner->epoch);
    request.set_sequence(++batches);
    for (int i = 0; i < times; ++i) *request.add_outcomes() = outcome;
    return story.When(input);
  }

  std::uint64_t batches = 0;
};

TEST(Outcomes, HalfOfTheLatestThatNeverReachedItMakeItSuspectAndCheckedAtOnce) {
  Used used;
  used.Tell(kGood, 5);
  used.Tell(kUnreached, 4);
  EXPECT_EQ(PoolOf(used.story, 1), PoolState::kAvailable);

  const Decision& decision = used.Tell(kUnreached, 1);

  EXPECT_THAT(NamesOf(decision),
              ElementsAre("outcomes_accepted", "health_changed", "proxy_state_changed", "check_requested"));
  EXPECT_THAT(EventsOf<HealthChanged>(decision)[0].tasks, IsEmpty());
  used.story.Settle();
  EXPECT_THAT(TasksOf(used.story, used.checker), Not(IsEmpty()));
}

TEST(Outcomes, FewerThanFiveFailuresOrLessThanHalfAreNoSign) {
  Used used;
  used.Tell(kUnreached, 4);
  EXPECT_EQ(PoolOf(used.story, 1), PoolState::kAvailable);

  used.Tell(kGood, 6);
  used.Tell(kUnreached, 1);

  EXPECT_EQ(PoolOf(used.story, 1), PoolState::kAvailable);
}

TEST(Outcomes, OnlyTheLatestTwentyWithinAMinuteCount) {
  Used used;
  used.Tell(kUnreached, 4);
  used.story.Advance(seconds(60));
  used.Tell(kUnreached, 4);
  EXPECT_EQ(PoolOf(used.story, 1), PoolState::kAvailable);
  used.Tell(kGood, 100);

  used.Tell(kUnreached, 9);
  EXPECT_EQ(PoolOf(used.story, 1), PoolState::kAvailable);
  used.Tell(kUnreached, 1);

  EXPECT_EQ(PoolOf(used.story, 1), PoolState::kSuspect);
}

TEST(Outcomes, WhatTheClientGaveUpIsNoFailureAndNoSuccess) {
  Used used;
  used.Tell(kGivenUp, 20);
  EXPECT_EQ(PoolOf(used.story, 1), PoolState::kAvailable);

  used.Tell(kUnreached, 5);

  EXPECT_EQ(PoolOf(used.story, 1), PoolState::kSuspect);
}

TEST(Outcomes, AloneTheyNeverMakeItUnhealthy) {
  Used used;
  for (int i = 0; i < 50; ++i) used.Tell(kUnreached, 20);

  EXPECT_EQ(PoolOf(used.story, 1), PoolState::kSuspect);
}

TEST(Outcomes, WhatFailsBehindTheProxyPointsAtTheRoutingsTarget) {
  Used used;
  const auto behind =
      Outcome(controlplane::v1::OUTCOME_PHASE_RESPONSE_HEADERS, controlplane::v1::OUTCOME_ERROR_TIMEOUT, "shop");

  used.Tell(behind, 5);

  EXPECT_EQ(PoolOf(used.story, 1), PoolState::kAvailable);
  EXPECT_EQ(HealthOf(used.story, 1, CheckLevel::kTarget, "shop").state, HealthState::kSuspect);
}

TEST(Outcomes, WithoutCheckersTheyAreCountedAndNothingElse) {
  Settings trusting = Checked();
  trusting.trust_unchecked = true;
  Story story(trusting);
  story.Import(Items(1, 1));
  const Worker worker = story.Active("w1");
  log::v1::Input input;
  controlplane::v1::ReportOutcomesRequest& request = *input.mutable_report_outcomes()->mutable_request();
  request.set_worker_id(worker.id);
  request.set_session_id(worker.session);
  request.set_ownership_epoch(worker.epoch);
  request.set_sequence(1);
  for (int i = 0; i < 20; ++i) *request.add_outcomes() = kUnreached;

  EXPECT_THAT(NamesOf(story.When(input)), ElementsAre("outcomes_accepted"));
  EXPECT_EQ(PoolOf(story, 1), PoolState::kAvailable);
}

}  // namespace
}  // namespace holdfast
