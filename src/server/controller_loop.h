// Drives the sequencer: one thread decides, one commits (append and sync), one dispatches what is durable (effects,
// then replies). The next block is decided while the last one syncs. A failed write ends the process (fail-stop).
//
//   handlers ─Submit─► queue ─► sequencer's thread ─► committing thread ─┬─► dispatcher: effects, replies
//                                                                        └─► follower: reads
//
// Life cycle: Open (recovers, writes the start of this run), Submit and Read from any thread, Stop (decides nothing
// more, commits what was decided, answers it; what was not decided is dropped unanswered). Guarantees: an answer is
// given only after its entry is synced. Sinks and the EffectSink are called on the dispatcher's thread.

#pragma once

#include <absl/status/statusor.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/boot_clock.h"
#include "base/log_clock.h"
#include "base/random.h"
#include "base/wall_clock.h"
#include "controller/recovery.h"
#include "controller/sequencer.h"
#include "events/event_log.h"
#include "server/command_queue.h"
#include "server/follower.h"

namespace holdfast::server {

// Carries effects out. Must not wait. Thread: the dispatcher's.
class EffectSink {
 public:
  virtual ~EffectSink() = default;
  virtual void Carry(Effect effect) = 0;
};

// What a person wants to know of the loop at one glance. Figures are of now and approximate.
struct LoopStatus {
  std::size_t queue_bytes = 0;
  Duration since_last_commit{};
  Duration clock_offset{};  // log clock minus wall clock
  Hash256 chain_hash{};     // at last_durable
  Sequence last_durable;
  std::uint64_t commits = 0;
};

class ControllerLoop {
 public:
  struct Options {
    Settings settings;
    bool bootstrap = false;
    std::string software_version;
    std::size_t queue_bytes = 256 * 1024 * 1024;
    double queue_share = 0.25;                        // that one peer may fill
    std::function<void(Sequence)> recovery_progress;  // may be null
    // A block could not be written: fail-stop. The default says so on stderr and ends the process with exit code 2.
    std::function<void(const absl::Status&)> on_write_failure;
  };
  struct Clocks {
    const BootClock* boot = nullptr;
    const WallClock* wall = nullptr;
  };

  // Folds the log, then starts the threads and waits until the start of this run is durable. log, clocks, random and
  // effects must outlive the loop.
  static absl::StatusOr<std::unique_ptr<ControllerLoop>> Open(EventLog& log, Clocks clocks, RandomSource& random,
                                                              EffectSink& effects, const Options& options);
  ~ControllerLoop();  // stops

  // False: shed; the command is untouched.
  bool Submit(Command& command, CallClass call_class);
  // An input of the controller's own (a completion): never shed.
  void SubmitOwn(const log::v1::Input& input, std::unique_ptr<ReplySink> sink = nullptr);

  Follower& follower() { return *follower_; }
  EventLog& event_log() { return log_; }
  const BootClock& boot_clock() const { return *clocks_.boot; }
  LogTime Now()
      const;  // log time; may lag the sequencer's by nothing that matters to a person, never ahead by more than a step
  // A number for a Watch stream that no other has had in the life of the log.
  StreamId NextStream() { return StreamId(next_stream_.fetch_add(1)); }
  LoopStatus status() const;
  Sequence recovered_through() const { return recovered_through_; }
  void Stop();

 private:
  ControllerLoop(EventLog& log, Clocks clocks, EffectSink& effects, const Options& options);
  absl::Status Start(RandomSource& random);
  absl::Status CommitStart(LogTime now);
  log::v1::Input StartInput(const RecoveredLog& recovered, RandomSource& random) const;
  void RunSequencer();
  void RunCommitter();
  void RunDispatcher();
  bool WaitForWork();
  void OfferWaiting();
  Command WithClockMove(Command command);
  void MoveClock();
  LogTime ReadClock();
  void HandOver();
  void NoteStall();
  absl::Status Commit(const SealedBlock& block);
  void Wake();

  EventLog& log_;
  const Clocks clocks_;
  EffectSink& effects_;
  const Options options_;
  Sequence recovered_through_;
  std::atomic<std::uint64_t> next_stream_{0};
  CommandQueue queue_;

  // The sequencer's thread, but OnDurable.
  std::unique_ptr<LogClock> clock_;
  std::unique_ptr<Sequencer> sequencer_;
  std::int64_t boot_micros_ = 0;                // of the last reading
  std::optional<std::int64_t> wake_by_micros_;  // boot-time clock; when it meant to wake
  std::unique_ptr<Follower> follower_;

  mutable std::mutex mutex_;
  std::condition_variable wake_sequencer_, wake_committer_, wake_dispatcher_;
  std::atomic<bool> sequencer_sleeps_{false};
  std::optional<SealedBlock> to_commit_;  // guarded by mutex_, and all below
  std::optional<SealedBlock> committed_;  // the last one, for its memory
  bool committing_ = false;
  std::vector<Durable> durable_;  // to be dispatched
  bool nudged_ = false;           // something was queued
  bool stopping_ = false, sequencer_done_ = false, committer_done_ = false;
  std::int64_t longest_sync_micros_ = 0;  // since the sequencer last looked
  LoopStatus status_;
  std::int64_t committed_at_micros_ = 0;  // boot-time clock
  std::atomic<std::int64_t> now_micros_{0}, now_boot_micros_{0};

  std::thread sequencer_thread_, committer_thread_, dispatcher_thread_;
};

}  // namespace holdfast::server
