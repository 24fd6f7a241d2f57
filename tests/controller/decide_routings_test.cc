// Routings: one list, replaced as a whole.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {
namespace {

using admin::v1::ApplyRoutingsResponse;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DecideRoutings, AListIsAppliedUnderTheNextRevision) {
  Story story;

  const Decision& decision = story.Apply({Routing("r1", "*.Example.COM"), Routing("r2")});

  EXPECT_EQ(ReplyOf<ApplyRoutingsResponse>(decision).revision(), 1u);
  EXPECT_EQ(ReplyOf<ApplyRoutingsResponse>(decision).log_sequence(), story.entries().back().point.sequence.value());
  const std::vector<RoutingSpec>& routings = *story.state().routings().routings();
  ASSERT_EQ(routings.size(), 2u);
  EXPECT_EQ(routings[0].routing_id, "r1");
  EXPECT_THAT(routings[0].host_patterns, ElementsAre("*.example.com"));
}

TEST(DecideRoutings, EveryFieldIsKept) {
  Story story;
  admin::v1::RoutingSpec routing = Routing("r1",
                                           "b\xc3\xbc"
                                           "cher.example");
  routing.mutable_routing()->add_ports(443);
  (*routing.mutable_routing()->mutable_proxy_labels())["country"] = "NO";
  routing.mutable_routing()->add_zones("north");
  auto& target = *routing.add_targets();
  target.set_url("https://198.18.0.1/probe");
  target.add_expected_status(204);
  target.set_method("HEAD");
  target.mutable_timeout()->set_seconds(3);
  routing.set_min_anonymity(controlplane::v1::ANONYMITY_ELITE);

  story.Apply({routing});

  const RoutingSpec& kept = story.state().routings().routings()->at(0);
  EXPECT_THAT(kept.host_patterns, ElementsAre("xn--bcher-kva.example"));
  EXPECT_THAT(kept.ports, ElementsAre(443u));
  EXPECT_EQ(kept.proxy_labels.at("country"), "NO");
  EXPECT_THAT(kept.zones, ElementsAre("north"));
  EXPECT_EQ(kept.targets.at(0).url, "https://198.18.0.1/probe");
  EXPECT_THAT(kept.targets.at(0).expected_status, ElementsAre(204u));
  EXPECT_EQ(kept.targets.at(0).method, "HEAD");
  EXPECT_EQ(kept.targets.at(0).timeout, seconds(3));
  EXPECT_EQ(kept.min_anonymity, Anonymity::kElite);
}

TEST(DecideRoutings, TheSameListAgainIsNoNewRevision) {
  Story story;
  story.Apply({Routing("r1"), Routing("r2")});

  const Decision& decision = story.Apply({Routing("r1"), Routing("r2")});

  EXPECT_THAT(decision.events, IsEmpty());
  EXPECT_EQ(ReplyOf<ApplyRoutingsResponse>(decision).revision(), 1u);
}

TEST(DecideRoutings, TheOrderIsPartOfTheList) {
  Story story;
  story.Apply({Routing("r1"), Routing("r2")});

  EXPECT_EQ(ReplyOf<ApplyRoutingsResponse>(story.Apply({Routing("r2"), Routing("r1")})).revision(), 2u);
}

TEST(DecideRoutings, AnotherRevisionThanExpectedIsAFailedCondition) {
  Story story;
  story.Apply({Routing("r1")});
  log::v1::Input input;
  input.mutable_apply_routings()->set_expected_revision(0);

  const Decision& decision = story.When(input);

  EXPECT_EQ(ReasonOf(decision), RejectReason::kFailedCondition);
  EXPECT_EQ(ReplyOf<Rejection>(decision).metadata.at("current_revision"), "1");
  EXPECT_EQ(story.state().routings().routings()->size(), 1u);

  input.mutable_apply_routings()->set_expected_revision(1);
  EXPECT_EQ(ReplyOf<ApplyRoutingsResponse>(story.When(input)).revision(), 2u);
  EXPECT_THAT(*story.state().routings().routings(), IsEmpty());
}

}  // namespace
}  // namespace holdfast::testing
