#include "client/snapshot_update.h"

#include <gtest/gtest.h>

#include "tests/client/wire_builders.h"

namespace holdfast::client {
namespace {

constexpr std::uint64_t kEpoch = 7;

class TakeUpdateTest : public ::testing::Test {
 protected:
  TakeUpdateTest() { clock_->AddSample(At(0), kNow); }

  UpdateContext Context() {
    return {.session_id = "s1",
            .ownership_epoch = kEpoch,
            .clock = clock_,
            .held = held_,
            .high_water = high_water_,
            .max_stale_age = std::chrono::seconds(30),
            .max_proxies = max_proxies_,
            .slots = &slots_};
  }

  std::variant<UpdateTaken, UpdateRefused> Take(const wire::SnapshotUpdate& update) {
    auto judged = TakeUpdate(update, Context(), kNow);
    if (const auto* taken = std::get_if<UpdateTaken>(&judged)) {
      held_ = taken->view;
      high_water_ = {taken->view->ownership_epoch, taken->view->version};
    }
    return judged;
  }

  // The reason of the refusal; UNSPECIFIED where it was taken.
  wire::SnapshotRefusal RefusalOf(const wire::SnapshotUpdate& update) {
    const auto judged = Take(update);
    const auto* refused = std::get_if<UpdateRefused>(&judged);
    if (!refused) return wire::SNAPSHOT_REFUSAL_UNSPECIFIED;
    EXPECT_FALSE(refused->detail.empty());
    return refused->refusal;
  }

  static constexpr BootTime kNow{std::chrono::hours(1)};
  std::shared_ptr<ValidityClock> clock_ = std::make_shared<ValidityClock>();
  SlotRegistry slots_;
  SnapshotViewPointer held_;
  HighWater high_water_;
  std::size_t max_proxies_ = 0;
};

TEST_F(TakeUpdateTest, AFullSnapshotBecomesTheView) {
  const auto judged = Take(Full(kEpoch, 10, 30, {Grant("a"), Grant("b", wire::GRANT_STATE_DRAINING)}));

  const auto* taken = std::get_if<UpdateTaken>(&judged);
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->kind, UpdateTaken::Kind::kFull);
  EXPECT_EQ(taken->view->version, 10U);
  EXPECT_EQ(taken->view->grants->size(), 2U);
  EXPECT_EQ(taken->view->grants->Find("a")->use, GrantUse::kCandidate);
  EXPECT_EQ(taken->view->grants->Find("b")->use, GrantUse::kFinishOnly);
  EXPECT_EQ(taken->listed.size(), 2U);
}

TEST_F(TakeUpdateTest, ADeltaOnTheHeldVersionGivesTheNextView) {
  Take(Full(kEpoch, 10, 30, {Grant("a"), Grant("b"), Grant("c")}));
  const SnapshotViewPointer before = held_;
  const wire::ProxyGrant drained = Grant("b", wire::GRANT_STATE_DRAINING);

  const auto judged = Take(Delta(kEpoch, 10, 12, 40, {drained, Grant("d")}, {"a"}, {drained, Grant("c"), Grant("d")}));

  const auto* taken = std::get_if<UpdateTaken>(&judged);
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->kind, UpdateTaken::Kind::kDelta);
  EXPECT_EQ(taken->view->grants->size(), 3U);
  EXPECT_EQ(taken->view->grants->Find("a"), nullptr);
  EXPECT_EQ(taken->view->grants->Find("b")->use, GrantUse::kFinishOnly);
  ASSERT_EQ(taken->unlisted.size(), 1U);
  EXPECT_EQ(taken->unlisted[0]->id(), "a");
  EXPECT_EQ(before->grants->size(), 3U) << "the view that was held is never touched";
  EXPECT_EQ(before->grants->Find("b")->use, GrantUse::kCandidate);
}

TEST_F(TakeUpdateTest, ARenewalSharesTheContentAndMovesTheEnd) {
  Take(Full(kEpoch, 10, 30, {Grant("a")}));
  const SnapshotViewPointer before = held_;

  const auto judged = Take(Delta(kEpoch, 10, 11, 40, {}, {}, {Grant("a")}));

  const auto* taken = std::get_if<UpdateTaken>(&judged);
  ASSERT_NE(taken, nullptr);
  EXPECT_EQ(taken->kind, UpdateTaken::Kind::kRenewal);
  EXPECT_EQ(taken->view->grants, before->grants);
  EXPECT_EQ(taken->view->valid_until, At(40));
}

