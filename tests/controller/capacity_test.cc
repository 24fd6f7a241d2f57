#include "controller/capacity.h"

#include <gtest/gtest.h>

#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {
namespace {

// One proxy of capacity 5, owned by an active worker that has accepted it and reported 2 active and 1 reserved on it.
class Capacity : public ::testing::Test {
 protected:
  Capacity() {
    story_.Import({Item(1, [](admin::v1::ProxySpec& item) { item.set_capacity(5); })});
    worker_ = story_.Active("gw-1");
    story_.Report(worker_, {{IdOf(1), 2, 1}});
  }

  ProxyUse Use() const { return UseOf(story_.state(), story_.state().pool().FindProxy(IdOf(1)), story_.now()); }
  void ExpectNothing(const char* when) const {
    const ProxyUse use = Use();
    EXPECT_EQ(use.active + use.reserved + use.available, 0u) << when;
  }

  Story story_;
  Worker worker_;
};

TEST_F(Capacity, IsWhatTheReportLeavesWhileAllHolds) {
  const ProxyUse use = Use();

  EXPECT_EQ(use.active, 2u);
  EXPECT_EQ(use.reserved, 1u);
  EXPECT_EQ(use.available, 2u);
}

TEST_F(Capacity, IsZeroFromTheMomentThatTheReportIsTooOld) {
  story_.Advance(story_.state().settings().runtime_ttl - Duration(1));
  EXPECT_EQ(Use().available, 2u);

  story_.Advance(Duration(1));

  ExpectNothing("at the runtime TTL");
}

TEST_F(Capacity, IsZeroBehindAFence) {
  story_.Nack(worker_);

  ExpectNothing("behind a fence");
}

TEST_F(Capacity, IsZeroForANewSessionUntilItHasAcknowledgedAndReported) {
  Worker next = story_.Reconnect(worker_);
  ExpectNothing("after the reconnect");

  story_.Watch(next);
  story_.Settle();
  story_.Drink(next);
  ExpectNothing("after the ACK, before a report");

  story_.Report(next, {{IdOf(1), 2, 0}});
  EXPECT_EQ(Use().available, 3u);
}

TEST_F(Capacity, OfADrainingWorkerShowsWhatRunsAndOffersNothing) {
  story_.Report(worker_, {{IdOf(1), 2, 1}}, /*draining=*/true);

  const ProxyUse use = Use();

  EXPECT_EQ(use.active, 2u);
  EXPECT_EQ(use.available, 0u);
}

TEST_F(Capacity, IsZeroForAProxyThatNobodyOwnsOrThatWasNotShownYet) {
  story_.Import({Item(2)});
  const ProxyKey unowned = story_.state().pool().FindProxy(IdOf(2));

  EXPECT_EQ(UseOf(story_.state(), unowned, story_.now()).available, 0u);

  story_.Place();
  ASSERT_EQ(story_.OwnerOf(IdOf(2)), "gw-1");
  EXPECT_EQ(UseOf(story_.state(), unowned, story_.now()).available, 0u);
}

TEST_F(Capacity, IsZeroOnceTheProxyIsTooNearItsEnd) {
  const LogTime usable_until = story_.state().pool().proxy(story_.state().pool().FindProxy(IdOf(1))).usable_until;

  const ProxyUse use = UseOf(story_.state(), story_.state().pool().FindProxy(IdOf(1)), usable_until);

  EXPECT_EQ(use.available, 0u);
}

TEST_F(Capacity, NeverGoesBelowZeroWhereMoreRunsThanTheProxyTakes) {
  story_.Report(worker_, {{IdOf(1), 9, 9}});

  const ProxyUse use = Use();

  EXPECT_EQ(use.active, 9u);
  EXPECT_EQ(use.available, 0u);
}

}  // namespace
}  // namespace holdfast::testing
