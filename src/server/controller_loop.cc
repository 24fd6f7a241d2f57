#include "server/controller_loop.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/check.h"
#include "controller/rules_version.h"
#include "events/field_codec.h"

namespace holdfast::server {
namespace {

void EndProcess(const absl::Status& status) {
  std::fprintf(stderr,
               "holdfastd: the log cannot be written (%s). The process ends; nothing that was not synced was shown. "
               "Make room or mend the disk, then start it again.\n",
               status.ToString().c_str());
  std::_Exit(2);
}

}  // namespace

ControllerLoop::ControllerLoop(EventLog& log, Clocks clocks, EffectSink& effects, const Options& options)
    : log_(log),
      clocks_(clocks),
      effects_(effects),
      options_(options),
      queue_(options.queue_bytes, options.queue_share) {}

ControllerLoop::~ControllerLoop() { Stop(); }

absl::StatusOr<std::unique_ptr<ControllerLoop>> ControllerLoop::Open(EventLog& log, Clocks clocks, RandomSource& random,
                                                                     EffectSink& effects, const Options& options) {
  std::unique_ptr<ControllerLoop> loop(new ControllerLoop(log, clocks, effects, options));
  if (absl::Status status = loop->Start(random); !status.ok()) return status;
  return loop;
}

log::v1::Input ControllerLoop::StartInput(const RecoveredLog& recovered, RandomSource& random) const {
  log::v1::Input input;
  log::v1::StartController* start = input.mutable_start_controller();
  start->set_boot_id(clocks_.boot->BootId());
  start->set_boot_micros(boot_micros_);
  start->set_same_boot(recovered.log_id.has_value() && recovered.boot_id == clocks_.boot->BootId());
  LogId id{};
  random.Fill(id);
  if (recovered.log_id) id = *recovered.log_id;
  start->set_log_id(id.data(), id.size());
  start->set_bootstrap(options_.bootstrap);
  start->set_rules_version(kRulesVersion);
  start->set_software_version(options_.software_version);
  std::string settings;
  wire::PutStruct(settings, options_.settings);
  HOLDFAST_CHECK(start->mutable_settings()->ParseFromString(settings));
  return input;
}

absl::Status ControllerLoop::Start(RandomSource& random) {
  auto state = std::make_unique<ControllerState>();
  auto followed = std::make_unique<ControllerState>();
  absl::StatusOr<RecoveredLog> recovered = Recover(log_, {state.get(), followed.get()}, options_.recovery_progress);
  if (!recovered.ok()) return recovered.status();
  recovered_through_ = recovered->tip.sequence;
  std::optional<LogClockAnchor> anchor;
  if (recovered->log_id) anchor = LogClockAnchor{recovered->last_at, recovered->boot_id, recovered->boot_micros};
  const Duration told = state->run().clock_offset();
  boot_micros_ = clocks_.boot->Micros();
  clock_ =
      std::make_unique<LogClock>(anchor, clocks_.boot->BootId(), ClockReading{boot_micros_, clocks_.wall->Micros()},
                                 told == Duration(0) ? std::nullopt : std::optional<Duration>(-told));
  const log::v1::Input start = StartInput(*recovered, random);
  LogId id{};
  std::copy(start.start_controller().log_id().begin(), start.start_controller().log_id().end(), id.begin());
  sequencer_ =
      std::make_unique<Sequencer>(std::move(state), recovered->tip, id, clocks_.boot->BootId(), Sequencer::Options{});
  follower_ = std::make_unique<Follower>(std::move(followed));
  sequencer_->Offer(MakeCommand(start, kControllerPrincipal, "", nullptr));
  if (absl::Status status = CommitStart(ReadClock()); !status.ok()) return status;
  next_stream_ = (sequencer_->state().run().controller_epoch() << 32) + 1;
  sequencer_thread_ = std::thread([this] { RunSequencer(); });
  committer_thread_ = std::thread([this] { RunCommitter(); });
  dispatcher_thread_ = std::thread([this] { RunDispatcher(); });
  return absl::OkStatus();
}

// The start of this run stands in the log before anything else can be asked.
absl::Status ControllerLoop::CommitStart(LogTime now) {
  sequencer_->Step(now);
  const SealedBlock block = sequencer_->TakeBlock(boot_micros_);
  if (absl::Status status = Commit(block); !status.ok()) return status;
  Durable durable = sequencer_->OnDurable(block.encoded.last);
  follower_->Feed(std::move(durable.entries));
  return absl::OkStatus();
}

LogTime ControllerLoop::ReadClock() {
  const ClockReading reading{clocks_.boot->Micros(), clocks_.wall->Micros()};
  const LogTime now = clock_->Now(reading);
  boot_micros_ = reading.boot_micros;
  now_micros_ = ToMicros(now);
  now_boot_micros_ = reading.boot_micros;
  if (const std::optional<ClockObservation> observation = clock_->TakeObservation()) {
    log::v1::Input input;
    input.mutable_observe_clock()->set_wall_micros(ToMicros(observation->wall));
    input.mutable_observe_clock()->set_offset_micros(observation->over ? 0 : -observation->offset.count());
    sequencer_->Offer(MakeCommand(input, kControllerPrincipal, "", nullptr));
  }
  return now;
}

LogTime ControllerLoop::Now() const {
  const std::int64_t passed = clocks_.boot->Micros() - now_boot_micros_.load();
  return LogTimeFromMicros(now_micros_.load() + std::max<std::int64_t>(passed, 0));
}

void ControllerLoop::Wake() {
  if (!sequencer_sleeps_.load()) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  nudged_ = true;
  wake_sequencer_.notify_one();
}

bool ControllerLoop::Submit(Command& command, CallClass call_class) {
  if (!queue_.Push(command, call_class)) return false;
  Wake();
  return true;
}

void ControllerLoop::SubmitOwn(const log::v1::Input& input, std::unique_ptr<ReplySink> sink) {
  Command command = MakeCommand(input, kControllerPrincipal, "", std::move(sink));
  Submit(command, CallClass::kNeverShed);
}

// False: the loop is stopping.
bool ControllerLoop::WaitForWork() {
  std::unique_lock<std::mutex> lock(mutex_);
  sequencer_sleeps_ = true;
  wake_by_micros_.reset();
  while (!stopping_) {
    const bool can_hand_over = !committing_ && sequencer_->HasBlock();
    const bool can_decide = sequencer_->HasRoom() && (sequencer_->HasBacklog() || !queue_.empty());
    if (can_hand_over || can_decide) break;
    const std::optional<LogTime> deadline = sequencer_->HasRoom() ? sequencer_->NextDeadline() : std::nullopt;
    nudged_ = false;
    const auto woken = [&] { return stopping_ || nudged_ || (!committing_ && sequencer_->HasBlock()); };
    if (!deadline) {
      wake_sequencer_.wait(lock, woken);
      continue;
    }
    const Duration left = std::max(*deadline - LogTimeFromMicros(now_micros_.load()), Duration(0));
    wake_by_micros_ = now_boot_micros_.load() + left.count();
    const Duration wait = std::max(*deadline - Now(), Duration(0));
    if (wait == Duration(0) || !wake_sequencer_.wait_for(lock, wait, woken)) break;
  }
  sequencer_sleeps_ = false;
  return !stopping_;
}

void ControllerLoop::OfferWaiting() {
  if (sequencer_->HasBacklog()) return;
  bool clock_told = false;
  for (Command& command : queue_.Take()) {
    // The second of two at once finds nothing left to move.
    const bool asks = command.parsed->has_accept_clock() && !std::exchange(clock_told, true);
    sequencer_->Offer(asks ? WithClockMove(std::move(command)) : std::move(command));
  }
}

// How far the wall is ahead is part of the input, and only here it cannot have changed before the decision.
Command ControllerLoop::WithClockMove(Command command) {
  log::v1::Input input = *command.parsed;
  input.mutable_accept_clock()->set_move_micros(clocks_.wall->Micros() - ToMicros(Now()));
  return MakeCommand(input, command.principal, command.peer, std::move(command.sink));
}

// A decision has moved the log's time: everybody's clock follows before anything else is decided or read.
void ControllerLoop::MoveClock() {
  const Duration moved = sequencer_->TakeClockMove();
  if (moved == Duration(0)) return;
  clock_->MoveForward(moved);
  now_micros_ += moved.count();
}

// The controller's own silence, in a sync or asleep, is not a member's: it is told before any session timer is looked
// at.
void ControllerLoop::NoteStall() {
  std::int64_t stalled = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stalled = std::exchange(longest_sync_micros_, 0);
  }
  if (wake_by_micros_) stalled = std::max(stalled, clocks_.boot->Micros() - *wake_by_micros_);
  if (Duration(stalled) <= sequencer_->state().settings().session_ttl / 3) return;
  log::v1::Input input;
  input.mutable_sync_stalled()->set_stalled_micros(stalled);
  sequencer_->Offer(MakeCommand(input, kControllerPrincipal, "", nullptr));
}

