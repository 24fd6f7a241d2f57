// A start on another boot, whose clock may lie: nothing ends by it before the start itself is decided.

#include <gtest/gtest.h>

#include "controller/recovery.h"
#include "controller/rules_version.h"
#include "controller/sequencer.h"
#include "events/field_codec.h"
#include "events/memory_log.h"
#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {
namespace {

log::v1::Input StartOn(const std::string& boot, bool same_boot) {
  log::v1::Input input;
  log::v1::StartController& start = *input.mutable_start_controller();
  start.set_boot_id(boot);
  start.set_same_boot(same_boot);
  start.set_log_id(std::string(16, 'l'));
  start.set_bootstrap(true);
  start.set_rules_version(kRulesVersion);
  std::string settings;
  wire::PutStruct(settings, WithoutReserve());
  EXPECT_TRUE(start.mutable_settings()->ParseFromString(settings));
  return input;
}

// A log on which w1 is granted Item(1), and the daemon stops; then another one starts on it.
class SequencerStart : public ::testing::Test {
 protected:
  SequencerStart() {
    Open({}, "boot");
    Offer(StartOn("boot", false));
    log::v1::Input import;
    *import.mutable_import_proxies()->mutable_request()->add_proxies() = Item(1);
    Offer(import);
    log::v1::Input input;
    auto& request = *input.mutable_register_worker()->mutable_request();
    request.set_worker_id("w1");
    request.set_instance_id("i1");
    request.set_supported_protocol_version(1);
    input.mutable_register_worker()->set_session_id(std::string(32, '5'));
    Offer(input);
    sequencer_->Step(kStart);
    log::v1::Input watch;
    auto& stream = *watch.mutable_watch_snapshots();
    stream.set_stream(7);
    stream.mutable_request()->set_worker_id("w1");
    stream.mutable_request()->set_session_id(std::string(32, '5'));
    stream.mutable_request()->set_ownership_epoch(sequencer_->state().sessions().Find("w1")->opened.epoch.value());
    Offer(watch);
    sequencer_->Step(kStart);
    Acknowledge();
    sequencer_->Step(kStart);
    Commit();
  }

  void Open(const RecoveredLog& recovered, const std::string& boot, std::unique_ptr<ControllerState> state = nullptr) {
    if (state == nullptr) state = std::make_unique<ControllerState>();
    sequencer_ = std::make_unique<Sequencer>(std::move(state), recovered.tip, LogId{1}, boot, Sequencer::Options{});
  }
  void Offer(const log::v1::Input& input) {
    sequencer_->Offer(MakeCommand(input, kLoopbackPrincipal, "test", nullptr));
  }
  void Acknowledge() {
    const SessionOpened& opened = sequencer_->state().sessions().Find("w1")->opened;
    const IssuedReference& reference = sequencer_->state().snapshots().At(opened.worker).issued.back();
    log::v1::Input input;
    auto& ack = *input.mutable_acknowledge_snapshot();
    ack.set_worker_id("w1");
    ack.set_session_id(opened.session_id.value());
    ack.set_ownership_epoch(opened.epoch.value());
    ack.set_version(reference.version.value());
    ack.set_checksum(std::string(reference.checksum.begin(), reference.checksum.end()));
    ack.set_accepted(true);
    Offer(input);
  }
  void Commit() {
    const SealedBlock block = sequencer_->TakeBlock(1'000);
    AppendRequest request;
    request.follows = block.follows;
    request.first = block.encoded.first;
    request.last = block.encoded.last;
    request.block = block.encoded.block;
    request.bulk = block.encoded.bulk;
    request.ownership_periods = &block.ownership_periods;
    ASSERT_TRUE(log_.Append(request).ok());
  }
  void RestartOn(const std::string& boot, bool same_boot, LogTime now) {
    auto state = std::make_unique<ControllerState>();
    const auto recovered = Recover(log_, {state.get()}, nullptr);
    ASSERT_TRUE(recovered.ok()) << recovered.status();
    Open(*recovered, boot, std::move(state));
    Offer(StartOn(boot, same_boot));
    sequencer_->Step(now);
  }
  AddressKey Machine() const {
    const Pool& pool = sequencer_->state().pool();
    return pool.proxy(pool.FindProxy(IdOf(1))).address;
  }
  const HoldRow& Hold() const { return sequencer_->state().ownership().hold(Machine()); }

  MemoryLog log_;
  std::unique_ptr<Sequencer> sequencer_;
};

TEST_F(SequencerStart, OnAnotherBootWhoseWallIsFarAheadWhatWasHeldKeepsWhatItHadLeft) {
  ASSERT_EQ(Hold().state, OwnershipState::kGranted);
  const Duration left = sequencer_->state().ownership().OwnedUntil(Machine()) - kStart;

  RestartOn("other", false, kStart + minutes(30));

  EXPECT_EQ(Hold().state, OwnershipState::kLapsing);
  EXPECT_EQ(sequencer_->state().ownership().OwnedUntil(Machine()), kStart + minutes(30) + left);
  sequencer_->Step(kStart + minutes(30) + left - Duration(1));
  EXPECT_EQ(Hold().state, OwnershipState::kLapsing);
  sequencer_->Step(kStart + minutes(30) + left);
  EXPECT_EQ(Hold().state, OwnershipState::kUnowned);
}

TEST_F(SequencerStart, OnTheSameBootWhatIsOverEndsInTheStepOfTheStart) {
  RestartOn("boot", true, kStart + minutes(30));

  EXPECT_EQ(Hold().state, OwnershipState::kUnowned);
}

}  // namespace
}  // namespace holdfast::testing
