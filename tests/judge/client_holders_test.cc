// One machine for two clients, or for a client and a worker: each way in which it can come about is found, and honest
// histories pass.

#include <gtest/gtest.h>

#include "tests/judge/client_story.h"

namespace holdfast::judge {
namespace {

using Kinds = std::vector<ViolationKind>;

const Who kWorker = Story::Process("w1", "i1");

void GiveToWorker(ClientStory& story, const std::string& host) {
  story.Register(kWorker, "s1", 7);
  story.Take(kWorker, "s1", story.Full(7, 10, 30, {GrantOf("a", host)}));
}

TEST(ClientHolders, AnHonestHistoryPasses) {
  ClientStory story;
  story.Extract("c1", "e1", {"192.0.2.1", "192.0.2.2"});
  story.Extract("c2", "e2", {"192.0.2.3"});
  story.Released(ClientStory::ReleaseOf("c1", "e1"), 2);
  story.Extract("c2", "e3", {"192.0.2.1", "192.0.2.2"});
  story.Released(ClientStory::ReleaseOf("c2", "e3"), 2);
  GiveToWorker(story, "192.0.2.1");

  EXPECT_EQ(story.Kinds(), Kinds{}) << story.Texts();
  EXPECT_EQ(story.judge().counts().extractions, 3U);
}

TEST(ClientHolders, OneMachineForTwoClientsIsFound) {
  ClientStory story;
  story.Extract("c1", "e1", {"192.0.2.1"});

  story.Extract("c2", "e2", {"192.0.2.9", "192.0.2.1"});

  ASSERT_EQ(story.Kinds(), Kinds{ViolationKind::kTwoHolders});
  for (const char* part : {"[192.0.2.1]:8080", "client c1", "client c2", "e1", "e2"}) {
    EXPECT_NE(story.violations[0].text.find(part), std::string::npos) << part << " in " << story.Texts();
  }
}

TEST(ClientHolders, TwoExtractionsOfOneClientOnOneMachineAreFound) {
  ClientStory story;
  story.Extract("c1", "e1", {"192.0.2.1"});

  story.Extract("c1", "e2", {"192.0.2.1"});

  EXPECT_EQ(story.Kinds(), Kinds{ViolationKind::kTwoHolders});
}

TEST(ClientHolders, AMachineUnderAnotherSchemeIsTheSame) {
  ClientStory story;
  story.Extract("c1", "e1", {"192.0.2.1"});
  const auto request = ClientStory::Request("c2", "e2", 1);

  story.Answered(request, story.Answer(request, "e2", {story.Proxy("192.0.2.1", "other", wire::PROXY_SCHEME_SOCKS5)}));

  EXPECT_EQ(story.Kinds(), Kinds{ViolationKind::kTwoHolders});
}

TEST(ClientHolders, WhatAWorkerMayUseIsNotForAClient) {
  ClientStory story;
  GiveToWorker(story, "192.0.2.1");

  story.Extract("c1", "e1", {"192.0.2.1"});

  ASSERT_EQ(story.Kinds(), Kinds{ViolationKind::kTwoHolders});
  for (const char* part : {"worker w1", "client c1", "version 10"}) {
    EXPECT_NE(story.violations[0].text.find(part), std::string::npos) << part << " in " << story.Texts();
  }
}

TEST(ClientHolders, WhatIsAClientsIsNotForAWorker) {
  ClientStory story;
  story.Extract("c1", "e1", {"192.0.2.1"});

  GiveToWorker(story, "192.0.2.1");

  EXPECT_EQ(story.Kinds(), Kinds{ViolationKind::kTwoHolders});
}

TEST(ClientHolders, WhatRunsThroughAWorkerCountsWhateverItsWindowSays) {
  ClientStory story;
  GiveToWorker(story, "192.0.2.1");
  story.Hear(kWorker, UseBegan{"a"});
  story.Take(kWorker, "s1", story.Full(7, 11, 30, {}));

  story.Extract("c1", "e1", {"192.0.2.1"});

  EXPECT_EQ(story.Kinds(), Kinds{ViolationKind::kTwoHolders});
}

TEST(ClientHolders, AfterTheWorkersWindowAClientMayHaveIt) {
  ClientStory too_early;
  ClientStory late_enough;
  for (ClientStory* story : {&too_early, &late_enough}) GiveToWorker(*story, "192.0.2.1");
  // 30 s and 10 s of grace, on a clock that may run 0.2 % fast: 39.92 s.
  too_early.now += 39'800'000;
  late_enough.now += 39'930'000;

  for (ClientStory* story : {&too_early, &late_enough}) story->Extract("c1", "e1", {"192.0.2.1"});

  EXPECT_EQ(too_early.Kinds(), Kinds{ViolationKind::kTwoHolders});
  EXPECT_EQ(late_enough.Kinds(), Kinds{}) << late_enough.Texts();
}

TEST(ClientHolders, AnExtractionEndsWithItsTime) {
  ClientStory too_early;
  ClientStory late_enough;
  for (ClientStory* story : {&too_early, &late_enough}) story->Extract("c1", "e1", {"192.0.2.1"}, 10);
  // 10 s less what the answer took, on a clock that may run 0.2 % fast: 9.97 s from its arrival.
  too_early.now += 9'940'000;
  late_enough.now += 9'980'000;

  for (ClientStory* story : {&too_early, &late_enough}) story->Extract("c2", "e2", {"192.0.2.1"});

  EXPECT_EQ(too_early.Kinds(), Kinds{ViolationKind::kTwoHolders});
  EXPECT_EQ(late_enough.Kinds(), Kinds{}) << late_enough.Texts();
}

TEST(ClientHolders, WhatIsGivenBackInPartIsFreeInPart) {
  ClientStory story;
  story.Extract("c1", "e1", {"192.0.2.1", "192.0.2.2"});
  story.Released(ClientStory::ReleaseOf("c1", "e1", {"192.0.2.1"}), 1);

  story.Extract("c2", "e2", {"192.0.2.1"});
  EXPECT_EQ(story.Kinds(), Kinds{}) << story.Texts();
  story.Extract("c2", "e3", {"192.0.2.2"});

  EXPECT_EQ(story.Kinds(), Kinds{ViolationKind::kTwoHolders});
}

TEST(ClientHolders, AMachineIsFreeOnceAllThatWasHandedOutOfItIsBack) {
  ClientStory half;
  const auto request = ClientStory::Request("c1", "e1", 1);
  half.Answered(request, half.Answer(request, "e1",
                                     {half.Proxy("192.0.2.1", "one"),
                                      half.Proxy("192.0.2.1", "two", wire::PROXY_SCHEME_SOCKS5)}));
  half.Released(ClientStory::ReleaseOf("c1", "e1", {"one"}), 1);
  half.Extract("c2", "e2", {"192.0.2.1"});

  EXPECT_EQ(half.Kinds(), Kinds{ViolationKind::kTwoHolders});
}

TEST(ClientHolders, FromTheMomentThatItsReleaseWasSentNothingIsItsOwn) {
  ClientStory story;
  story.Extract("c1", "e1", {"192.0.2.1"});
  story.ReleaseEnds(ClientStory::ReleaseOf("c1", "e1"), {}, {.code = 14, .detail = std::nullopt});

  story.Extract("c2", "e2", {"192.0.2.1"});

  EXPECT_EQ(story.Kinds(), Kinds{}) << story.Texts();
}

// Nobody knows whether it was given anything, so nothing is held against anybody until a repeat tells.
TEST(ClientHolders, ACallWithoutAnAnswerHoldsNothing) {
  ClientStory story;
  const auto request = ClientStory::Request("c1", "e1", 1);
  story.Lost(request);
  story.Extract("c2", "e2", {"192.0.2.1"});
  EXPECT_EQ(story.Kinds(), Kinds{}) << story.Texts();

  story.Answered(request, story.Answer(request, "e1", {story.Proxy("192.0.2.1")}));

  EXPECT_EQ(story.Kinds(), Kinds{ViolationKind::kTwoHolders}) << story.Texts();
}

}  // namespace
}  // namespace holdfast::judge