void ControllerLoop::RunSequencer() {
  while (WaitForWork()) {
    NoteStall();
    OfferWaiting();
    sequencer_->Step(ReadClock());
    MoveClock();
    if (auto unlogged = sequencer_->TakeUnlogged(); !unlogged.empty()) {
      Durable answers;
      answers.replies = std::move(unlogged);
      const std::lock_guard<std::mutex> lock(mutex_);
      durable_.push_back(std::move(answers));
      wake_dispatcher_.notify_one();
    }
    HandOver();
  }
  std::unique_lock<std::mutex> lock(mutex_);
  wake_sequencer_.wait(lock, [&] { return !committing_ || committer_done_; });
  if (sequencer_->HasBlock() && !committer_done_) {
    to_commit_ = sequencer_->TakeBlock(boot_micros_);
    committing_ = true;
  }
  sequencer_done_ = true;
  wake_committer_.notify_one();
}

void ControllerLoop::HandOver() {
  std::optional<SealedBlock> committed;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (committing_) return;
    committed = std::exchange(committed_, std::nullopt);
  }
  if (committed) sequencer_->Recycle(*std::move(committed));
  if (!sequencer_->HasBlock()) return;
  SealedBlock block = sequencer_->TakeBlock(boot_micros_);
  const std::lock_guard<std::mutex> lock(mutex_);
  to_commit_ = std::move(block);
  committing_ = true;
  wake_committer_.notify_one();
}

