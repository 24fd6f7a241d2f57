#include "client/use_bounds.h"

#include <gtest/gtest.h>

#include "tests/client/wire_builders.h"

namespace holdfast::client {
namespace {

using std::chrono::seconds;
constexpr Duration kGrace = seconds(10);
constexpr BootTime kStart{std::chrono::hours(1)};

// Views in a row, as a session would take them.
class UseBoundsTest : public ::testing::Test {
 protected:
  UseBoundsTest() { NewSession("s1"); }

  void NewSession(const std::string& id) {
    session_ = id;
    clock_ = std::make_shared<ValidityClock>();
    clock_->AddSample(At(0), kStart);
  }

  void Take(std::int64_t valid_until, const std::vector<wire::ProxyGrant>& grants) {
    const UpdateContext context = {.session_id = session_,
                                   .ownership_epoch = 1,
                                   .clock = clock_,
                                   .held = view_,
                                   .high_water = {},
                                   .max_stale_age = seconds(30),
                                   .max_proxies = 0,
                                   .slots = &slots_};
    auto judged = TakeUpdate(Full(1, ++version_, valid_until, grants), context, kStart);
    ASSERT_TRUE(std::holds_alternative<UpdateTaken>(judged));
    const UpdateTaken& taken = std::get<UpdateTaken>(judged);
    bounds_.OnTaken(view_, taken, kGrace);
    view_ = taken.view;
  }

  BootTime Limit(std::int64_t log_seconds) const { return clock_->WhenOver(At(log_seconds)); }

  UseBounds bounds_;
  SlotRegistry slots_;
  std::string session_;
  std::shared_ptr<ValidityClock> clock_;
  SnapshotViewPointer view_;
  std::uint64_t version_ = 0;
};

TEST_F(UseBoundsTest, TheEndIsTheViewsEndPlusTheGrace) {
  Take(30, {Grant("a")});

  EXPECT_EQ(bounds_.CutAt("a"), Limit(40));
  EXPECT_EQ(bounds_.NextCut(), Limit(40));
}

TEST_F(UseBoundsTest, ARenewalMovesTheEndOfAllThatIsListed) {
  Take(30, {Grant("a")});
  Take(45, {Grant("a")});

  EXPECT_EQ(bounds_.CutAt("a"), Limit(55));
  EXPECT_TRUE(bounds_.CutDue(Limit(40)).empty());
}

TEST_F(UseBoundsTest, WhatIsListedNoMoreKeepsTheEndOfItsOwnLastView) {
  Take(30, {Grant("a"), Grant("b")});
  Take(60, {Grant("b")});
  Take(90, {Grant("b")});

  EXPECT_EQ(bounds_.CutAt("a"), Limit(40)) << "a view that is renewed for ever does not keep it alive";
  EXPECT_EQ(bounds_.NextCut(), Limit(40));
  EXPECT_EQ(bounds_.CutDue(Limit(40)), std::vector<std::string>{"a"});
  EXPECT_EQ(bounds_.CutAt("a"), std::nullopt);
  EXPECT_EQ(bounds_.NextCut(), Limit(100));
}

TEST_F(UseBoundsTest, DrainingExtendsAndHeldExtendsNothing) {
  Take(30, {Grant("a"), Grant("b")});
  Take(60, {Grant("a", wire::GRANT_STATE_DRAINING), Grant("b", wire::GRANT_STATE_HELD)});

  EXPECT_EQ(bounds_.CutAt("a"), Limit(70));
  EXPECT_EQ(bounds_.CutAt("b"), Limit(40));
}

TEST_F(UseBoundsTest, WhatWasOnlyEverHeldHasNoWindow) {
  Take(30, {Grant("a", wire::GRANT_STATE_HELD)});

  EXPECT_EQ(bounds_.CutAt("a"), std::nullopt);
}

TEST_F(UseBoundsTest, ItNeverOutlivesItsProxy) {
  Take(100, {Grant("a", wire::GRANT_STATE_ACTIVE, 15, 20), Grant("b", wire::GRANT_STATE_ACTIVE, 25, 50)});

  EXPECT_EQ(bounds_.CutAt("a"), Limit(30));
  EXPECT_EQ(bounds_.CutDue(Limit(30)), std::vector<std::string>{"a"});
  EXPECT_EQ(bounds_.NextCut(), Limit(60));
  EXPECT_EQ(bounds_.CutDue(Limit(60)), std::vector<std::string>{"b"});
  EXPECT_TRUE(bounds_.CutDue(Limit(110)).empty());
  EXPECT_EQ(bounds_.NextCut(), std::nullopt) << "nothing is left to wait for";
}

TEST_F(UseBoundsTest, AnEarlierValidUntilNeverShrinksTheWindow) {
  Take(60, {Grant("a")});
  Take(30, {Grant("a"), Grant("b")});

  EXPECT_EQ(bounds_.CutAt("a"), Limit(70));
  EXPECT_EQ(bounds_.CutAt("b"), Limit(40)) << "what was not listed then has no part in it";
}

TEST_F(UseBoundsTest, AnEarlierSessionsLimitIsJudgedByItsOwnClock) {
  Take(30, {Grant("a")});
  const BootTime old_end = Limit(40);
  NewSession("s2");
  // By the new session log time is a hundred seconds further: the wall lied, or the log moved to another host.
  clock_->AddSample(At(-100), kStart);
  Take(31, {Grant("b")});

  EXPECT_EQ(bounds_.CutAt("a"), old_end);
  EXPECT_EQ(bounds_.CutAt("b"), Limit(41));
}

TEST_F(UseBoundsTest, WhatIsListedAgainIsNotCutAtItsOldEnd) {
  Take(30, {Grant("a"), Grant("b")});
  Take(35, {Grant("b")});
  Take(60, {Grant("a"), Grant("b")});

  EXPECT_TRUE(bounds_.CutDue(Limit(40)).empty());
  EXPECT_EQ(bounds_.CutDue(Limit(70)), (std::vector<std::string>{"a", "b"}));
}

TEST_F(UseBoundsTest, NextCutNeverStandsStill) {
  Take(30, {Grant("a", wire::GRANT_STATE_ACTIVE, 5, 6), Grant("b", wire::GRANT_STATE_HELD), Grant("c")});
  Take(40, {Grant("b"), Grant("c", wire::GRANT_STATE_HELD), Grant("d", wire::GRANT_STATE_DRAINING, 1, 2)});

  int rounds = 0;
  for (auto next = bounds_.NextCut(); next && rounds < 100; next = bounds_.NextCut(), ++rounds) {
    bounds_.CutDue(*next);
    const auto later = bounds_.NextCut();
    ASSERT_TRUE(!later || *later > *next);
  }
  EXPECT_LT(rounds, 10);
}

}  // namespace
}  // namespace holdfast::client
