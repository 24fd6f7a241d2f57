// The simulated daemon: drives the real sequencer over a disk that has accidents, as controller_loop.cc does with
// threads: one block is decided while the one before it syncs, and nothing is shown before its sync.
//
//   serving ── crash, failed write ──► down ── restart: recovers, writes its start ──► serving
//
// Called by the network with what arrives, by the faults with what befalls it. Thread: one. Promises: the order of the
// daemon (effects of a block before its answers, blocks in order). Does not: check identities, keep queues in bytes.

#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/log_clock.h"
#include "base/settings.h"
#include "controller/recovery.h"
#include "controller/sequencer.h"
#include "tests/simulation/world/committed.h"
#include "tests/simulation/world/disk.h"
#include "tests/simulation/world/machine_clock.h"
#include "tests/simulation/world/projector_thread.h"
#include "tests/simulation/world/server_streams.h"
#include "tests/simulation/world/waiting_clients.h"
#include "tests/simulation/world/wire.h"

namespace holdfast::simulation {

class Controller {
 public:
  Controller(World& world, Network& network, StoreServer& store);

  // The first start, with an empty disk.
  void Start();
  bool serving() const { return serving_; }

  // A call arrives.
  void Arrive(IncomingCall call);
  void ClientGone(const Link* link, std::uint64_t handle) {
    if (streams_) streams_->ClientGone(link, handle);
  }
  void LinkGone(const Link* link) {
    if (streams_) streams_->LinkGone(link);
  }

  // ---- what befalls it ---------------------------------------------------------------------------------------------
  void Crash();
  // … and comes back on the same boot after so long.
  void StayAway(Micros length);
  void Pause(Micros length);
  void Shed(Micros length);
  void JumpWall(Micros offset) { clock_.SetWall(offset); }
  // For the quiet phase: it serves from here on, at the latest after `within`.
  void Recover();

  const Disk& disk() const { return disk_; }
  const Committed& committed() const { return committed_; }
  const Settings& settings() const { return settings_; }
  std::uint64_t starts() const { return starts_; }
  // Of the store; nullptr: the process is down.
  const pool::Projector* projector() const { return projector_ ? &projector_->projector() : nullptr; }
  LogTime Now() const;

 private:
  class Sink;

  void End();
  void Restart(bool other_boot);
  void StartProjector();
  log::v1::Input StartInput(const RecoveredLog& recovered);
  std::string RandomId();

  StreamId OpenStream(IncomingCall& call);
  std::optional<Rejection> Refuse(const IncomingCall& call);
  std::optional<Rejection> RefuseShed(const log::v1::Input& input);
  void NoteShed();
  void DrawIds(log::v1::Input& input);
  void SubmitOwn(const log::v1::Input& input);

  void Wake();
  void WakeAt(Micros when);
  void StepNow();
  void MoveClock();
  void NoteStall();
  LogTime ReadClock();
  void ScheduleDeadline();
  void HandOver();
  void CommitDone(Sequence last, Micros began);
  void Dispatch(Durable durable);
  void Answer(Sink& sink, Reply reply);
  void AnswerUnlogged();

  World& world_;
  Network& network_;
  StoreServer& store_;
  MachineClock clock_;
  Disk disk_;
  Committed committed_;
  Settings settings_;

  // Of this process.
  bool serving_ = false;
  std::uint64_t generation_ = 0;  // of the process: what was asked for by an earlier one does not happen
  std::uint64_t starts_ = 0;
  std::unique_ptr<LogClock> log_clock_;
  std::unique_ptr<Sequencer> sequencer_;
  std::unique_ptr<ServerStreams> streams_;
  std::unique_ptr<ProjectorThread> projector_;
  WaitingClients waiting_;
  std::deque<Command> queue_;
  bool committing_ = false;
  Micros next_step_ = 0;  // when one is due; 0: none
  std::uint64_t step_serial_ = 0;
  std::optional<std::int64_t> wake_by_;  // boot-time clock at which a deadline would wake it
  std::int64_t longest_sync_ = 0;
  std::int64_t boot_micros_ = 0;
  LogTime log_now_;
  Micros paused_until_ = 0;
  Micros shed_until_ = 0;
  bool shed_note_due_ = false;
  std::set<std::tuple<bool, std::string, std::string>> shed_sessions_;  // a checker's; member, session
  Micros last_dispatch_ = 0;
  std::uint64_t next_stream_ = 0;
};

}  // namespace holdfast::simulation
