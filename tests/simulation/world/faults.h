// What can go wrong in a simulated world, how often it does so in this run, and how often it did.
//
// The rates are drawn once from the seed; some are zero, so that runs differ in kind. Every fault is asked for by name
// at the place where it would strike. Thread: one. Quiet: from then on nothing goes wrong any more.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/checkers/reached.h"
#include "tools/fleet/prng.h"

namespace holdfast::simulation {

using fleet::Prng;

enum class Fault : std::uint8_t {
  // Of each message.
  kMessageLost,
  kMessageLate,
  kMessageTwice,
  kMessageOvertaken,  // not drawn: it follows from delays
  kStreamBroken,
  kStreamDead,  // half open: neither end hears of it for a while
  kStreamBlocked,
  // Of each update.
  kUpdateRefused,
  kAnswerLate,
  kRefusedAcked,  // of each refusal: an ACK of the same update comes behind it
  // Of each block.
  kCrashBeforeSync,
  kCrashBeforeAnswer,
  kSyncSlow,
  kSyncStalled,
  kWriteFailed,
  kBlockTorn,  // these two: not drawn, they follow from crashes
  kBlockKept,
  // Of each step.
  kProcessCutOff,
  kWorkerPaused,
  kWorkerMute,  // answers no update for a while, and reports on
  kWorkerCrashed,
  kWorkerReplaced,  // a new process while the old one goes on
  kInstanceCloned,  // that new process runs under the instance id of the old one
  kWorkerLeaves,
  kControllerCrashed,
  kControllerPaused,
  kCallsShed,
  kWallBack,
  kWallAhead,
  // Of each step: what befalls checkers.
  kCheckerCutOff,
  kCheckerPaused,
  kCheckerCrashed,
  kCheckerReplaced,  // a new process while the old one goes on
  kCheckerLeaves,    // it drains by itself
  kCheckerDeaf,      // stops reading its stream for a while
  kCheckerLies,      // finds what is dead alive, and what is alive dead
  kUplinkBroken,     // everything fails for one checker
  kUplinksBroken,    // … for all
  kCheckerBlind,     // concludes nothing for a while
  // Of each step: what befalls proxies.
  kProxyFails,
  kProxyReturns,
  kManyProxiesDie,
  kTargetsFail,
  // Of each task.
  kTaskSlow,       // reported when its time is over
  kTaskForgotten,  // never reported
  // Of each call to the pool store.
  kStoreSlow,
  kStoreCallLost,
  kStoreCallLate,  // given up, and done after that
  kStoreCallTwice,
  kStoreAnswerLost,
  kStoreFailsOverHalfWay,  // of each step of a resync
  // Of each step: what befalls the pool store, and clients.
  kStoreAway,
  kStoreFailsOver,  // a copy takes over that lacks the last writes
  kStoreEmptied,
  kStoreForeign,  // another log's stands there
  kStoreAhead,    // it has more than the log
  kStoreCallAgain,
  kStoreStaleWrite,  // a controller that was followed by another goes on writing
  kClientCutOff,
  kClientPaused,
  kClientVanishes,
  kDayAsleep,  // everybody is, for a day
  // Of each restart of the controller.
  kOtherBoot,
  kSettingsChanged,
  kCount
};

const char* FaultName(Fault fault);

class FaultPlan {
 public:
  // Draws the rates.
  FaultPlan(Prng& random, Reached& reached);

  // Whether it strikes here and now; counts it.
  bool Strikes(Fault fault);
  // Counts one that was not drawn.
  void Note(Fault fault) { reached_.Count("fault", FaultName(fault)); }

  void BeQuiet() { quiet_ = true; }
  bool quiet() const { return quiet_; }

  // Per ten thousand, by name, those that are not zero.
  std::vector<std::pair<std::string, std::uint32_t>> rates() const;

 private:
  Prng& random_;
  Reached& reached_;
  bool quiet_ = false;
  std::array<std::uint32_t, static_cast<std::size_t>(Fault::kCount)> rates_{};
};

}  // namespace holdfast::simulation
