// The shortest runs to two holders, and to a hang, that go through an extraction; and what others have reported of such
// services: run against the real rules.
//
// P is Item(1).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/controller/checker_fixture.h"
#include "tests/controller/client_fixture.h"
#include "tests/controller/operator_inputs.h"

namespace holdfast {
namespace {

using namespace testing;
using distribution::v1::ExtractResponse;
using distribution::v1::ReleaseResponse;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// ---- two holders ----

TEST(TwoHoldersOfExtraction, No11WhatTheStoreIsAskedForIsGrantedToNobody) {
  ClientStory story;
  story.Import(Items(1, 1));
  Ask(story, "c1", "r1", 1);
  const std::string id = AskedId(story);

  story.Active("w1");
  story.Place();

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kExtracting);
  EXPECT_THAT(story.View("w1"), IsEmpty());
  EXPECT_THAT(AnswerOf(Moves(story, id)).proxies(), SizeIs(1));
  story.Place();
  EXPECT_THAT(story.View("w1"), IsEmpty());
}

TEST(TwoHoldersOfExtraction, No12AMachineWhoseSiblingAWorkerHasIsNotExtracted) {
  ClientStory story;
  admin::v1::ProxySpec sibling = Item(1);
  sibling.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5);
  story.Import({Item(1), sibling});
  story.Active("w1");
  ASSERT_EQ(story.OwnerOf(IdOf(1)), "w1");

  const Decision asked =
      Ask(story, "c1", "r1", 1, [](auto& request) { request.add_schemes(controlplane::v1::PROXY_SCHEME_SOCKS5); });

  EXPECT_EQ(ReasonOf(asked), RejectReason::kNotEnoughProxies);
}

TEST(TwoHoldersOfExtraction, No13RemovedAndImportedAgainItIsStillWhatTheStoreIsAskedFor) {
  ClientStory story;
  story.Import(Items(1, 1));
  Ask(story, "c1", "r1", 1);
  const std::string id = AskedId(story);

  story.Remove({IdOf(1)});
  story.Import(Items(1, 1));
  story.Active("w1");

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kExtracting);
  const ExtractResponse answer = AnswerOf(Moves(story, id));
  EXPECT_THAT(answer.proxies(), SizeIs(1));
  story.Remove({IdOf(1)});
  story.Import(Items(1, 1));
  story.Settle();
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kExtracted);
  EXPECT_THAT(story.View("w1"), IsEmpty());
}

TEST(TwoHoldersOfExtraction, No13AnEndpointDoesNotChangeUnderAClient) {
  ClientStory story;
  story.Import({Item(1, [](auto& item) { item.set_proxy_id("p"); })});
  Ask(story, "c1", "r1", 1);
  const std::string id = AskedId(story);
  const auto moved = Item(2, [](auto& item) { item.set_proxy_id("p"); });

  EXPECT_EQ(story.Import({moved}).rejected(), 1u);
  Moves(story, id);
  EXPECT_EQ(story.Import({moved}).rejected(), 1u);

  Release(story, "c1", "x1", id);
  EXPECT_EQ(story.Import({moved}).updated(), 1u);
}

TEST(TwoHoldersOfExtraction, No14HealthEndsNoHoldAndAHolderHidesNoHealth) {
  ClientStory story(Checked());
  story.Import(Items(1, 1));
  Checker checker = ActiveChecker(story, "k1");
  Check(story, {&checker}, seconds(2), Always(Verdict::kPass));
  const ExtractResponse answer = Extracts(story, "c1", "r1", 1);
  ASSERT_THAT(answer.proxies(), SizeIs(1));

  Check(story, {&checker}, minutes(3), Always(Verdict::kFail));
  EXPECT_EQ(PoolOf(story, 1), PoolState::kUnhealthy);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kExtracted);
  story.Active("w1");
  Check(story, {&checker}, minutes(30), Always(Verdict::kPass));

  EXPECT_EQ(PoolOf(story, 1), PoolState::kAvailable);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kExtracted);
  EXPECT_EQ(ReasonOf(Ask(story, "c2", "r1", 1)), RejectReason::kNotEnoughProxies);
}

TEST(TwoHoldersOfExtraction, No15TheRepeatThatComesAfterTheReleaseIsNotFound) {
  ClientStory story;
  story.Import(Items(1, 1));
  const ExtractResponse first = Extracts(story, "c1", "r1", 1);
  Release(story, "c1", "x1", first.extraction_id());
  const ExtractResponse other = Extracts(story, "c2", "r1", 1);
  ASSERT_EQ(IdsOf(other), IdsOf(first));

  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r1", 1)), RejectReason::kNotFound);
  EXPECT_EQ(ExtractionRowOf(story, other.extraction_id()).phase, ExtractionPhase::kStanding);
}

// ---- hangs ----

TEST(HangsOfExtraction, No7WhatAClientWasToldToBeUnavailableIsExtractedForNobody) {
  ClientStory story;
  story.Import(Items(1, 1));
  Ask(story, "c1", "r1", 1);
  const std::string id = AskedId(story);
  KeepsSilent(story, id);

  story.Restart(true, seconds(5));
  MeetStore(story);
  const Decision asked_again = Moves(story, id);

  EXPECT_THAT(EventsOf<ProxiesExtracted>(asked_again), IsEmpty());
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
  EXPECT_THAT(Extracts(story, "c1", "r1", 1).proxies(), SizeIs(1));
}

