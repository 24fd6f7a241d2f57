// What the store has yet to be told of the state, in turns: rows as they are, and between them the intents of
// extractions, each at its place in the log.
//
//   events ─ Before ─► changes ─┬─ an intent ─► frozen turns: rows up to it, then the intent ─┐
//                               └──────────── TakeTurns: what has changed since ──────────────┴─► projector
//
// Life cycle: attached to a state as it stands; told of each event before it is folded.
// Thread: that which folds; everything here is called there. Bounded: beyond `most_changes` rows it gives up (lost),
// and the store has to be written anew. While an address is EXTRACTING its rows wait here. Does not know the store.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "pool/changes.h"

namespace holdfast::pool {

// Rows of the entries after `follows`, up to `upto`.
struct RowsTurn {
  Sequence follows, upto;
  LogTime oldest;  // when the first entry after `follows` was decided
  std::vector<Write> writes{};
  std::vector<Settled> settled{};
};

struct IntentTurn {
  Sequence follows, sequence;
  std::string extraction_id;
  std::vector<Candidate> candidates;
  std::vector<AddressKey> keys;  // of them, in the same order
  std::uint32_t need = 1;
  bool all_or_nothing = false;
  LogTime extracted_until;  // at most: the answer fixes it
  LogTime deadline;         // of the answer
  bool given_up = false;    // the client was told that there is none; the projector's
};

using Turn = std::variant<RowsTurn, IntentTurn>;

// Places in a walk over the whole state.
struct WalkPlace {
  AddressKey address{1};  // 0: past the last
  WorkerKey worker{1};
  bool finished = false;
  std::uint64_t addresses = 0, proxies = 0;  // rows so far
};

class Feed {
 public:
  static constexpr std::size_t kMostChanges = 100'000;

  struct Listener {
    std::function<void()> work;  // there is something to take or to look at; called often, must not wait
    // An intent that nobody can ask the store for at the moment; it never will be.
    std::function<void(const std::string& extraction_id)> unsendable;
  };

  Feed(const ControllerState& state, Listener listener, std::size_t most_changes = kMostChanges);

  // ---- by who folds -------------------------------------------------------------------------------------------------
  void Before(const Event& event, const EntryPoint& entry, const ControllerState& state);

  // ---- by the projector, where it is folded -------------------------------------------------------------------------
  // Whether intents have somebody to take them; not from the beginning.
  void SetSending(bool sending) { sending_ = sending; }
  // Everything since the last turn that was taken. even_empty: also a turn without rows, where only entries have
  // passed.
  std::vector<Turn> TakeTurns(const ControllerState& state, bool even_empty);
  // Begins anew: what was noted before is of no more use.
  void Restart(const ControllerState& state);
  // What the store lacks from before the feed began. Requires: the tail is complete and ends where the feed began, and
  // nothing was taken.
  void Prepend(Changes tail, Sequence from);
  // Rows from `place` on, about `most` of them, after those that have changed; moves it. Once it has finished, and has
  // been called once more, what was given since Restart is the state.
  std::vector<Write> Walk(const ControllerState& state, WalkPlace& place, std::size_t most);

  // Turns that are taken from now on follow this.
  Sequence base() const { return base_; }
  bool lost() const { return lost_; }
  std::size_t waiting() const { return changes_.size(); }
  bool has_frozen() const { return !frozen_.empty(); }
  // How often the store was judged, or adopted, since the feed began.
  std::uint64_t judged() const { return judged_; }
  const std::vector<Turn>& frozen() const { return frozen_; }
  Changes& changes() { return changes_; }
  // From now on, whether an address was given to be written since; for who compares while it goes on.
  void Watch(bool on);
  bool WasRewritten(AddressKey address) const {
    return address.value() < rewritten_.size() && rewritten_[address.value()];
  }
  // Whether a row of it is to be written yet.
  bool IsDirty(AddressKey address) { return changes_.addresses().contains(address); }
  bool IsDirty(ProxyKey proxy) { return changes_.proxies().contains(proxy); }

 private:
  void FreezeRows(const ControllerState& state, Sequence upto);
  void FreezeTurn(RowsTurn turn);
  void FreezeIntent(const ExtractionPrepared& event, const EntryPoint& entry, const ControllerState& state);
  bool IsUnsendable(const Event& event);
  std::vector<Write> TakeWrites(const ControllerState& state);
  void WriteProxies(const ControllerState& state, std::vector<Write>& writes, Changes& kept);
  void WriteAddresses(const ControllerState& state, std::vector<Write>& writes, Changes& kept);
  void WriteSession(const ControllerState& state, WorkerKey worker, std::vector<Write>& writes);
  void NoteHeard(WorkerKey worker, const ControllerState& state);
  void GiveUp();

  const Listener listener_;
  const std::size_t most_changes_;
  Changes changes_;
  Sequence base_;
  LogTime oldest_;  // absent: nothing since base_
  LogTime now_;
  std::vector<Turn> frozen_;
  std::vector<LogTime> session_written_;     // by worker key: at what time; absent: never
  absl::btree_set<std::string> unsendable_;  // open intents that the store never hears of
  bool sending_ = false;
  bool lost_ = false;
  std::uint64_t judged_ = 0;
  bool watching_ = false;
  std::vector<bool> rewritten_;  // by address key, while watched
};

}  // namespace holdfast::pool
