// What the simulation found in the rules of checks and health, each as the shortest story of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "controller/reducer.h"
#include "tests/controller/checker_fixture.h"

namespace holdfast {
namespace {

using namespace testing;

TEST(HealthFound, ToLearnMoreOfATrustedProxyDoesNotTakeItAway) {
  Settings settings = WithoutReserve();
  settings.egress_required = true;
  Story story(settings);
  story.Import(Items(1, 1));
  const Worker owner = story.Active("w1");
  ASSERT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  Checker checker = ActiveChecker(story, "c1");

  Answer(story, checker, Always(Verdict::kPass));  // BASIC; nobody knows what comes out yet

  EXPECT_EQ(PoolOf(story, 1), PoolState::kAvailable);
  EXPECT_EQ(PoolStateOf(settings, HealthState::kAvailable, HealthState::kUnknown), PoolState::kAvailable);
}

TEST(HealthFound, WhoBeginsToTrustUncheckedProxiesTrustsThoseThatAreHalfChecked) {
  Settings settings = Checked();
  settings.egress_required = true;
  Story story(settings);
  story.Import(Items(1, 1));
  Checker checker = ActiveChecker(story, "c1");
  Answer(story, checker, Always(Verdict::kPass));
  ASSERT_EQ(PoolOf(story, 1), PoolState::kPending);
  settings.trust_unchecked = true;
  story.ChangeSettings(settings);

  story.Restart(/*same_boot=*/true, seconds(1));

  EXPECT_EQ(PoolOf(story, 1), PoolState::kAvailable);
}

// Two proxies on one address: HTTP passes, SOCKS5 fails until it is UNHEALTHY; a worker has the address.
struct HalfDead {
  HalfDead() : story(Checked()) {
    const auto socks =
        Item(1, [](auto& item) { item.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5); });
    const auto short_lived = Item(1, [&](auto& item) { *item.mutable_expires_at() = Time(story.now() + minutes(5)); });
    story.Import({short_lived, socks});
    Checker checker = ActiveChecker(story, "c1");
    worker = story.Active("w1");
    story.AdvanceInSteps(minutes(1), seconds(1), [&] {
      Answer(story, checker,
             [](const GivenTask& task) { return task.proxy_id == IdOf(1) ? Verdict::kPass : Verdict::kFail; });
      story.Report(worker);
      story.Drink(worker);
    });
    EXPECT_EQ(CountOf(story, PoolState::kUnhealthy), 1u);
    EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  }

