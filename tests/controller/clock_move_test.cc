// An operator moves the log's time forward: what the sequencer decides after it, and where a recovery goes on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/recovery.h"
#include "controller/sequencer.h"
#include "events/field_codec.h"
#include "events/memory_log.h"
#include "tests/controller/operator_inputs.h"

namespace holdfast::testing {
namespace {

// A sequencer on an empty log, with one worker registered.
class ClockMove : public ::testing::Test {
 protected:
  ClockMove()
      : sequencer_(std::make_unique<ControllerState>(), Sequencer::Tip{}, LogId{1}, "boot", Sequencer::Options{}) {
    log::v1::Input start;
    start.mutable_start_controller()->set_boot_id("boot");
    start.mutable_start_controller()->set_log_id(std::string(16, 'l'));
    start.mutable_start_controller()->set_bootstrap(true);
    start.mutable_start_controller()->set_rules_version(1);
    std::string settings;
    wire::PutStruct(settings, Settings());
    EXPECT_TRUE(start.mutable_start_controller()->mutable_settings()->ParseFromString(settings));
    Offer(start);
    log::v1::Input input;
    auto& request = *input.mutable_register_worker()->mutable_request();
    request.set_worker_id("w1");
    request.set_instance_id("i1");
    request.set_supported_protocol_version(1);
    input.mutable_register_worker()->set_session_id(std::string(32, '5'));
    Offer(input);
    sequencer_.Step(kStart);
  }

  void Offer(const log::v1::Input& input) { sequencer_.Offer(MakeCommand(input, kLoopbackPrincipal, "test", nullptr)); }
  void OfferAccept(Duration move) {
    log::v1::Input input;
    input.mutable_accept_clock()->mutable_request()->set_reason("the host slept");
    input.mutable_accept_clock()->set_move_micros(move.count());
    Offer(input);
  }
  void OfferCordon(const std::string& worker) {
    log::v1::Input input;
    input.mutable_set_eligibility()->set_kind(controlplane::v1::SESSION_KIND_WORKER);
    input.mutable_set_eligibility()->set_member_id(worker);
    Offer(input);
  }
  void Commit() {
    const SealedBlock block = sequencer_.TakeBlock(1'000);
    AppendRequest request;
    request.follows = block.follows;
    request.first = block.encoded.first;
    request.last = block.encoded.last;
    request.block = block.encoded.block;
    request.bulk = block.encoded.bulk;
    request.ownership_periods = &block.ownership_periods;
    ASSERT_TRUE(log_.Append(request).ok());
  }

  Sequencer sequencer_;
  MemoryLog log_;
};

TEST_F(ClockMove, WhatIsDecidedAfterItInTheSameStepStandsBehindItInTime) {
  OfferAccept(hours(1));
  OfferCordon("w9");
  sequencer_.Step(kStart + seconds(1));

  EXPECT_EQ(sequencer_.state().run().last().at, kStart + seconds(1) + hours(1));
  EXPECT_FALSE(sequencer_.state().sessions().Find("w1")->open());
  EXPECT_EQ(sequencer_.TakeClockMove(), hours(1));
  EXPECT_EQ(sequencer_.TakeClockMove(), Duration(0)) << "told once";
  sequencer_.Step(kStart + seconds(2) + hours(1));
}

TEST_F(ClockMove, OneThatIsRefusedMovesNothing) {
  OfferAccept(Duration(0));
  OfferCordon("w9");
  sequencer_.Step(kStart + seconds(1));

  EXPECT_EQ(sequencer_.state().run().last().at, kStart + seconds(1));
  EXPECT_EQ(sequencer_.TakeClockMove(), Duration(0));
}

TEST_F(ClockMove, ARecoveryGoesOnWhereTheClockStoodEvenIfNothingCameAfterIt) {
  OfferAccept(hours(1));
  sequencer_.Step(kStart + seconds(1));
  Commit();
  ControllerState state;

  const auto recovered = Recover(log_, {&state}, nullptr);

  ASSERT_TRUE(recovered.ok()) << recovered.status();
  EXPECT_EQ(state.run().last().at, kStart + seconds(1));
  EXPECT_EQ(recovered->last_at, kStart + seconds(1) + hours(1));
}

TEST(AcceptClock, NobodyIsNearerToItsEndForIt) {
  Story story;
  story.Import(Items(1, 2));
  Worker worker = story.Active("w1");
  story.When(Reclaim({IdOf(2)}));
  const Duration until_free = story.OwnedUntil(IdOf(1)) - story.now();

  story.When(AcceptClock(minutes(20)));
  story.Advance(minutes(20));

  EXPECT_EQ(story.OwnedUntil(IdOf(1)) - story.now(), until_free);
  story.Advance(until_free - Duration(1));
  story.TickOwnership();
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
  story.Advance(Duration(1));
  story.TickOwnership();
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
}

// Found by simulation: by the samples of before, an update that is issued after the move seems good for longer than it
// is.
TEST(AcceptClock, EverySessionEndsSinceItsSamplesAreVoidAndItsProcessTakesItsOwnAgain) {
  Story story;
  story.Import(Items(1, 2));
  Worker worker = story.Active("w1");

  story.When(AcceptClock(minutes(20)));
  story.Advance(minutes(20));
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kClosed);

  worker = story.Reconnect(worker);
  story.Watch(worker);
  story.Drink(worker);
  EXPECT_EQ(story.View("w1").size(), 2u);
  EXPECT_THAT(story.faults(), ::testing::IsEmpty());
}

TEST(AcceptClock, LogTimeNeverGoesBack) {
  Story story;

  EXPECT_EQ(ReasonOf(story.When(AcceptClock(Duration(0)))), RejectReason::kFailedCondition);
  EXPECT_EQ(ReasonOf(story.When(AcceptClock(-hours(1)))), RejectReason::kFailedCondition);
}

}  // namespace
}  // namespace holdfast::testing
