// What a client is given, and why it is given nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/proto_time.h"
#include "tests/controller/checker_fixture.h"
#include "tests/controller/client_fixture.h"

namespace holdfast {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

admin::v1::ProxySpec Sibling(int number) {
  return Item(number, [](auto& item) { item.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5); });
}
std::string SiblingId(int number) { return "socks5://198.18.0." + std::to_string(number) + ":8080"; }

admin::v1::ProxySpec Labelled(int number, const std::string& key, const std::string& value) {
  return Item(number, [&](auto& item) { (*item.mutable_labels())[key] = value; });
}
admin::v1::ProxySpec Ending(const Story& story, int number, Duration left) {
  return Item(number, [&](auto& item) { *item.mutable_expires_at() = Time(story.now() + left + minutes(1)); });
}
admin::v1::ProxySpec Secret(int number) {
  return Item(number, [](auto& item) { item.set_secret_ref("ref-1"); });
}

EditExtract AllOrNothing() {
  return [](auto& request) { request.set_all_or_nothing(true); };
}

TEST(DecideExtract, TheStoreIsAskedForWhatFitsAndTheClientGetsWhatItMoves) {
  ClientStory story;
  story.Import(Items(1, 3));

  const Decision asked = Ask(story, "c1", "r1", 2);

  const auto prepared = EventsOf<ExtractionPrepared>(asked);
  ASSERT_THAT(prepared, SizeIs(1));
  EXPECT_THAT(prepared[0].addresses, SizeIs(2));
  EXPECT_EQ(prepared[0].client_id.value(), "c1");
  EXPECT_EQ(prepared[0].deadline, story.now() + seconds(2));
  EXPECT_EQ(story.state().ownership().count(PoolState::kAvailable, OwnershipState::kExtracting), 2u);

  const distribution::v1::ExtractResponse answer = AnswerOf(Moves(story, AskedId(story)));
  EXPECT_EQ(answer.extraction_id(), prepared[0].extraction_id.value());
  EXPECT_THAT(answer.proxies(), SizeIs(2));
  EXPECT_EQ(answer.requested(), 2u);
  EXPECT_EQ(answer.log_sequence(), story.entries().back().point.sequence.value());
  EXPECT_EQ(story.state().ownership().count(PoolState::kAvailable, OwnershipState::kExtracted), 2u);
}

TEST(DecideExtract, WhatIsExtractedIsNeitherGrantedNorExtractedAgain) {
  ClientStory story;
  story.Import(Items(1, 2));
  Extracts(story, "c1", "r1", 2);

  story.Active("w1");
  const Decision other = Ask(story, "c2", "r1", 1);

  EXPECT_EQ(ReasonOf(other), RejectReason::kNotEnoughProxies);
  EXPECT_THAT(story.View("w1"), IsEmpty());
}

TEST(DecideExtract, MachinesAreCountedAndAllTheirSchemesAreHeld) {
  ClientStory story;
  story.Import({Item(1), Sibling(1), Item(2), Sibling(2)});

  const auto answer = Extracts(story, "c1", "r1", 1);

  EXPECT_THAT(answer.proxies(), SizeIs(2));
  const auto other = Extracts(story, "c2", "r1", 1);
  EXPECT_NE(other.proxies(0).endpoint().host(), answer.proxies(0).endpoint().host());
}

TEST(DecideExtract, SchemesFilterWhatIsHandedOutNotWhatIsHeld) {
  ClientStory story;
  story.Import({Item(1), Sibling(1), Item(2)});
  const EditExtract socks = [](auto& request) { request.add_schemes(controlplane::v1::PROXY_SCHEME_SOCKS5); };

  const auto answer = Extracts(story, "c1", "r1", 1, socks);

  EXPECT_THAT(IdsOf(answer), ElementsAre(SiblingId(1)));
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kExtracted);
  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r2", 1, socks)), RejectReason::kNotEnoughProxies);
}

TEST(DecideExtract, EveryLabelThatIsAskedForIsCarried) {
  ClientStory story;
  story.Import({Labelled(1, "country", "de"), Labelled(2, "country", "fr"), Item(3)});
  const EditExtract french = [](auto& request) { (*request.mutable_labels())["country"] = "fr"; };

  EXPECT_THAT(IdsOf(Extracts(story, "c1", "r1", 1, french)), ElementsAre(IdOf(2)));
  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r2", 1, french)), RejectReason::kNotEnoughProxies);
}

