// A process of the simulated daemon begins, by what its disk holds, and ends: at any point, or for long.

#include <algorithm>
#include <utility>

#include "controller/rules_version.h"
#include "events/field_codec.h"
#include "tests/simulation/world/controller.h"
#include "tests/simulation/world/settings_draw.h"

namespace holdfast::simulation {
namespace {

using log::v1::Input;

constexpr std::size_t kSmallBlock = 12;  // entries

}  // namespace

log::v1::Input Controller::StartInput(const RecoveredLog& recovered) {
  Input input;
  log::v1::StartController* start = input.mutable_start_controller();
  start->set_boot_id(clock_.boot_id());
  start->set_boot_micros(boot_micros_);
  start->set_same_boot(recovered.log_id.has_value() && recovered.boot_id == clock_.boot_id());
  LogId id{};
  for (std::uint8_t& byte : id) byte = static_cast<std::uint8_t>(world_.random.Below(256));
  if (recovered.log_id) id = *recovered.log_id;
  start->set_log_id(id.data(), id.size());
  start->set_bootstrap(world_.random.Chance(3, 4));
  start->set_rules_version(kRulesVersion);
  start->set_software_version("simulated");
  std::string settings;
  wire::PutStruct(settings, settings_);
  start->mutable_settings()->ParseFromString(settings);
  return input;
}

void Controller::Restart(bool other_boot) {
  if (other_boot) clock_.Boot(world_.time.now());  // its wall clock may lie
  auto state = std::make_unique<ControllerState>();
  absl::StatusOr<RecoveredLog> recovered = holdfast::Recover(disk_.log(), {state.get()}, nullptr);
  if (!recovered.ok()) return world_.checkers.violations().Add("recovery", recovered.status().ToString());
  committed_.Reopen();
  committed_.ReadOn(disk_.log());
  world_.checkers.durability().Recovered();
  if (state->StateDigest() != committed_.state().StateDigest()) {
    return world_.checkers.violations().Add("recovery", "the recovered state is not the one that was committed");
  }
  StartProjector();
  std::optional<LogClockAnchor> anchor;
  if (recovered->log_id) anchor = LogClockAnchor{recovered->last_at, recovered->boot_id, recovered->boot_micros};
  const Duration told = state->run().clock_offset();
  boot_micros_ = clock_.BootMicros(world_.time.now());
  log_clock_ = std::make_unique<LogClock>(anchor, clock_.boot_id(),
                                          ClockReading{boot_micros_, clock_.WallMicros(world_.time.now())},
                                          told == Duration(0) ? std::nullopt : std::optional<Duration>(-told));
  const Input start = StartInput(*recovered);
  LogId id{};
  std::copy(start.start_controller().log_id().begin(), start.start_controller().log_id().end(), id.begin());
  Sequencer::Options options;
  if (world_.random.Chance(1, 3)) options.block_entries = kSmallBlock;
  sequencer_ = std::make_unique<Sequencer>(std::move(state), recovered->tip, id, clock_.boot_id(), options);
  sequencer_->Offer(MakeCommand(start, kControllerPrincipal, "", nullptr));
  sequencer_->Step(ReadClock());
  const SealedBlock block = sequencer_->TakeBlock(boot_micros_);
  disk_.Begin(block);
  if (!disk_.Finish().ok()) return Crash();
  sequencer_->OnDurable(block.encoded.last);
  committed_.ReadOn(disk_.log());
  ++starts_;
  next_stream_ = (sequencer_->state().run().controller_epoch() << 32) + 1;
  streams_ = std::make_unique<ServerStreams>(
      world_, network_,
      ServerStreams::Outlet{[this] { return Now(); }, [this](const Input& input) { SubmitOwn(input); }});
  serving_ = true;
  projector_->Begin();
  Wake();
}

// Its feed hears of the start itself, as of every entry after it.
void Controller::StartProjector() {
  projector_ = std::make_unique<ProjectorThread>(
      world_, store_, committed_, disk_,
      ProjectorThread::Outlet{[this] { return Now(); }, [this](const Input& input) { SubmitOwn(input); },
                              [this] { return paused_until_; }});
}

void Controller::End() {
  ++generation_;
  serving_ = false;
  projector_.reset();
  store_.ControllerGone();
  waiting_.Drop();
  if (streams_) streams_->Drop();
  streams_.reset();
  sequencer_.reset();
  log_clock_.reset();
  queue_.clear();
  committing_ = false;
  next_step_ = 0;
  wake_by_.reset();
  longest_sync_ = 0;
  paused_until_ = 0;
  shed_until_ = 0;
  shed_sessions_.clear();
  shed_note_due_ = false;
  disk_.Crash();
}

void Controller::Crash() {
  End();
  const bool other_boot = world_.faults.Strikes(Fault::kOtherBoot);
  if (world_.faults.Strikes(Fault::kSettingsChanged)) settings_ = OtherSettings(world_.random, settings_);
  const bool long_gone = !world_.faults.quiet() && world_.random.Chance(1, 5);
  const Micros down =
      long_gone ? world_.Between(5 * kSecond, 90 * kSecond) : world_.Between(100 * kMillisecond, 4 * kSecond);
  world_.time.After(down, [this, other_boot, generation = generation_] {
    if (generation == generation_) Restart(other_boot);
  });
}

void Controller::StayAway(Micros length) {
  End();
  world_.time.After(length, [this, generation = generation_] {
    if (generation == generation_) Restart(false);
  });
}

void Controller::Recover() {
  paused_until_ = std::min(paused_until_, world_.time.now());
  shed_until_ = 0;
  clock_.SetWall(0);
  if (serving_) Wake();
}

}  // namespace holdfast::simulation