TEST_F(TakeUpdateTest, ValidUntilMustBePresentWellFormedAndAhead) {
  wire::SnapshotUpdate absent = Full(kEpoch, 10, 30, {});
  absent.mutable_full()->clear_valid_until();
  wire::SnapshotUpdate crooked = Full(kEpoch, 10, 30, {});
  crooked.mutable_full()->mutable_valid_until()->set_nanos(1);

  EXPECT_EQ(RefusalOf(absent), wire::SNAPSHOT_REFUSAL_MALFORMED);
  EXPECT_EQ(RefusalOf(crooked), wire::SNAPSHOT_REFUSAL_MALFORMED);
  EXPECT_EQ(RefusalOf(Full(kEpoch, 10, 0, {})), wire::SNAPSHOT_REFUSAL_EXPIRED);
  EXPECT_EQ(RefusalOf(Full(kEpoch, 10, 1, {})), wire::SNAPSHOT_REFUSAL_UNSPECIFIED);
}

TEST_F(TakeUpdateTest, AnotherEpochThanTheSessionsIsRefused) {
  EXPECT_EQ(RefusalOf(Full(kEpoch + 1, 10, 30, {})), wire::SNAPSHOT_REFUSAL_MALFORMED);
  EXPECT_EQ(RefusalOf(Full(kEpoch - 1, 10, 30, {})), wire::SNAPSHOT_REFUSAL_MALFORMED);
}

TEST_F(TakeUpdateTest, NothingAtOrBelowWhatWasEverTakenIsTakenAgain) {
  Take(Full(kEpoch, 10, 30, {}));

  EXPECT_EQ(RefusalOf(Full(kEpoch, 10, 30, {})), wire::SNAPSHOT_REFUSAL_BASE_VERSION);
  EXPECT_EQ(RefusalOf(Full(kEpoch, 9, 30, {})), wire::SNAPSHOT_REFUSAL_BASE_VERSION);
  EXPECT_EQ(RefusalOf(Full(kEpoch, 11, 30, {})), wire::SNAPSHOT_REFUSAL_UNSPECIFIED);
}

