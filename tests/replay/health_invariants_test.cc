// The invariants of checks and health, each broken once by events that no rule would decide.

#include "tests/replay/invariant_story.h"

namespace holdfast::replay {
namespace {

constexpr CheckerKey kChecker(1);
constexpr ProxyKey kProxy(1);
constexpr RoutingKey kNoRouting;

class HealthInvariantsTest : public Invariants {
 protected:
  HealthInvariantsTest() {
    ProxyAdded added = Added(1, 1);
    added.state = PoolState::kPending;
    Given(0, {SettingsChanged{CheckedSettings()}, added, Opened(2), CheckerAttached{kChecker, StreamId(1)}});
  }
  static Settings CheckedSettings() {
    Settings settings;
    settings.trust_unchecked = false;
    return settings;
  }
  using Invariants::Opened;
  static CheckerOpened Opened(std::uint32_t most) {
    CheckerOpened opened;
    opened.checker = kChecker;
    opened.checker_id = CheckerId("c1");
    opened.session_id = SessionId("cs1");
    opened.max_concurrency = most;
    opened.levels = LevelBit(CheckLevel::kBasic);
    return opened;
  }
  static CheckIssued Task(std::uint64_t task, std::uint32_t proxy = 1) {
    return {TaskId(task), kChecker, ProxyKey(proxy), CheckLevel::kBasic, kNoRouting, 0, At(100)};
  }
  static CheckObserved Found(std::uint64_t task, holdfast::Verdict verdict, std::uint32_t passes,
                             std::uint32_t failures) {
    CheckObserved observed;
    observed.task = TaskId(task);
    observed.checker = kChecker;
    observed.proxy = kProxy;
    observed.level = CheckLevel::kBasic;
    observed.verdict = verdict;
    observed.passes = passes;
    observed.failures = failures;
    return observed;
  }
  HealthChanged Changed(HealthState state, std::vector<std::uint64_t> tasks) const {
    HealthChanged changed{kProxy, CheckLevel::kBasic, kNoRouting, state, kChecker, {}, {}};
    for (const std::uint64_t task : tasks) {
      changed.tasks.emplace_back(task);
      changed.evidence.push_back(Sequence(found_at_.at(task)));
    }
    return changed;
  }
  // One task after the other, each found to fail.
  void GivenFailures(std::uint32_t count) {
    for (std::uint32_t i = 1; i <= count; ++i) {
      Given(i, {Task(i)});
      found_at_[i] = Next(sequence_).value();
      Given(i, {Found(i, holdfast::Verdict::kFail, 0, i)});
    }
  }

