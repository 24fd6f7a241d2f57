// Two holders of one address: each way in which it can come about is found, and honest histories pass.

#include <gtest/gtest.h>

#include "tests/judge/judge_story.h"

namespace holdfast::judge {
namespace {

using Kinds = std::vector<ViolationKind>;

const Who kOne = Story::Process("w1", "i1");
const Who kTwo = Story::Process("w2", "i1");

// w1 holds a proxy at 192.0.2.1 by version 10, valid for 30 s; lapse_grace is 10 s.
Story HeldByOne() {
  Story story;
  story.Register(kOne, "s1", 7);
  story.Take(kOne, "s1", story.Full(7, 10, 30, {GrantOf("a", "192.0.2.1")}));
  return story;
}

void GiveToTwo(Story& story) {
  story.Register(kTwo, "s2", 7);
  story.Take(kTwo, "s2", story.Full(7, 20, 30, {GrantOf("a", "192.0.2.1")}));
}

TEST(Holders, AnHonestHistoryPasses) {
  Story told = HeldByOne();
  Story story;
  story.Register(kOne, "s1", 7);
  const auto first = story.Full(7, 10, 30, {GrantOf("a", "192.0.2.1"), GrantOf("b", "192.0.2.2")});
  story.Take(kOne, "s1", first);
  story.Hear(kOne, UseBegan{"a"});
  story.now += 5 * kSecond;
  story.Hear(kOne, story.Report("s1", 1, 10));
  story.Hear(kOne, UseEnded{"a"});
  // "a" leaves w1, which says so, and nothing runs: it may go to w2.
  story.Take(kOne, "s1", story.Full(7, 11, 30, {GrantOf("b", "192.0.2.2")}));
  GiveToTwo(story);
  story.Hear(kTwo, UseBegan{"a"});
  story.now += kSecond;
  story.Hear(kTwo, UseEnded{"a"});

  EXPECT_EQ(story.Kinds(), Kinds{}) << story.Texts();
  EXPECT_GT(story.judge().counts().holder_comparisons, 0U);
  EXPECT_EQ(story.judge().counts().updates, 3U);
  EXPECT_EQ(told.Kinds(), Kinds{});
}

TEST(Holders, OneAddressGivenToTwoWorkersIsFound) {
  Story story = HeldByOne();

  GiveToTwo(story);

  ASSERT_EQ(story.Kinds(), Kinds{ViolationKind::kTwoHolders});
  for (const char* part : {"192.0.2.1", "w1", "w2", "version 10", "version 20"}) {
    EXPECT_NE(story.violations[0].text.find(part), std::string::npos) << part << " in " << story.Texts();
  }
}

TEST(Holders, SiblingsOfOneAddressAreOneMachine) {
  Story story = HeldByOne();
  story.Register(kTwo, "s2", 7);
  wire::ProxyGrant sibling = GrantOf("other-id", "192.0.2.1");
  sibling.mutable_endpoint()->set_scheme(wire::PROXY_SCHEME_SOCKS5);

  story.Take(kTwo, "s2", story.Full(7, 20, 30, {sibling}));

  EXPECT_EQ(story.Kinds(), Kinds{ViolationKind::kTwoHolders});
}

TEST(Holders, AnotherPortOrAnotherSecretIsAnotherAddress) {
  Story story = HeldByOne();
  story.Register(kTwo, "s2", 7);
  wire::ProxyGrant port = GrantOf("b", "192.0.2.1");
  port.mutable_endpoint()->set_port(8081);

  story.Take(kTwo, "s2", story.Full(7, 20, 30, {port}));

  EXPECT_EQ(story.Kinds(), Kinds{}) << story.Texts();
}

TEST(Holders, AfterTheWindowIsOverItMayGoToAnother) {
  Story too_early = HeldByOne();
  Story late_enough = HeldByOne();
  // 30 s and 10 s of grace, on a clock that may run 0.2 % fast: 39.92 s.
  too_early.now += 39'900'000;
  late_enough.now += 39'930'000;

  GiveToTwo(too_early);
  GiveToTwo(late_enough);

  EXPECT_EQ(too_early.Kinds(), Kinds{ViolationKind::kTwoHolders});
  EXPECT_EQ(late_enough.Kinds(), Kinds{}) << late_enough.Texts();
}

TEST(Holders, ARenewalExtendsTheWindow) {
  Story story;
  story.Register(kOne, "s1", 7);
  const auto first = story.Full(7, 10, 30, {GrantOf("a", "192.0.2.1")});
  story.Take(kOne, "s1", first);
  story.now += 20 * kSecond;
  story.Take(kOne, "s1", story.Renewal(first, 11, 30));
  story.now += 25 * kSecond;

  GiveToTwo(story);

  EXPECT_EQ(story.Kinds(), Kinds{ViolationKind::kTwoHolders});
}

TEST(Holders, ARenewalAfterTheAddressWentElsewhereIsFound) {
  Story story;
  story.Register(kOne, "s1", 7);
  const auto first = story.Full(7, 10, 30, {GrantOf("a", "192.0.2.1")});
  story.Take(kOne, "s1", first);
  story.now += 45 * kSecond;
  GiveToTwo(story);
  ASSERT_EQ(story.Kinds(), Kinds{});

  story.Take(kOne, "s1", story.Renewal(first, 11, 30));

  EXPECT_EQ(story.Kinds(), Kinds{ViolationKind::kTwoHolders});
}

TEST(Holders, WhatStillRunsKeepsAnAddressThatIsNoLongerListed) {
  Story story = HeldByOne();
  story.Hear(kOne, UseBegan{"a"});
  // Taken away and acknowledged; a zero report would be a lie, for it still runs.
  story.Take(kOne, "s1", story.Full(7, 11, 30, {}));

  GiveToTwo(story);

  EXPECT_EQ(story.Kinds(), Kinds{ViolationKind::kTwoHolders});
}

TEST(Holders, ADrainingAddressIsFreeOnlyWhenNothingRunsAnyMore) {
  Story running = HeldByOne();
  running.Hear(kOne, UseBegan{"a"});
  running.Take(kOne, "s1", running.Full(7, 11, 30, {GrantOf("a", "192.0.2.1", wire::GRANT_STATE_DRAINING)}));
  Story ended = HeldByOne();
  ended.Hear(kOne, UseBegan{"a"});
  ended.Take(kOne, "s1", ended.Full(7, 11, 30, {GrantOf("a", "192.0.2.1", wire::GRANT_STATE_DRAINING)}));
  ended.Hear(kOne, UseEnded{"a"});

  GiveToTwo(running);
  GiveToTwo(ended);

  EXPECT_EQ(running.Kinds(), Kinds{ViolationKind::kTwoHolders});
  EXPECT_EQ(ended.Kinds(), Kinds{}) << ended.Texts();
}

TEST(Holders, ATakeoverThatDoesNotWaitForTheInstanceBeforeIsFound) {
  Story active = HeldByOne();
  Story held = HeldByOne();
  const Who next = Story::Process("w1", "i2");
  active.Register(next, "s2", 8);
  held.Register(next, "s2", 8);

  active.Take(next, "s2", active.Full(8, 11, 30, {GrantOf("a", "192.0.2.1")}));
  held.Take(next, "s2", held.Full(8, 11, 30, {GrantOf("a", "192.0.2.1", wire::GRANT_STATE_HELD)}));

  EXPECT_EQ(active.Kinds(), Kinds{ViolationKind::kTwoHolders});
  EXPECT_EQ(held.Kinds(), Kinds{}) << "HELD is not to be used";
}

TEST(Holders, AProcessThatIsGoneUsesNothing) {
  Story story = HeldByOne();
  story.Hear(kOne, UseBegan{"a"});
  story.Hear(kOne, Died{});

  GiveToTwo(story);

  EXPECT_EQ(story.Kinds(), Kinds{}) << story.Texts();
}

TEST(Holders, AnUpdateThatWasNotTakenGivesNothing) {
  Story story = HeldByOne();
  story.Register(kTwo, "s2", 7);

  story.Receive(kTwo, "s2", story.Full(7, 20, 30, {GrantOf("a", "192.0.2.1")}));

  EXPECT_EQ(story.Kinds(), Kinds{}) << story.Texts();
}

TEST(Holders, AReconnectOfTheSameProcessIsTheSameHolder) {
  Story story = HeldByOne();
  story.Register(kOne, "s1b", 7);

  story.Take(kOne, "s1b", story.Full(7, 11, 30, {GrantOf("a", "192.0.2.1")}));

  EXPECT_EQ(story.Kinds(), Kinds{}) << story.Texts();
}

TEST(WorkerUse, WhatAWorkerMayNotDoIsFound) {
  Story never_given = HeldByOne();
  never_given.Hear(kOne, UseBegan{"b"});
  Story drained = HeldByOne();
  drained.Take(kOne, "s1", drained.Full(7, 11, 30, {GrantOf("a", "192.0.2.1", wire::GRANT_STATE_DRAINING)}));
  drained.Hear(kOne, UseBegan{"a"});
  Story too_long = HeldByOne();
  too_long.Hear(kOne, UseBegan{"a"});
  too_long.now += 40 * kSecond;
  too_long.Hear(kOne, UseEnded{"a"});
  Story too_late = HeldByOne();
  too_late.now += 40 * kSecond;
  too_late.Hear(kOne, UseBegan{"a"});
  Story unpaired = HeldByOne();
  unpaired.Hear(kOne, UseEnded{"a"});

  for (const Story* story : {&never_given, &drained, &too_long, &too_late, &unpaired}) {
    EXPECT_EQ(story->Kinds(), Kinds{ViolationKind::kWorkerUse}) << story->Texts();
  }
}

}  // namespace
}  // namespace holdfast::judge
