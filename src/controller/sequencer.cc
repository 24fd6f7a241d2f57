#include "controller/sequencer.h"

#include <algorithm>

#include "base/check.h"
#include "controller/check_due.h"
#include "controller/decide.h"
#include "controller/period_rows.h"
#include "controller/place_due.h"
#include "controller/shares.h"
#include "controller/wait_rules.h"
#include "events/event_codec.h"

namespace holdfast {
namespace {

constexpr std::size_t kMostUpdatesPerStep = 256;

std::int64_t SecondOf(LogTime time) { return ToMicros(time) / 1'000'000; }

}  // namespace

Sequencer::Sequencer(std::unique_ptr<ControllerState> state, const Tip& tip, const LogId& log_id, std::string boot_id,
                     const Options& options)
    : options_(options),
      state_(std::move(state)),
      builder_(log_id, boot_id),
      last_(tip.sequence),
      sealed_(tip.sequence),
      chain_hash_(tip.hash),
      now_(state_->run().last().at) {
  builder_.Begin(Next(last_));
}

void Sequencer::Offer(Command command) { offered_.push_back(std::move(command)); }

bool Sequencer::HasRoom() const {
  return builder_.count() < options_.block_entries && builder_.SizeBytes() < options_.block_bytes;
}

void Sequencer::Step(LogTime now) {
  HOLDFAST_CHECK(now >= now_);
  now_ = now;
  DecideStart();
  if (state_->run().created()) RunTicks(log::v1::Tick::SCOPE_OWNERSHIP);
  DecideOffered();
  if (!state_->run().created()) return;
  if (offered_.empty()) RunTicks(log::v1::Tick::SCOPE_SESSIONS);
  Place();
  Rebalance();
  Check();
  IssueUpdates();
  SumUpRejections();
  MarkTime();
}

// A start is decided before anything ends by the new time: on another boot that time may lie, and what was held is
// counted from the start.
void Sequencer::DecideStart() {
  if (!offered_.empty() && offered_.front().parsed->has_start_controller()) DecideNext();
}

void Sequencer::DecideOffered() {
  while (!offered_.empty() && HasRoom()) DecideNext();
}

void Sequencer::DecideNext() {
  Command command = std::move(offered_.front());
  offered_.pop_front();
  const ScopedCheckSequence check(Next(last_).value());
  Decision decision = Decide(*state_, *command.parsed, {now_, Next(last_), command.principal});
  if (Suppress(command, decision)) {
    if (command.sink) unlogged_.emplace_back(std::move(command.sink), std::move(decision.reply));
    return;
  }
  const bool empty = decision.events.empty() && !IsFromOutside(*command.parsed);
  if (!empty) Record(command, std::move(decision));
}

// Of a peer's rejected inputs only the first few a second are entries; what has a consequence always is.
bool Sequencer::Suppress(const Command& command, const Decision& decision) {
  if (!std::holds_alternative<Rejection>(decision.reply) || decision.events.size() != 1) return false;
  PeerRejections& peer = rejections_[command.peer];
  if (peer.second != SecondOf(now_)) {
    peer.second = SecondOf(now_);
    peer.logged = 0;
  }
  if (peer.logged < options_.logged_rejections) {
    ++peer.logged;
    return false;
  }
  ++peer.suppressed;
  return true;
}

void Sequencer::SumUpRejections() {
  for (auto it = rejections_.begin(); it != rejections_.end();) {
    if (it->second.second == SecondOf(now_)) {
      ++it;
      continue;
    }
    if (it->second.suppressed > 0) {
      log::v1::Input input;
      input.mutable_suppress_rejections()->set_peer(it->first);
      input.mutable_suppress_rejections()->set_count(it->second.suppressed);
      Submit(input);
    }
    it = rejections_.erase(it);
  }
}

// Decides one of the controller's own inputs. False: nothing follows, and nothing is written.
bool Sequencer::Submit(const log::v1::Input& input) {
  const ScopedCheckSequence check(Next(last_).value());
  Decision decision = Decide(*state_, input, {now_, Next(last_), kControllerPrincipal});
  if (decision.events.empty()) return false;
  Command command;
  input.SerializeToString(&command.input);
  command.parsed = &input;
  command.principal = kControllerPrincipal;
  Record(command, std::move(decision));
  return true;
}

void Sequencer::Record(Command& command, Decision decision) {
  const EntryPoint point{Next(last_), now_};
  events_buffer_.clear();
  EncodeEvents(decision.events, events_buffer_);
  const Sequence sequence =
      builder_.Add({now_, command.principal, {}, command.input, IsBulky(*command.parsed), events_buffer_});
  HOLDFAST_CHECK(sequence == point.sequence);
  for (const Event& event : decision.events) {
    state_->Apply(event, point);
    AppendEffects(*state_, event, open_.effects);
  }
  state_->Passed(point);
  for (const Event& event : decision.events) FollowClock(event);
  for (const OwnershipPeriod& period : state_->TakeEndedPeriods()) AppendPeriodRows(period, open_periods_);
  if (command.sink) open_.replies.emplace_back(std::move(command.sink), std::move(decision.reply));
  open_.entries.push_back({point, std::move(decision.events)});
  last_ = point.sequence;
}

// Deadlines have moved with the entry, so what is decided next in this step must stand behind it in time as well: an
// update issued by the old time would seem good for longer to its worker than its window lasts.
void Sequencer::FollowClock(const Event& event) {
  const auto* accepted = std::get_if<ClockAccepted>(&event);
  if (accepted == nullptr) return;
  now_ += accepted->moved;
  clock_move_ += accepted->moved;
}

void Sequencer::RunTicks(log::v1::Tick::Scope scope) {
  log::v1::Input tick;
  tick.mutable_tick()->set_scope(scope);
  while (HasRoom() && Submit(tick)) {
  }
}

void Sequencer::Place() {
  log::v1::Input place;
  place.mutable_place();
  while (HasRoom() && placed_nothing_at_ != last_ && IsPlacementDue(*state_)) {
    if (!Submit(place)) placed_nothing_at_ = last_;
  }
}

void Sequencer::Rebalance() {
  if (!HasRoom() || moved_nothing_at_ == last_ || !SharesAreStale(*state_)) return;
  log::v1::Input rebalance;
  rebalance.mutable_rebalance();
  if (!Submit(rebalance)) moved_nothing_at_ = last_;
}

void Sequencer::Check() {
  log::v1::Input check;
  check.mutable_check();
  while (HasRoom() && IsCheckDue(*state_, now_) && Submit(check)) {
  }
}

void Sequencer::IssueUpdates() {
  for (const WorkerKey worker : state_->snapshots().issues().Due(now_, kMostUpdatesPerStep)) {
    if (!HasRoom()) return;
    log::v1::Input issue;
    issue.mutable_issue_snapshot()->set_worker(worker.value());
    Submit(issue);
  }
}

void Sequencer::MarkTime() {
  // What is due may not have been decided for want of room: a mark would say that time has passed without it.
  if (!HasRoom()) return;
  if (now_ - state_->run().last().at < state_->settings().session_ttl / 3) return;
  log::v1::Input mark;
  mark.mutable_time_mark();
  Submit(mark);
}

SealedBlock Sequencer::TakeBlock(std::int64_t boot_micros) {
  HOLDFAST_CHECK(HasBlock());
  SealedBlock block;
  block.follows = sealed_;
  block.encoded = builder_.Seal({boot_micros, ControllerState::Version(), state_->StateDigest(), chain_hash_});
  block.ownership_periods = std::exchange(open_periods_, {});
  chain_hash_ = block.encoded.hash;
  sealed_ = last_;
  open_.last = last_;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    pending_.push_back(std::exchange(open_, Durable()));
  }
  builder_.Begin(Next(last_));
  return block;
}

