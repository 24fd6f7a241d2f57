// The loop of the simulated daemon: when it steps, what it commits, when it shows what is durable.

#include <algorithm>
#include <memory>
#include <utility>

#include "tests/simulation/world/controller.h"

namespace holdfast::simulation {
namespace {

using log::v1::Input;

}  // namespace

void Controller::Wake() { WakeAt(world_.time.now() + world_.Between(20, 400)); }

void Controller::WakeAt(Micros when) {
  if (next_step_ != 0 && next_step_ <= when) return;
  next_step_ = when;
  world_.time.At(when, [this, generation = generation_, serial = ++step_serial_] {
    if (generation == generation_ && serial == step_serial_) StepNow();
  });
}

void Controller::StepNow() {
  next_step_ = 0;
  if (!serving_) return;
  if (paused_until_ > world_.time.now()) return WakeAt(paused_until_);
  NoteStall();
  if (!sequencer_->HasBacklog()) {
    for (Command& command : std::exchange(queue_, {})) sequencer_->Offer(std::move(command));
  }
  sequencer_->Step(ReadClock());
  MoveClock();
  AnswerUnlogged();
  HandOver();
  ScheduleDeadline();
}

// A decision has moved the log's time.
void Controller::MoveClock() {
  const Duration moved = sequencer_->TakeClockMove();
  if (moved == Duration(0)) return;
  log_clock_->MoveForward(moved);
  log_now_ += moved;
}

// The controller's own silence is not a member's.
void Controller::NoteStall() {
  std::int64_t stalled = std::exchange(longest_sync_, 0);
  if (wake_by_) stalled = std::max(stalled, clock_.BootMicros(world_.time.now()) - *wake_by_);
  wake_by_.reset();
  if (Duration(stalled) <= sequencer_->state().settings().session_ttl / 3) return;
  Input input;
  input.mutable_sync_stalled()->set_stalled_micros(stalled);
  sequencer_->Offer(MakeCommand(input, kControllerPrincipal, "", nullptr));
}

LogTime Controller::ReadClock() {
  boot_micros_ = clock_.BootMicros(world_.time.now());
  log_now_ = log_clock_->Now({boot_micros_, clock_.WallMicros(world_.time.now())});
  if (const std::optional<ClockObservation> observation = log_clock_->TakeObservation()) {
    Input input;
    input.mutable_observe_clock()->set_wall_micros(ToMicros(observation->wall));
    input.mutable_observe_clock()->set_offset_micros(observation->over ? 0 : -observation->offset.count());
    sequencer_->Offer(MakeCommand(input, kControllerPrincipal, "", nullptr));
  }
  return log_now_;
}

void Controller::ScheduleDeadline() {
  if (!sequencer_->HasRoom()) return;  // the end of the commit wakes it
  if (sequencer_->HasBacklog() || !queue_.empty()) return Wake();
  const std::optional<LogTime> deadline = sequencer_->NextDeadline();
  if (!deadline) return;
  const Duration left = std::max(*deadline - log_now_, Duration(0));
  wake_by_ = boot_micros_ + left.count();
  WakeAt(world_.time.now() + left.count() + world_.Between(1, 2 * kMillisecond));
}

void Controller::HandOver() {
  if (committing_ || !sequencer_->HasBlock()) return;
  const SealedBlock block = sequencer_->TakeBlock(boot_micros_);
  committing_ = true;
  disk_.Begin(block);
  Micros length = world_.Between(100, 3 * kMillisecond);
  if (world_.faults.Strikes(Fault::kSyncSlow)) length = world_.Between(50 * kMillisecond, 900 * kMillisecond);
  if (world_.faults.Strikes(Fault::kSyncStalled)) {
    const Micros ttl = sequencer_->state().settings().session_ttl.count();
    length = world_.Between(ttl / 3, 2 * ttl);
  }
  if (world_.faults.Strikes(Fault::kCrashBeforeSync)) {
    world_.time.After(world_.Between(0, length - 1), [this, generation = generation_] {
      if (generation == generation_) Crash();
    });
  }
  world_.time.After(length, [this, generation = generation_, last = block.encoded.last, began = world_.time.now()] {
    if (generation == generation_) CommitDone(last, began);
  });
}

void Controller::CommitDone(Sequence last, Micros began) {
  if (!disk_.Finish().ok()) return Crash();  // fail-stop: nothing of it was shown
  longest_sync_ = std::max(longest_sync_, world_.time.now() - began);
  committing_ = false;
  committed_.ReadOn(disk_.log());
  const auto durable = std::make_shared<Durable>(sequencer_->OnDurable(last));
  last_dispatch_ = std::max(last_dispatch_, world_.time.now() + world_.Between(0, 200));
  if (world_.faults.Strikes(Fault::kCrashBeforeAnswer)) {
    Crash();
    return;
  }
  world_.time.At(last_dispatch_, [this, generation = generation_, durable] {
    if (generation == generation_) Dispatch(std::move(*durable));
  });
  HandOver();
  Wake();
}

void Controller::Dispatch(Durable durable) {
  for (const Effect& effect : durable.effects) streams_->Carry(effect);
  for (auto& [sink, reply] : durable.replies) sink->Deliver(std::move(reply));
  // Who waits is told so by the doubt itself, which time alone may bring; in the block of its intent as well.
  for (const AppliedEntry& entry : durable.entries) {
    for (const Event& event : entry.events) {
      if (const auto* doubted = std::get_if<ExtractionDoubted>(&event)) waiting_.Doubt(doubted->extraction_id);
    }
  }
}

}  // namespace holdfast::simulation