TEST_F(TakeUpdateTest, WhatAnEarlierSessionTookCountsToo) {
  high_water_ = {kEpoch + 1, 5};

  EXPECT_EQ(RefusalOf(Full(kEpoch, 1'000, 30, {})), wire::SNAPSHOT_REFUSAL_BASE_VERSION)
      << "an epoch below one that was taken is never above it, whatever its version";
}

TEST_F(TakeUpdateTest, ADeltaOnAnotherVersionOrSessionIsRefused) {
  EXPECT_EQ(RefusalOf(Delta(kEpoch, 9, 10, 30, {}, {}, {})), wire::SNAPSHOT_REFUSAL_BASE_VERSION) << "nothing held";

  Take(Full(kEpoch, 10, 30, {}));
  EXPECT_EQ(RefusalOf(Delta(kEpoch, 9, 11, 30, {}, {}, {})), wire::SNAPSHOT_REFUSAL_BASE_VERSION);

  auto of_another_session = std::make_shared<SnapshotView>(*held_);
  of_another_session->session_id = "s0";
  held_ = of_another_session;
  EXPECT_EQ(RefusalOf(Delta(kEpoch, 10, 11, 30, {}, {}, {})), wire::SNAPSHOT_REFUSAL_BASE_VERSION);
}

TEST_F(TakeUpdateTest, AWrongChecksumIsRefusedWithTheComputedOne) {
  wire::SnapshotUpdate update = Full(kEpoch, 10, 30, {Grant("a")});
  const std::string right = update.full().checksum();
  update.mutable_full()->set_checksum(std::string(32, 'x'));

  const auto judged = Take(update);

  const auto* refused = std::get_if<UpdateRefused>(&judged);
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(refused->refusal, wire::SNAPSHOT_REFUSAL_CHECKSUM);
  EXPECT_EQ(refused->computed_checksum, right);
  EXPECT_EQ(held_, nullptr);
}

TEST_F(TakeUpdateTest, AClientThatStillHoldsWhatWasRemovedFailsTheChecksum) {
  Take(Full(kEpoch, 10, 30, {Grant("a"), Grant("b")}));
  // The removal of "b" was lost on the way: the stated checksum is of the content without it.
  const wire::SnapshotUpdate update = Delta(kEpoch, 10, 11, 30, {Grant("c")}, {}, {Grant("a"), Grant("c")});

  EXPECT_EQ(RefusalOf(update), wire::SNAPSHOT_REFUSAL_CHECKSUM);
}

TEST_F(TakeUpdateTest, IdsMustAscendAndMayNotBeBothUpsertedAndRemoved) {
  EXPECT_EQ(RefusalOf(Full(kEpoch, 10, 30, {Grant("b"), Grant("a")})), wire::SNAPSHOT_REFUSAL_MALFORMED);
  EXPECT_EQ(RefusalOf(Full(kEpoch, 10, 30, {Grant("a"), Grant("a")})), wire::SNAPSHOT_REFUSAL_MALFORMED);
  EXPECT_EQ(RefusalOf(Full(kEpoch, 10, 30, {Grant("")})), wire::SNAPSHOT_REFUSAL_MALFORMED);

  Take(Full(kEpoch, 10, 30, {Grant("a")}));
  EXPECT_EQ(RefusalOf(Delta(kEpoch, 10, 11, 30, {Grant("a")}, {"a"}, {Grant("a")})), wire::SNAPSHOT_REFUSAL_MALFORMED);
}

TEST_F(TakeUpdateTest, WhatIsNotUnderstoodIsListedButNeverACandidate) {
  wire::ProxyGrant no_endpoint = Grant("c");
  no_endpoint.clear_endpoint();
  wire::ProxyGrant strange_scheme = Grant("d");
  strange_scheme.mutable_endpoint()->set_scheme(static_cast<wire::ProxyScheme>(99));

  const auto judged = Take(Full(kEpoch, 10, 30,
                                {Grant("a", wire::GRANT_STATE_UNSPECIFIED),
                                 Grant("b", static_cast<wire::GrantState>(77)), no_endpoint, strange_scheme}));

  const auto* taken = std::get_if<UpdateTaken>(&judged);
  ASSERT_NE(taken, nullptr);
  for (const char* id : {"a", "b", "c", "d"}) {
    EXPECT_EQ(taken->view->grants->Find(id)->use, GrantUse::kNotUnderstood) << id;
    EXPECT_FALSE(taken->view->grants->Find(id)->MayReserve()) << id;
  }
}

TEST_F(TakeUpdateTest, MoreThanItSaidItTakesIsTooLarge) {
  max_proxies_ = 1;

  EXPECT_EQ(RefusalOf(Full(kEpoch, 10, 30, {Grant("a"), Grant("b")})), wire::SNAPSHOT_REFUSAL_TOO_LARGE);
}

TEST_F(TakeUpdateTest, APartialFullOneLeavesOutAndItsDeltasBringTheRest) {
  Take(Full(kEpoch, 10, 30, {Grant("a"), Grant("b")}));
  wire::SnapshotUpdate part = Full(kEpoch, 11, 30, {Grant("a")});
  part.mutable_full()->set_partial(true);

  const auto judged = Take(part);
  const auto* taken = std::get_if<UpdateTaken>(&judged);
  ASSERT_NE(taken, nullptr);
  EXPECT_TRUE(taken->view->partial);
  ASSERT_EQ(taken->unlisted.size(), 1U);
  EXPECT_EQ(taken->unlisted[0]->id(), "b") << "no new reservation until the last has come";

  EXPECT_EQ(RefusalOf(Delta(kEpoch, 11, 12, 30, {Grant("b")}, {}, {Grant("a"), Grant("b")})),
            wire::SNAPSHOT_REFUSAL_UNSPECIFIED);
  EXPECT_FALSE(held_->partial);
}

TEST_F(TakeUpdateTest, ManyDeltasInARowGiveTheSameContentAsOneFull) {
  std::vector<wire::ProxyGrant> all;
  Take(Full(kEpoch, 10, 30, {}));
  for (int i = 0; i < 300; ++i) {
    const std::string id = "p" + std::to_string(1'000 + i * 7 % 300);
    all.push_back(Grant(id));
    ASSERT_EQ(RefusalOf(Delta(kEpoch, 10 + static_cast<std::uint64_t>(i), 11 + static_cast<std::uint64_t>(i), 30,
                              {Grant(id)}, {}, all)),
              wire::SNAPSHOT_REFUSAL_UNSPECIFIED)
        << i;
  }

  EXPECT_EQ(held_->grants->size(), 300U);
  EXPECT_EQ(held_->checksum, ChecksumOf(kEpoch, {}, all));
  std::size_t seen = 0;
  held_->grants->FindFrom(250, [&](const GrantRowPointer&) { return ++seen == 0; });
  EXPECT_EQ(seen, 300U) << "a search that accepts nothing sees every row once";
}

}  // namespace
}  // namespace holdfast::client