Durable Sequencer::OnDurable(Sequence last) {
  const std::lock_guard<std::mutex> lock(mutex_);
  HOLDFAST_CHECK(!pending_.empty() && pending_.front().last == last);
  Durable durable = std::move(pending_.front());
  pending_.pop_front();
  return durable;
}

std::vector<std::pair<std::unique_ptr<ReplySink>, Reply>> Sequencer::TakeUnlogged() {
  return std::exchange(unlogged_, {});
}

std::optional<LogTime> Sequencer::NextDeadline() const {
  if (!offered_.empty()) return now_;
  std::optional<LogTime> next = NextStateDeadline(*state_);
  if (placed_nothing_at_ != last_ && state_->run().created() && IsPlacementDue(*state_)) next = now_;
  if (moved_nothing_at_ != last_ && state_->run().created() && SharesAreStale(*state_)) next = now_;
  if (!rejections_.empty()) next = std::min(next.value_or(LogTime::max()), now_ + std::chrono::seconds(1));
  return next;
}

namespace {

template <class F>
void ConsiderExtractions(const Extractions& extractions, F&& consider) {
  consider(extractions.deadlines().Earliest());
  consider(extractions.ends().Earliest());
  consider(extractions.forgets().Earliest());
  consider(extractions.release_forgets().Earliest());
  consider(extractions.shortage_ends().Earliest());
}

}  // namespace

std::optional<LogTime> NextStateDeadline(const ControllerState& state) {
  std::optional<LogTime> next;
  const auto consider = [&](std::optional<LogTime> time) {
    if (time && (!next || *time < *next)) next = time;
  };
  consider(state.ownership().lapses().Earliest());
  consider(state.ownership().holder_windows().Earliest());
  consider(state.pool().unusable_at().Earliest());
  consider(state.pool().expired_at().Earliest());
  consider(state.sessions().expiries().Earliest());
  consider(state.sessions().drain_deadlines().Earliest());
  consider(state.sessions().conflict_ends().Earliest());
  consider(state.ownership().drain_deadlines().Earliest());
  consider(state.snapshots().ack_deadlines().Earliest());
  consider(state.snapshots().issues().Earliest());
  consider(state.checkers().expiries().Earliest());
  consider(state.checkers().drain_deadlines().Earliest());
  consider(state.checks().deadlines().Earliest());
  consider(NextCheckAt(state));
  consider(NextCheckAlarmAt(state));
  if (const std::optional<LogTime> since = state.ownership().unanswered().Earliest()) {
    consider(*since + state.settings().drain_grace);
  }
  consider(WaitEndsAt(state));
  ConsiderExtractions(state.extractions(), consider);
  if (state.ownership().anything_held()) consider(state.run().last().at + state.settings().session_ttl / 3);
  return next;
}

}  // namespace holdfast
