// The sequencer: gives every input its place and time, decides it, applies what was decided, and collects entries into
// blocks. It waits for nothing and writes nothing: one thread (or the simulation) drives it.
//
//   Offer(command)…  Step(now)  ─► TakeBlock() ─► (the driver appends it, synced) ─► OnDurable(last) ─► replies,
//   effects
//                       └────── the next block is decided while the last one syncs ──────┘
//
// Order within a step: ends of ownership, what was offered, ends of sessions (only when nothing waits: the controller's
// silence is not a member's), placement, checks, updates. Nothing of a block is shown before OnDurable has been called
// for it. Thread: all but OnDurable from the one that drives it; OnDurable from the one that commits. Does not: read a
// clock, touch the log, call anybody. A broken invariant ends the process (CHECK) with its sequence.

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controller/command.h"
#include "controller/effect.h"
#include "events/block_builder.h"
#include "events/event_log.h"
#include "projections/controller_state.h"

namespace holdfast {

// A committed entry as the follower folds it.
struct AppliedEntry {
  EntryPoint point;
  std::vector<Event> events;
};

// What may be shown when a block is durable.
struct Durable {
  Sequence last;
  std::vector<std::pair<std::unique_ptr<ReplySink>, Reply>> replies;
  std::vector<Effect> effects;  // in the order of their events; carried out before the replies
  std::vector<AppliedEntry> entries;
};

// A block on its way to the log.
struct SealedBlock {
  EncodedBlock encoded;
  Sequence follows;
  std::vector<SideRow> ownership_periods;
};

class Sequencer {
 public:
  struct Tip {
    Sequence sequence;  // last in the log
    Hash256 hash{};     // of its last block; zero for an empty log
  };
  struct Options {
    std::size_t block_entries = 4096;           // at most, of one block
    std::size_t block_bytes = 8 * 1024 * 1024;  // about, of one block
    std::uint32_t logged_rejections = 20;       // of one peer and second; the rest is summed up
  };

  Sequencer(std::unique_ptr<ControllerState> state, const Tip& tip, const LogId& log_id, std::string boot_id,
            const Options& options);

  void Offer(Command command);
  // Decides what is due and what was offered, as far as the block has room. now: log time, not before the last.
  void Step(LogTime now);

  bool HasBlock() const { return builder_.count() > 0; }
  // Whether the open block takes more; when not, nothing is decided until it is taken.
  bool HasRoom() const;
  // Closes the open block. Requires: HasBlock(). boot_micros: boot-time clock of the last Step.
  SealedBlock TakeBlock(std::int64_t boot_micros);
  // At any time after its commit: its memory is used again.
  void Recycle(SealedBlock&& committed) { builder_.Recycle(std::move(committed.encoded)); }

  // The block that ends with `last` is synced. Blocks become durable in order.
  Durable OnDurable(Sequence last);

  // How far an operator has had the log's time moved forward since the last call: this object's own time has moved with
  // the entry that says so, and the driver's clock is moved before the next Step.
  Duration TakeClockMove() { return std::exchange(clock_move_, Duration(0)); }

  // Answers that depend on no entry (rejections that are summed up, not logged), to be delivered at any time.
  std::vector<std::pair<std::unique_ptr<ReplySink>, Reply>> TakeUnlogged();

  // When the next Step is due though nothing is offered; nullopt: not before something is.
  std::optional<LogTime> NextDeadline() const;
  // Offered and not yet decided.
  bool HasBacklog() const { return !offered_.empty(); }

  const ControllerState& state() const { return *state_; }

 private:
  struct PeerRejections {
    std::int64_t second = 0;
    std::uint32_t logged = 0;
    std::uint64_t suppressed = 0;
  };
  void DecideStart();
  void DecideOffered();
  void DecideNext();
  bool Submit(const log::v1::Input& input);
  bool Suppress(const Command& command, const Decision& decision);
  void Record(Command& command, Decision decision);
  void RunTicks(log::v1::Tick::Scope scope);
  void Place();
  void Rebalance();
  void Check();
  void IssueUpdates();
  void MarkTime();
  void SumUpRejections();
  void FollowClock(const Event& event);

  const Options options_;
  std::unique_ptr<ControllerState> state_;
  BlockBuilder builder_;
  Sequence last_;    // of the last entry, decided
  Sequence sealed_;  // of the last block, sealed
  Hash256 chain_hash_{};
  LogTime now_;
  Duration clock_move_{};
  std::deque<Command> offered_;
  Sequence placed_nothing_at_;  // placement was tried at this sequence and moved nothing
  Sequence moved_nothing_at_;   // rebalancing, as well
  std::map<std::string, PeerRejections> rejections_;
  std::string events_buffer_;
  Durable open_;  // of the open block
  std::vector<SideRow> open_periods_;
  std::vector<std::pair<std::unique_ptr<ReplySink>, Reply>> unlogged_;

  std::mutex mutex_;
  std::deque<Durable> pending_;  // guarded by mutex_: sealed, not yet durable
};

// When state alone makes the next step due; nullopt: never.
std::optional<LogTime> NextStateDeadline(const ControllerState& state);

}  // namespace holdfast