  std::map<std::uint64_t, std::uint64_t> found_at_;  // the entry of a task's observation
};

TEST_F(HealthInvariantsTest, TwoTasksForOneKeyAreTold) {
  Given(1, {Task(1)});

  EXPECT_BROKEN(Say(2, {Task(2)}), "is a second one");
}

TEST_F(HealthInvariantsTest, ATaskGoesOnlyToWhoMayHaveIt) {
  const std::vector<std::pair<std::vector<Event>, std::string>> cases = {
      {{CheckerDetached{kChecker, StreamId(1), {}}}, "no task stream"},
      {{CheckerDraining{kChecker, DrainReason::kOperator, {}}}, "drains"},
      {{CheckerClosed{kChecker, SessionId("cs1"), CloseReason::kFenced}}, "no session"},
      {{ProxyUnusable{kProxy}}, "may not be used"},
      {{Added(2, 2), Task(1, 2), Added(3, 3), Task(2, 3)}, "has 2 already"}};
  for (const auto& [before, what] : cases) {
    SCOPED_TRACE(what);
    const InvariantChecker kept = checker_;
    const Sequence at = sequence_;
    Given(1, before);
    EXPECT_BROKEN(Say(2, {Task(9)}), what);
    checker_ = kept;
    sequence_ = at;
  }
  CheckIssued egress = Task(9);
  egress.level = CheckLevel::kEgress;
  EXPECT_BROKEN(Say(2, {egress}), "not check at that level");
}

TEST_F(HealthInvariantsTest, AnObservationCountsOnlyForAnOutstandingTaskAndBeforeItsDeadline) {
  Given(1, {Task(1)});
  const InvariantChecker kept = checker_;
  const Sequence at = sequence_;

  EXPECT_BROKEN(Say(2, {Found(2, holdfast::Verdict::kPass, 1, 0)}), "is not outstanding");
  checker_ = kept;
  sequence_ = at;
  EXPECT_BROKEN(Say(100, {Found(1, holdfast::Verdict::kPass, 1, 0)}), "after its deadline");
}

TEST_F(HealthInvariantsTest, ATaskExpiresNotBeforeItsDeadline) {
  Given(1, {Task(1)});

  EXPECT_BROKEN(Say(99, {CheckExpired{TaskId(1), kChecker, kProxy, CheckLevel::kBasic, kNoRouting, At(99)}}),
                "before its deadline");
}

TEST_F(HealthInvariantsTest, ASessionDoesNotEndWithTasks) {
  Given(1, {Task(1)});

  EXPECT_BROKEN(Say(2, {CheckerClosed{kChecker, SessionId("cs1"), CloseReason::kExpired}}), "1 tasks outstanding");
}

TEST_F(HealthInvariantsTest, InconclusiveIsNotCounted) {
  Given(1, {Task(1)});

  EXPECT_BROKEN(Say(2, {Found(1, holdfast::Verdict::kInconclusive, 0, 1)}), "nothing could be concluded");
}

TEST_F(HealthInvariantsTest, AFailureCountsOne) {
  Given(1, {Task(1)});

  EXPECT_BROKEN(Say(2, {Found(1, holdfast::Verdict::kFail, 0, 3)}), "counts 3 in a row where it is 1");
}

TEST_F(HealthInvariantsTest, UnhealthyTakesThreeInARow) {
  GivenFailures(2);

  EXPECT_BROKEN(Say(3, {Changed(HealthState::kUnhealthy, {1, 2})}), "it takes 3 in a row");
}

TEST_F(HealthInvariantsTest, AChangeNamesTheObservationsThatItFollowsFrom) {
  GivenFailures(3);
  HealthChanged changed = Changed(HealthState::kUnhealthy, {1, 2, 3});
  changed.evidence[0] = Sequence(1);

  EXPECT_BROKEN(Say(3, {changed}), "names other observations");
}

TEST_F(HealthInvariantsTest, AFailureMakesNothingAvailable) {
  GivenFailures(1);

  EXPECT_BROKEN(Say(3, {Changed(HealthState::kAvailable, {1})}), "says the opposite");
}

TEST_F(HealthInvariantsTest, OutcomesAloneMakeNothingButSuspect) {
  HealthChanged changed{kProxy, CheckLevel::kBasic, kNoRouting, HealthState::kUnhealthy, CheckerKey(), {}, {}};

  EXPECT_BROKEN(Say(3, {changed}), "outcomes alone");
}

TEST_F(HealthInvariantsTest, ThePoolFollowsTheChecks) {
  GivenFailures(1);
  Given(2, {Changed(HealthState::kSuspect, {1})});

  EXPECT_BROKEN(Say(3, {ProxyStateChanged{kProxy, PoolState::kUnhealthy, CheckLevel::kBasic, kChecker}}),
                "not what its checks say");
}

// What is required and was never found out is worse than a doubt.
TEST_F(HealthInvariantsTest, WhatIsRequiredAndUnknownIsNotOfUse) {
  Settings required = CheckedSettings();
  required.egress_required = true;
  Given(0, {SettingsChanged{required}});
  GivenFailures(1);
  Given(2, {Changed(HealthState::kSuspect, {1})});

  EXPECT_BROKEN(Say(3, {ProxyStateChanged{kProxy, PoolState::kSuspect, CheckLevel::kBasic, kChecker}}),
                "not what its checks say");
  Given(3, {ProxyStateChanged{kProxy, PoolState::kPending, CheckLevel::kBasic, kChecker}});
}

TEST_F(HealthInvariantsTest, WhatIsFrozenDoesNotTurnUnhealthy) {
  Given(1, {Task(1)});
  found_at_[1] = Next(sequence_).value();
  Given(1, {Found(1, holdfast::Verdict::kPass, 1, 0)});
  Given(1, {Changed(HealthState::kAvailable, {1})});
  for (std::uint64_t task = 2; task <= 4; ++task) {
    Given(2, {Task(task)});
    found_at_[task] = Next(sequence_).value();
    Given(2, {Found(task, holdfast::Verdict::kFail, 0, static_cast<std::uint32_t>(task - 1))});
  }
  Given(3, {HealthFrozen{CheckLevel::kBasic, kNoRouting, CheckerKey(), 61, 200}});

  EXPECT_BROKEN(Say(4, {Changed(HealthState::kUnhealthy, {2, 3, 4})}), "while that is frozen");
}

}  // namespace
}  // namespace holdfast::replay
