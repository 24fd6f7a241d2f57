// Checks proxies: takes tasks, dials, speaks the protocol, and says what it found. docs/checker.md has the rules.
//
// Submit, Cancel, counts and Stop: any thread; the sink is called on the engine's own. Promises: every task is answered
// exactly once within its timeout, counted from Submit, unless it is cancelled or the engine stops; a FAIL is said only
// after the same question went well on the direct path, asked after the proxy had failed; nothing is dialled but what
// the task names, the echo and the judge. A task_id that is under way is not begun again. The number of checks at once
// is the caller's affair: each costs a socket and some 20 KiB, more with TLS.

#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "base/random.h"
#include "base/wall_clock.h"
#include "tools/checker/anonymity.h"
#include "tools/checker/check_counts.h"
#include "tools/checker/check_plan.h"
#include "tools/checker/direct_path.h"
#include "tools/checker/finding.h"
#include "tools/checker/transfer_loop.h"

namespace holdfast::checker {

class CheckEngine {
 public:
  using Sink = std::function<void(controlplane::v1::HealthObservation observation)>;

  // Requires: `random` and `wall_clock` outlive it.
  CheckEngine(CheckSettings settings, SecretBook secrets, RandomSource& random, const WallClock& wall_clock,
              TransferLoop::BootClock clock, Sink sink);
  ~CheckEngine();

  void Submit(controlplane::v1::CheckTask task);
  // No effect where it has ended.
  void Cancel(std::string task_id);
  // Nothing is told to the sink from here on. Not from the sink.
  void Stop();

  CheckCounts counts() const;

 private:
  struct Check {
    controlplane::v1::CheckTask task;
    CheckPlan plan;
    client::BootTime answer_by;
    TransferLoop::TransferId transfer = 0;
    DirectPath::WaiterId waiter = 0;
    client::Scheduler::TimerId limit = 0;
    TransferEnd end = {};
    Finding finding = {};
  };

  void Begin(controlplane::v1::CheckTask task, client::BootTime received_at);
  void OnEnded(const std::string& task_id, const TransferEnd& end);
  void AwaitDirectPath(Check& check, client::BootTime since);
  void OnDirectPath(const std::string& task_id, const DirectAnswer& answer);
  void Drop(const std::string& task_id);
  void Probe(const Question& question, DirectPath::Answer ended);
  controlplane::v1::Anonymity AnonymityOf(const Check& check, const DirectAnswer& direct) const;

  void Conclude(Check& check, controlplane::v1::Verdict verdict,
                controlplane::v1::Anonymity anonymity = controlplane::v1::ANONYMITY_UNSPECIFIED);
  void ConcludeWithout(const controlplane::v1::CheckTask& task, Trouble trouble, const Check* check);
  void Tell(controlplane::v1::HealthObservation observation, Trouble trouble);

  const CheckSettings settings_;
  const SecretBook secrets_;
  const AddressPolicy policy_;
  RandomSource& random_;
  const WallClock& wall_clock_;
  const Sink sink_;

  mutable std::mutex mutex_;  // guards counts_
  CheckCounts counts_;

  // The loop's own.
  std::map<std::string, Check> checks_;
  TransferLoop loop_;
  DirectPath direct_path_;
};

}  // namespace holdfast::checker
