// The projector: brings the store to where the log is, behind the commit, and asks it for what clients want.
//
//   MEETING ─ position ─► JUDGING ─ usable ─► READY ─ trouble, out of turn, lost changes ─► MEETING
//      ▲                    ├──── behind ──► WRITING ─ finished ─► READY
//      │                    │                   └─ a later controller has written ─► SUPERSEDED
//      │                    └── foreign, ahead ─► FOREIGN ─ adopted ─► WRITING
//      └── trouble, anywhere ──┘
//
// A passive object: Step does one bounded piece of work, at most one round of calls of the store, and says when it
// wants the next. The daemon gives it a thread, the simulation a place in its schedule. It decides nothing: what it
// finds and what the store answers is reported, becomes an input, and the log says what follows. Thread: one, but what
// Work names. Promises: nothing is written before the store was judged in this meeting; rows and intents go in the
// order of the log; an intent is asked for while its client waits, and cancelled after that; one that is in doubt is
// settled by the store or by the log's own deadline, never by a guess.

#pragma once

#include <absl/status/statusor.h>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pool/feed.h"
#include "pool/pool_store.h"

namespace holdfast::pool {

// The state that is folded behind the commit, with its feed.
class StateSource {
 public:
  using Look = std::function<void(const ControllerState&, Feed&)>;
  virtual ~StateSource() = default;
  // Runs it where the state is folded, and returns when it has run. False: that is over, and it has not.
  virtual bool Read(const Look& look) = 0;
};

// Each becomes an input. Called on the projector's thread; must not wait.
class ProjectorReports {
 public:
  virtual ~ProjectorReports() = default;
  virtual void StoreSeen(const std::string& log_id, Sequence applied, bool incomplete) = 0;
  virtual void StoreWritten(Sequence applied, std::uint64_t proxies) = 0;
  virtual void Answered(const std::string& extraction_id, const std::vector<AddressKey>& moved, bool cancelled) = 0;
  virtual void Unanswered(const std::string& extraction_id, const std::string& cause) = 0;
};

enum class ProjectorPhase : std::uint8_t { kMeeting, kJudging, kReady, kWriting, kForeign, kSuperseded };

// "away", "met", "ready", "writing", "foreign", "superseded".
std::string_view PhaseName(ProjectorPhase phase);

struct ProjectorStatus {
  ProjectorPhase phase = ProjectorPhase::kMeeting;
  Sequence applied;           // that the store showed last
  LogTime waiting_since;      // when the oldest change that is not there was decided; absent: all are there
  std::uint64_t waiting = 0;  // rows; WRITING: of what has changed since it began, which is waiting_since
  std::uint64_t written = 0;  // WRITING: rows so far
  std::string trouble;        // of the last call; empty: none
  std::uint64_t resyncs = 0;  // that were finished
  RowCounts counts;           // since the start
};

class Projector {
 public:
  struct Parts {
    PoolStore& store;
    StateSource& source;
    ProjectorReports& reports;
    std::function<LogTime()> now;
    // What has changed after the first and up to the second entry, from the log; an error: not to be had. May be null.
    std::function<absl::StatusOr<Changes>(Sequence after, Sequence upto)> read_tail;
  };
  struct Options {
    Duration patience = std::chrono::seconds(1);              // of a call
    Duration resync_patience = std::chrono::seconds(5);       // of a step of a resync
    Duration meet_interval = std::chrono::milliseconds(250);  // between tries to meet it
    Duration look_interval = std::chrono::seconds(5);         // between looks at a store that is not ours
    Duration idle_interval = std::chrono::seconds(1);         // after which entries that changed nothing are passed on
    std::size_t slice_rows = 2'000;
    std::size_t round_calls = 64;                  // about, that are sent together
    Sequence::Representation most_tail = 500'000;  // entries that are read back; beyond that it is written anew
  };

  explicit Projector(const Parts& parts) : Projector(parts, Options()) {}
  Projector(const Parts& parts, const Options& options) : parts_(parts), options_(options) {}

  // After how long it wants the next; it may come sooner (the feed has work).
  Duration Step();

  // A resync, whatever the store holds, as soon as it can be reached.
  void Rebuild() { rebuild_ = true; }

  const ProjectorStatus& status() const { return status_; }
  bool ready() const { return status_.phase == ProjectorPhase::kReady; }
  // READY, and what was taken is there: the store shows what status().applied says.
  bool between_turns() const { return ready() && pending_.empty(); }
  // The same, and of no intent it is open what became of it.
  bool settled() const { return ready() && pending_.empty() && open_.empty(); }

 private:
  struct Open {  // an intent that is in doubt
    std::string extraction_id;
    std::vector<AddressKey> keys;
    std::vector<std::string> addresses;  // as the store names them
    Sequence sequence;                   // of the intent, or of a later entry
  };

  Duration Meet();
  Duration Judge();
  Duration Serve();
  Duration Write();
  Duration LookAgain();

  void Enter(ProjectorPhase phase);
  Duration Stumble(const absl::Status& status);
  Duration Refused(Verdict verdict);

  bool GoesOnFrom(const Position& position);
  bool ReadTail(Sequence from);
  void DropApplied(Sequence applied);
  void FindOpen(const ControllerState& state, Sequence reached);
  void GiveUpIntents(const std::string& cause);
  bool SetSending(bool sending);

  Duration TakeMore();
  Duration SendTurns();
  void Finish(const std::vector<ExtractResult>& answers, std::size_t& next);
  void AddRows(const RowsTurn& rows, std::vector<Call>& calls) const;
  ExtractRequest ExtractOf(const IntentTurn& intent) const;
  CancelRequest CancelOf(const IntentTurn& intent) const;
  Duration Ask(const Open& open);
  void Report(const ExtractResult& result, const Open& open);

  Duration BeginWriting();
  Duration Clear();
  Duration WriteSlice();
  Duration FinishWriting();
  // Of a step of a resync: nothing where it was done, else what to do.
  std::optional<Duration> Failed(const absl::Status& status, Verdict verdict);

  const Parts parts_;
  const Options options_;
  ProjectorStatus status_;

  // Of the state, as it was last looked at.
  LogId log_id_{};
  ControllerEpoch epoch_;
  std::string log_id_text_;

  std::deque<Turn> pending_;  // taken and not known to be applied, in order
  std::deque<Open> open_;     // to be cancelled, or to be told what became of them
  bool found_open_ = false;   // those from before this run
  bool rebuild_ = false;
  std::uint32_t refusals_ = 0;  // in a row
  std::uint64_t judged_ = 0;    // when the store was last reported
  Position met_;
  LogTime passed_on_;  // when turns were last taken

  enum class Stage : std::uint8_t { kBegin, kClear, kWalk, kFinish };
  Stage stage_ = Stage::kBegin;
  bool adopt_ = false;
  WalkPlace place_;
  std::vector<pool::Write> rows_;  // of the slice that is being written
  bool rows_written_ = true;
  Sequence upto_;
};

}  // namespace holdfast::pool