absl::Status ControllerLoop::Commit(const SealedBlock& block) {
  AppendRequest request;
  request.follows = block.follows;
  request.first = block.encoded.first;
  request.last = block.encoded.last;
  request.block = block.encoded.block;
  request.bulk = block.encoded.bulk;
  request.ownership_periods = &block.ownership_periods;
  const std::int64_t before = clocks_.boot->Micros();
  absl::Status status = log_.Append(request);
  const std::int64_t after = clocks_.boot->Micros();
  const std::lock_guard<std::mutex> lock(mutex_);
  longest_sync_micros_ = std::max(longest_sync_micros_, after - before);
  if (!status.ok()) return status;
  committed_at_micros_ = after;
  status_.chain_hash = block.encoded.hash;
  status_.last_durable = block.encoded.last;
  ++status_.commits;
  return status;
}

void ControllerLoop::RunCommitter() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_committer_.wait(lock, [&] { return to_commit_.has_value() || sequencer_done_; });
    if (!to_commit_) break;
    SealedBlock block = std::move(*to_commit_);
    to_commit_.reset();
    lock.unlock();
    if (absl::Status status = Commit(block); !status.ok()) {
      options_.on_write_failure ? options_.on_write_failure(status) : EndProcess(status);
      lock.lock();
      break;  // nothing of it, nor after it, is ever shown
    }
    Durable durable = sequencer_->OnDurable(block.encoded.last);
    lock.lock();
    committed_ = std::move(block);
    committing_ = false;
    durable_.push_back(std::move(durable));
    wake_dispatcher_.notify_one();
    wake_sequencer_.notify_one();
  }
  committer_done_ = true;
  wake_dispatcher_.notify_one();
  wake_sequencer_.notify_one();
}

void ControllerLoop::RunDispatcher() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_dispatcher_.wait(lock, [&] { return !durable_.empty() || committer_done_; });
    if (durable_.empty()) return;
    std::vector<Durable> batches = std::exchange(durable_, {});
    lock.unlock();
    for (Durable& durable : batches) {
      // First the follower: who was answered reads what it did.
      if (!durable.entries.empty()) follower_->Feed(std::move(durable.entries));
      for (Effect& effect : durable.effects) effects_.Carry(std::move(effect));
      for (auto& [sink, reply] : durable.replies) sink->Deliver(std::move(reply));
    }
    lock.lock();
  }
}

LoopStatus ControllerLoop::status() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  LoopStatus status = status_;
  status.queue_bytes = queue_.bytes();
  status.since_last_commit = Duration(clocks_.boot->Micros() - committed_at_micros_);
  status.clock_offset = Now() - LogTimeFromMicros(clocks_.wall->Micros());
  return status;
}

void ControllerLoop::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
    wake_sequencer_.notify_one();
  }
  for (std::thread* thread : {&sequencer_thread_, &committer_thread_, &dispatcher_thread_}) {
    if (thread->joinable()) thread->join();
  }
  if (follower_) follower_->Stop();
}

}  // namespace holdfast::server