TEST(DecideExtract, ALabelThatAnImportChangesIsGoneBy) {
  ClientStory story;
  story.Import({Labelled(1, "country", "de")});
  story.Import({Labelled(1, "country", "fr")});

  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r1", 1, [](auto& r) { (*r.mutable_labels())["country"] = "de"; })),
            RejectReason::kNotEnoughProxies);
  EXPECT_THAT(IdsOf(Extracts(story, "c1", "r2", 1, [](auto& r) { (*r.mutable_labels())["country"] = "fr"; })),
              ElementsAre(IdOf(1)));
}

TEST(DecideExtract, WhatEndsBeforeMinRemainingIsNoCandidate) {
  ClientStory story;
  story.Import({Ending(story, 1, minutes(5)), Ending(story, 2, minutes(20)), Ending(story, 3, hours(2))});
  const EditExtract quarter = [](auto& request) { request.mutable_min_remaining()->set_seconds(900); };

  EXPECT_THAT(IdsOf(Extracts(story, "c1", "r1", 1, quarter)), ElementsAre(IdOf(2)));  // the soonest that lasts
  EXPECT_THAT(IdsOf(Extracts(story, "c1", "r2", 1, quarter)), ElementsAre(IdOf(3)));
  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r3", 1, quarter)), RejectReason::kNotEnoughProxies);
}

TEST(DecideExtract, AHoldTakesFirstWhatLastsAsLong) {
  ClientStory story;
  story.Import({Ending(story, 1, minutes(5)), Ending(story, 2, hours(5)), Ending(story, 3, hours(2))});

  EXPECT_THAT(IdsOf(Extracts(story, "c1", "r1", 2, Holding(hours(1)))), ElementsAre(IdOf(3), IdOf(2)));
  EXPECT_THAT(IdsOf(Extracts(story, "c1", "r2", 1, Holding(hours(1)))), ElementsAre(IdOf(1)));
}

TEST(DecideExtract, WithoutAHoldTheLongestIsTakenFirst) {
  ClientStory story;
  story.Import({Ending(story, 1, minutes(5)), Ending(story, 2, hours(5))});

  EXPECT_THAT(IdsOf(Extracts(story, "c1", "r1", 1)), ElementsAre(IdOf(2)));
}

TEST(DecideExtract, ASecretIsForWhoResolvesIt) {
  ClientStory story;
  story.Import({Secret(1)});

  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r1", 1)), RejectReason::kNotEnoughProxies);
  const auto answer = Extracts(story, "c1", "r2", 1, [](auto& request) { request.set_resolves_secrets(true); });
  EXPECT_EQ(answer.proxies(0).secret_ref(), "ref-1");
}

TEST(DecideExtract, OnlyWhatIsAvailableIsGiven) {
  ClientStory story(Checked());
  story.Import(Items(1, 2));
  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r1", 1)), RejectReason::kNotEnoughProxies);  // PENDING

  Checker checker = ActiveChecker(story, "k1");
  Check(story, {&checker}, seconds(2),
        [](const GivenTask& task) { return task.proxy_id == IdOf(1) ? Verdict::kPass : Verdict::kFail; });

  EXPECT_THAT(IdsOf(Extracts(story, "c1", "r2", 1)), ElementsAre(IdOf(1)));
  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r3", 1)), RejectReason::kNotEnoughProxies);
}

TEST(DecideExtract, ARoutingIsServedByWhatPassedItsCheck) {
  ClientStory story(Checked());
  story.Import(Items(1, 3));
  story.Apply({[] {
    admin::v1::RoutingSpec routing = Routing("shop");
    routing.add_targets()->set_url("https://shop.example/");
    return routing;
  }()});
  Checker checker = ActiveChecker(story, "k1");
  Check(story, {&checker}, seconds(3), [](const GivenTask& task) {
    return task.level == CheckLevel::kTarget && task.proxy_id != IdOf(2) ? Verdict::kFail : Verdict::kPass;
  });
  const EditExtract shop = [](auto& request) { request.set_routing_id("shop"); };

  EXPECT_THAT(IdsOf(Extracts(story, "c1", "r1", 1, shop)), ElementsAre(IdOf(2)));
  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r2", 1, shop)), RejectReason::kNotEnoughProxies);
  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r3", 1, [](auto& request) { request.set_routing_id("no-such"); })),
            RejectReason::kFailedCondition);
}

TEST(DecideExtract, FewerThanAskedForAreGivenWithHowManyWereAskedFor) {
  ClientStory story;
  story.Import(Items(1, 2));

  const auto answer = Extracts(story, "c1", "r1", 5);

  EXPECT_THAT(IdsOf(answer), UnorderedElementsAre(IdOf(1), IdOf(2)));
  EXPECT_EQ(answer.requested(), 5u);
}

