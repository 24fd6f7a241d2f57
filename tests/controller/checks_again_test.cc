// Proxies that come back, or come back as something else, are checked for all that they now are.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "controller/proto_time.h"
#include "tests/controller/checker_fixture.h"

namespace holdfast {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

admin::v1::RoutingSpec RoutingFor(const std::string& id, const std::string& tier) {
  admin::v1::RoutingSpec routing = Routing(id);
  routing.add_targets()->set_url("http://198.51.100.1/");
  (*routing.mutable_routing()->mutable_proxy_labels())["tier"] = tier;
  return routing;
}

admin::v1::ProxySpec Living(const Story& story, Duration life, const std::string& tier) {
  return Item(1, [&](admin::v1::ProxySpec& item) {
    PutTime(story.now() + life, item.mutable_expires_at());
    (*item.mutable_labels())["tier"] = tier;
  });
}

// The levels and routings of all tasks that it is given while it finds that everything passes.
std::vector<std::pair<CheckLevel, std::string>> GivenWithin(Story& story, Checker& checker, Duration duration) {
  std::vector<std::pair<CheckLevel, std::string>> given;
  story.AdvanceInSteps(duration, seconds(1), [&] {
    for (const GivenTask& task : TasksOf(story, checker)) given.emplace_back(task.level, task.routing_id);
    Answer(story, checker, Always(Verdict::kPass));
  });
  return given;
}

TEST(ChecksAgain, AProxyThatIsRenewedAfterItsTimeIsCheckedAtEveryLevel) {
  Story story(Checked());
  story.Apply({RoutingFor("shop", "gold")});
  story.Import({Living(story, minutes(3), "gold")});
  Checker checker = ActiveChecker(story, "c1");
  GivenWithin(story, checker, seconds(110));
  story.AdvanceInSteps(seconds(30), seconds(1), [&] { Report(story, checker, {}); });
  ASSERT_THAT(TasksOf(story, checker), IsEmpty());

  story.Import({Living(story, hours(1), "gold")});
  const auto given = GivenWithin(story, checker, seconds(10));

  // BASIC may come around once more by then.
  const std::set<std::pair<CheckLevel, std::string>> kinds(given.begin(), given.end());
  EXPECT_THAT(kinds, ElementsAre(std::pair(CheckLevel::kBasic, ""), std::pair(CheckLevel::kEgress, ""),
                                 std::pair(CheckLevel::kTarget, "shop")));
}

TEST(ChecksAgain, AProxyThatIsGivenOtherLabelsIsCheckedForTheRoutingsThatItNowServes) {
  Story story(Checked());
  story.Apply({RoutingFor("shop", "gold"), RoutingFor("rest", "silver")});
  story.Import({Living(story, hours(1), "gold")});
  Checker checker = ActiveChecker(story, "c1");
  const auto before = GivenWithin(story, checker, seconds(5));

  story.Import({Living(story, hours(1), "silver")});
  const auto after = GivenWithin(story, checker, minutes(6));

  EXPECT_THAT(before, Contains(std::pair(CheckLevel::kTarget, std::string("shop"))));
  EXPECT_THAT(after, Contains(std::pair(CheckLevel::kTarget, std::string("rest"))));
  EXPECT_THAT(after, Not(Contains(std::pair(CheckLevel::kTarget, std::string("shop")))));
}

}  // namespace
}  // namespace holdfast