  Story story;
  Worker worker;
};

TEST(HealthFound, WhereOnlyTheUnhealthyStaysTheAddressIsAskedBack) {
  HalfDead half;

  half.story.Remove({IdOf(1)});

  EXPECT_EQ(half.story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
}

TEST(HealthFound, WhereOnlyTheUnhealthyOutlivesTheOtherTheAddressIsAskedBack) {
  HalfDead half;

  const LogTime end =
      half.story.HoldOf(IdOf(1)).proxies.front().expires_at - half.story.state().settings().allocation_safety_margin;
  const auto live = [&] {
    half.story.Report(half.worker);
    half.story.Drink(half.worker);
  };

  half.story.AdvanceInSteps(end - half.story.now() - seconds(1), seconds(1), live);
  EXPECT_EQ(half.story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  half.story.AdvanceInSteps(seconds(1), seconds(1), live);

  EXPECT_EQ(half.story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
  EXPECT_EQ(half.story.HoldOf(IdOf(1)).revoke_reason, RevokeReason::kExpiry);
}

// Its owner's session is over and may come back: to nothing of use it does not.
TEST(HealthFound, WhatEndsWhileItsOwnerIsAwayIsNotTakenAgain) {
  for (const bool expires : {false, true}) {
    SCOPED_TRACE(expires);
    Settings settings = WithoutReserve();
    if (expires) settings.allocation_safety_margin = Duration(0);
    Story story(settings);
    story.Import({Item(1, [](auto& item) { *item.mutable_expires_at() = Time(kStart + minutes(2)); })});
    Worker worker = story.Active("w1");
    const LogTime end = kStart + minutes(2) - settings.allocation_safety_margin;
    story.AdvanceInSteps(end - story.now() - seconds(1), seconds(1), [&] {
      story.Report(worker);
      story.Drink(worker);
    });
    story.Restart(/*same_boot=*/false, Duration(0));
    ASSERT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
    ASSERT_FALSE(story.HoldOf(IdOf(1)).revoked());

    story.Advance(seconds(2));
    story.Settle();
    EXPECT_TRUE(story.HoldOf(IdOf(1)).revoked());
    story.Reconnect(worker);

    EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
  }
}

TEST(HealthFound, WhatNeverWorkedIsNotCountedAgainstWhatDoes) {
  Settings settings = Checked();
  settings.failures_to_unhealthy = 1;
  Story story(settings);
  story.Import(Items(1, 100));
  Checker checker = ActiveChecker(story, "c1", [](auto& request) { request.set_max_concurrency(200); });
  std::set<std::string> dead;
  for (int number = 1; number <= 40; ++number) dead.insert(IdOf(number));
  const Finds finds = [&](const GivenTask& task) {
    return dead.contains(task.proxy_id) ? Verdict::kFail : Verdict::kPass;
  };
  Answer(story, checker, finds);
  ASSERT_EQ(CountOf(story, PoolState::kUnhealthy), 40u);

  dead.insert(IdOf(100));  // the first that had worked
  Check(story, {&checker}, seconds(59), finds);

  EXPECT_EQ(PoolOf(story, 100), PoolState::kUnhealthy);
  EXPECT_TRUE(story.state().guard().freezes().empty());
}

admin::v1::RoutingSpec GoldenRouting() {
  admin::v1::RoutingSpec routing = Routing("gold");
  (*routing.mutable_routing()->mutable_proxy_labels())["tier"] = "gold";
  routing.add_targets()->set_url("http://198.51.100.1/");
  return routing;
}

// A proxy that is checked for a routing whose labels it then carries no more.
struct Relabelled {
  Relabelled() : story(Checked()) {
    admin::v1::RoutingSpec other = Routing("other");
    other.add_targets()->set_url("http://198.51.100.2/");
    story.Apply({GoldenRouting(), other});
    story.Import({Item(1, [](auto& item) { (*item.mutable_labels())["tier"] = "gold"; })});
    checker = ActiveChecker(story, "c1");
    Answer(story, checker, Always(Verdict::kPass));
    story.Settle();
  }

  // Its TARGET task of "gold".
  GivenTask Golden() const {
    for (const GivenTask& task : TasksOf(story, checker)) {
      if (task.routing_id == "gold") return task;
    }
    ADD_FAILURE() << "none is under way";
    return {};
  }
  GivenTask Basic() {
    log::v1::Input ask;
    ask.mutable_check_proxy()->set_proxy_id(IdOf(1));
    ask.mutable_check_proxy()->set_level(controlplane::v1::CHECK_LEVEL_BASIC);
    story.When(ask);
    story.Settle();
    for (const GivenTask& task : TasksOf(story, checker)) {
      if (task.level == CheckLevel::kBasic) return task;
    }
    ADD_FAILURE() << "none is under way";
    return {};
  }

  Story story;
  Checker checker;
};

TEST(HealthFound, WhatOneReportMakesVoidItDoesNotCountAsWell) {
  for (const bool basic_first : {true, false}) {
    SCOPED_TRACE(basic_first);
    Relabelled relabelled;
    const auto target = Observe(relabelled.Golden(), Verdict::kPass);
    const auto basic = Observe(relabelled.Basic(), Verdict::kPass);
    relabelled.story.Import({Item(1)});

    const Decision& decision = Report(relabelled.story, relabelled.checker,
                                      basic_first ? std::vector{basic, target} : std::vector{target, basic});

    const auto& reply = ReplyOf<controlplane::v1::ReportObservationsResponse>(decision);
    EXPECT_EQ(reply.unknown_task_ids_size(), basic_first ? 1 : 0);
    EXPECT_EQ(EventsOf<CheckCancelled>(decision).size(), basic_first ? 1u : 0u);
    EXPECT_EQ(EventsOf<CheckObserved>(decision).size(), basic_first ? 1u : 2u);
  }
}

TEST(HealthFound, NothingIsGivenOutThatThePlanOfTheSameDecisionDrops) {
  Relabelled relabelled;
  Story& story = relabelled.story;
  Answer(story, relabelled.checker, Always(Verdict::kPass));
  story.Import({Item(1)});         // without the label
  story.Apply({GoldenRouting()});  // without the other routing
  story.Advance(minutes(6));       // both TARGETs are due, and nobody has looked meanwhile

  story.Check();

  const std::vector<GivenTask> tasks = TasksOf(story, relabelled.checker);
  for (const GivenTask& task : tasks) EXPECT_NE(task.level, CheckLevel::kTarget);
}

// Its TARGET check of "gold" fails until it is marked for it.
std::vector<std::string> MarkedOf(const Story& story) {
  std::vector<std::string> ids;
  const ProxyKey proxy = story.state().pool().FindProxy(IdOf(1));
  for (const RoutingKey routing : story.state().health().proxy(proxy).marked) {
    ids.push_back(story.state().routings().Find(routing)->routing_id);
  }
  return ids;
}

struct Marked : Relabelled {
  Marked() {
    story.AdvanceInSteps(minutes(6), seconds(1), [&] {
      Answer(story, checker,
             [](const GivenTask& task) { return task.routing_id == "gold" ? Verdict::kFail : Verdict::kPass; });
    });
    EXPECT_THAT(MarkedOf(story), ::testing::ElementsAre("gold"));
  }
};

TEST(HealthFound, WhatIsPlannedAnewWhenACheckIsDueIsMarkedAnewAsWell) {
  Marked marked;
  Story& story = marked.story;
  admin::v1::RoutingSpec untargeted = GoldenRouting();
  untargeted.clear_targets();
  story.Apply({untargeted});
  story.Advance(minutes(11));

  story.Check();

  EXPECT_THAT(MarkedOf(story), ::testing::IsEmpty());
}

TEST(HealthFound, ARoutingThatAsksNothingAnyMoreIsServedAtTheNextLook) {
  Marked marked;
  Story& story = marked.story;
  admin::v1::RoutingSpec untargeted = GoldenRouting();
  untargeted.clear_targets();
  story.Apply({untargeted});
  EXPECT_THAT(MarkedOf(story), ::testing::ElementsAre("gold"));

  Report(story, marked.checker, {Observe(marked.Basic(), Verdict::kPass)});

  EXPECT_THAT(MarkedOf(story), ::testing::IsEmpty());
}

}  // namespace
}  // namespace holdfast
