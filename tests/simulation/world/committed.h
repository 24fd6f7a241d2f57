// Reads what is committed, as the follower does: checks the chain, parses every entry for the checkers, folds a second
// state from the stored bytes, and compares its digest with the one that each block carries.
//
// Called by the simulated controller after each sync and after each recovery. Thread: one.

#pragma once

#include <memory>
#include <vector>

#include "controller/log_render.h"
#include "events/block_view.h"
#include "events/chain_verifier.h"
#include "events/event.h"
#include "events/event_log.h"
#include "pool/feed.h"
#include "projections/controller_state.h"
#include "tests/simulation/world/world.h"

namespace holdfast::simulation {

class Committed {
 public:
  explicit Committed(World& world) : world_(world) {}

  // Reads on to the end of what is committed.
  void ReadOn(const EventLog& log);
  // The log was closed by a crash: goes on with a new reader at the same place.
  void Reopen() { reader_.reset(); }

  // Is told of each event before it is folded; nullptr: nobody is.
  void Attach(pool::Feed* feed) { feed_ = feed; }

  const ControllerState& state() const { return state_; }
  Sequence last() const { return last_; }

 private:
  absl::Status ReadBlocks(const EventLog& log);
  absl::Status ReadEntry(const EntryView& entry);

  World& world_;
  std::unique_ptr<BlockReader> reader_;
  ChainVerifier chain_;
  BlockView view_;
  EntryMessages messages_;
  std::vector<Event> events_;
  ControllerState state_;
  Sequence last_;
  pool::Feed* feed_ = nullptr;
};

}  // namespace holdfast::simulation
