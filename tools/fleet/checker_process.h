// One process life of a simulated checker: a CheckerClient, and checks that find what the truth says.
//
// On its loop's thread. Nothing is dialled: a check takes as long as its proxy is away, and finds what is true at its
// end. It tells the statistics what happened, and the watch which proxies it has let down. Destroying it is a kill:
// nothing is said to the controller.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "client/checker_client.h"
#include "tools/fleet/checker_environment.h"
#include "tools/fleet/network_faults.h"
#include "tools/fleet/prng.h"

namespace holdfast::fleet {

enum class CheckPace : std::uint8_t {
  kUsual,
  kSlow,  // ten times as long
  kLate,  // around the end of the timeout, whether or not anybody still waits
};

class CheckerProcess : public client::CheckHandler, public client::CheckerObserver {
 public:
  CheckerProcess(CheckerEnvironment& environment, std::shared_ptr<client::Scheduler> scheduler, std::size_t number,
                 const std::string& checker_id, std::uint64_t seed);
  ~CheckerProcess() override;

  void Start() { client_->Start(); }
  // Drains; `done` when the session is over, or after the bound.
  void Drain(Duration bound, std::function<void()> done);

  NetworkFaults& network() { return faults_; }
  // Of the checks that begin from here on.
  void SetPace(CheckPace pace) { pace_ = pace; }

  // ---- CheckHandler
  void Run(const controlplane::v1::CheckTask& task) override;
  void Cancel(const std::string& task_id) override;

  // ---- CheckerObserver
  void OnCall(const client::CallRecord& record) override { environment_.statistics.CountCall(record); }
  void OnState(LifecycleState state) override;
  void OnUpdate(const controlplane::v1::TaskUpdate& update) override;
  void OnTask(const std::string& task_id, client::TaskFate fate) override;
  void OnReport(const controlplane::v1::ReportObservationsRequest& request,
                const controlplane::v1::ReportObservationsResponse& response) override;
  void OnObservationLost(const std::string& task_id, client::ObservationLoss loss) override;
  void OnFinished(session::SessionEnd end, const std::string& why) override;

 private:
  Duration LengthOf(const controlplane::v1::CheckTask& task);
  std::int64_t SinceBeginUs() const { return (scheduler_->Now() - environment_.began_at).count(); }
  void Finish(const controlplane::v1::CheckTask& task);
  // The proxy of this task was not checked, by this checker's doing.
  void LetDown(const std::string& task_id);

  CheckerEnvironment& environment_;
  const std::shared_ptr<client::Scheduler> scheduler_;
  const std::string checker_id_;
  Prng prng_;
  CheckPace pace_ = CheckPace::kUsual;
  std::map<std::string, client::Scheduler::TimerId> running_;  // by task; none that goes on whatever happens
  std::map<std::string, std::string> owed_;  // the proxy of each task whose observation was not accepted yet
  LifecycleState last_state_ = LifecycleState::kConnecting;
  bool finished_ = false;
  std::function<void()> on_finished_;
  NetworkFaults faults_;
  std::unique_ptr<client::CheckerClient> client_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// What a check of `task` finds at that instant of the truth.
controlplane::v1::HealthObservation ObservationOf(const ProxyTruth& truth, const controlplane::v1::CheckTask& task,
                                                  std::int64_t at_us);

}  // namespace holdfast::fleet