TEST(HangsOfExtraction, No9OfAllOrNothingAPartIsNothing) {
  ClientStory story;
  story.Import(Items(1, 2));
  Ask(story, "c1", "r1", 2, [](auto& request) { request.set_all_or_nothing(true); });
  const std::string id = AskedId(story);
  const AddressKey one = ExtractionRowOf(story, id).addresses[0];
  story.Restart(true, seconds(1));
  MeetStore(story);

  Moves(story, id, {one});

  EXPECT_EQ(story.state().ownership().count(PoolState::kAvailable, OwnershipState::kUnowned), 2u);
}

// ---- what others have reported ----

TEST(ReportedOfExtraction, EndpointsThatAllFailAreNotGivenAndHowManyAreLeftIsSaid) {
  Settings settings = Checked();
  settings.guard_minimum = 5;
  ClientStory story(settings);
  story.Import(Items(1, 40));
  Checker checker = ActiveChecker(story, "k1", [](auto& request) { request.set_max_concurrency(100); });
  Check(story, {&checker}, seconds(5), Always(Verdict::kPass));
  Check(story, {&checker}, minutes(2), Always(Verdict::kFail));
  ASSERT_TRUE(HasAlarm(story, AlarmKind::kHealthFrozen, "basic"));

  const Decision asked = Ask(story, "c1", "r1", 1);

  ASSERT_EQ(ReasonOf(asked), RejectReason::kNotEnoughProxies);
  EXPECT_EQ(std::get<Rejection>(asked.reply).metadata.at("available"), "0");
  Check(story, {&checker}, minutes(12), Always(Verdict::kPass));
  EXPECT_THAT(Extracts(story, "c1", "r1", 40).proxies(), SizeIs(40));
}

TEST(ReportedOfExtraction, LimitedToOneUseUsedOnce) {
  ClientStory story;
  story.Import(Items(1, 50));
  for (int round = 0; round < 5; ++round) {
    const std::string request = "r" + std::to_string(round);
    std::vector<std::string> asked;
    int refused = 0;
    for (int client = 0; client < 100; ++client) {
      const Decision decision = Ask(story, "c" + std::to_string(client), request, 1);
      if (ReasonOf(decision) == RejectReason::kUnspecified) {
        asked.push_back(AskedId(story));
        continue;
      }
      EXPECT_EQ(ReasonOf(decision), RejectReason::kNotEnoughProxies);
      EXPECT_EQ(std::get<Rejection>(decision.reply).metadata.at("available"), "0");
      ++refused;
    }
    EXPECT_EQ(refused, 50);
    std::set<std::string> given;
    for (const std::string& id : asked) given.insert(IdsOf(AnswerOf(Moves(story, id))).at(0));
    EXPECT_THAT(given, SizeIs(50));
    for (int client = 0; client < 50; ++client) {
      Release(story, "c" + std::to_string(client), request, asked[static_cast<std::size_t>(client)]);
    }
  }
}

TEST(ReportedOfExtraction, ALateReleaseFreesNobodyElsesLock) {
  ClientStory story(Checked());
  story.Import(Items(1, 1));
  Checker checker = ActiveChecker(story, "k1");
  Check(story, {&checker}, seconds(2), Always(Verdict::kPass));
  const ExtractResponse a = Extracts(story, "a", "r1", 1, Holding(seconds(30)));
  Check(story, {&checker}, seconds(45), Always(Verdict::kPass));
  const ExtractResponse b = Extracts(story, "b", "r1", 1);
  ASSERT_EQ(IdsOf(b), IdsOf(a));

  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ReasonOf(Release(story, "a", "late", a.extraction_id())), RejectReason::kNotFound);
  }

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kExtracted);
  EXPECT_EQ(story.state().audit().Open(AddressKey(1)).at(0).client_id, "b");
}

TEST(ReportedOfExtraction, TheSameKeyWithOtherContentIsAConflict) {
  ClientStory story;
  story.Import(Items(1, 20));
  const ExtractResponse first = Extracts(story, "c1", "r1", 1);

  EXPECT_EQ(ReplyOf<ExtractResponse>(Ask(story, "c1", "r1", 1)).extraction_id(), first.extraction_id());
  EXPECT_EQ(ReasonOf(Ask(story, "c1", "r1", 5)), RejectReason::kRequestConflict);
  EXPECT_NE(Extracts(story, "c2", "r1", 1).extraction_id(), first.extraction_id());  // its own

  Ask(story, "c1", "r2", 1);  // fifty at once: the first asks the store
  const std::string id = AskedId(story);
  for (int i = 0; i < 49; ++i) EXPECT_EQ(ReasonOf(Ask(story, "c1", "r2", 1)), RejectReason::kPoolUnavailable);
  Moves(story, id);
  for (int i = 0; i < 49; ++i) {
    EXPECT_EQ(ReplyOf<ExtractResponse>(Ask(story, "c1", "r2", 1)).extraction_id(), id);
  }
}

}  // namespace
}  // namespace holdfast