TEST(DecideExtract, AllOrNothingIsRefusedWithHowManyThereAre) {
  ClientStory story;
  story.Import(Items(1, 2));

  const Decision refused = Ask(story, "c1", "r1", 3, AllOrNothing());

  ASSERT_EQ(ReasonOf(refused), RejectReason::kNotEnoughProxies);
  EXPECT_EQ(std::get<Rejection>(refused.reply).metadata.at("available"), "2");
  EXPECT_GT(std::get<Rejection>(refused.reply).retry_after, Duration(0));
  EXPECT_THAT(EventsOf<ExtractionPrepared>(refused), IsEmpty());
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
}

TEST(DecideExtract, TheSameRequestGetsTheSameAnswerWhileItStands) {
  ClientStory story;
  story.Import({Labelled(1, "country", "de"), Item(2)});
  const auto first = Extracts(story, "c1", "r1", 1);
  story.Advance(seconds(30));
  story.Import({Labelled(1, "country", "fr"), Labelled(2, "country", "fr")});

  const Decision again = Ask(story, "c1", "r1", 1);

  auto answer = ReplyOf<distribution::v1::ExtractResponse>(again);
  EXPECT_EQ(ReadTime(answer.server_time()), story.now());
  *answer.mutable_server_time() = first.server_time();
  EXPECT_EQ(answer.SerializeAsString(), first.SerializeAsString());
  EXPECT_THAT(again.events, IsEmpty());
}

TEST(DecideExtract, TheSameRequestWithOtherContentIsAConflict) {
  ClientStory story;
  story.Import(Items(1, 6));
  Extracts(story, "c1", "r1", 1);

  const Decision other = Ask(story, "c1", "r1", 5);

  EXPECT_EQ(ReasonOf(other), RejectReason::kRequestConflict);
  EXPECT_THAT(EventsOf<ExtractionPrepared>(other), IsEmpty());
}

TEST(DecideExtract, WhileItsIntentIsOpenARequestIsUnavailable) {
  ClientStory story;
  story.Import(Items(1, 2));
  Ask(story, "c1", "r1", 1);

  const Decision again = Ask(story, "c1", "r1", 1);

  ASSERT_EQ(ReasonOf(again), RejectReason::kPoolUnavailable);
  EXPECT_GT(std::get<Rejection>(again.reply).retry_after, Duration(0));
  EXPECT_EQ(story.state().extractions().count(ExtractionPhase::kAsked), 1u);
}

TEST(DecideExtract, DuringAWaitNothingIsReadyAndTheClientHearsForHowLong) {
  ClientStory story(WithoutReserve(), false);
  story.Import(Items(1, 2));
  story.Advance(seconds(10));

  const Decision refused = Ask(story, "c1", "r1", 1);

  ASSERT_EQ(ReasonOf(refused), RejectReason::kNotReady);
  EXPECT_EQ(std::get<Rejection>(refused.reply).retry_after, seconds(30));
  story.Advance(seconds(30));
  story.Settle();
  EXPECT_THAT(Extracts(story, "c1", "r1", 1).proxies(), SizeIs(1));
}

TEST(DecideExtract, TheCapacityOfAMachineIsTheLowestOfItsSiblings) {
  ClientStory story;
  admin::v1::ProxySpec wide = Item(1, [](auto& item) { item.set_capacity(9); });
  admin::v1::ProxySpec narrow = Sibling(1);
  narrow.set_capacity(3);
  story.Import({wide, narrow});

  const auto answer =
      Extracts(story, "c1", "r1", 1, [](auto& request) { request.add_schemes(controlplane::v1::PROXY_SCHEME_HTTP); });

  ASSERT_THAT(IdsOf(answer), ElementsAre(IdOf(1)));
  EXPECT_EQ(answer.proxies(0).capacity(), 3u);
}

TEST(DecideExtract, WhatDoesNotFitIsLookedAtOnlySoFar) {
  Settings settings = WithoutReserve();
  settings.max_batch = 10'000;
  ClientStory story(settings);
  std::vector<admin::v1::ProxySpec> items;
  for (int number = 1; number <= 6'000; ++number) {
    items.push_back(Item(1, [&](auto& item) {
      item.mutable_endpoint()->set_port(static_cast<std::uint32_t>(1'000 + number));
      // The two labels never meet, and each set is as large as the other.
      (*item.mutable_labels())[number % 2 == 0 ? "even" : "odd"] = "yes";
    }));
  }
  story.Import(items);

  const Decision refused = Ask(story, "c1", "r1", 1, [](auto& request) {
    (*request.mutable_labels())["even"] = "yes";
    (*request.mutable_labels())["odd"] = "yes";
  });

  EXPECT_EQ(ReasonOf(refused), RejectReason::kNotEnoughProxies);
}

}  // namespace
}  // namespace holdfast
