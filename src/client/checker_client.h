// A checker's side of the control plane: registers, watches its tasks, has them run, reports what was seen,
// reconnects.
//
// One thread (the scheduler's) runs everything; hundreds of clients may share it. Made, called and destroyed on that
// thread, except Report, which any thread may call while the client lives.
// Promises what docs/client.md says under "What a checker does": above all that a task is run once at a time, that a
// report without an answer is repeated word for word under its number, and that nothing of a session that is over is
// reported in the next.
// Does not check anything: the CheckHandler does. Destroying it says nothing, not even to the handler.

#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/random.h"
#include "client/check_handler.h"
#include "client/checker_context.h"
#include "client/member_session.h"
#include "client/observation_link.h"
#include "client/task_link.h"
#include "client/task_table.h"

namespace holdfast::client {

class CheckerClient {
 public:
  // Requires: `handler`, `observer` and `random` outlive the client.
  CheckerClient(CheckerSettings settings, std::shared_ptr<Scheduler> scheduler,
                std::unique_ptr<CheckerTransport> transport, CheckHandler& handler, CheckerObserver& observer,
                RandomSource& random);
  ~CheckerClient();

  // Registers, and goes on by itself until OnFinished.
  void Start();
  // Takes no new task, reports that it drains, lets what was taken come to its end, and finishes when the controller
  // says closed, or after `bound`.
  void Drain(Duration bound);
  // Finishes at once; nothing is said to the controller. What runs is cancelled at the handler.
  void Stop();

  // The answer to a task, matched by task_id. Never waits, any thread. Dropped, and told to the observer, where no
  // such task runs (any more).
  void Report(controlplane::v1::HealthObservation observation);

  LifecycleState state() const { return session_.state(); }
  const std::string& instance_id() const { return instance_id_; }
  // Of the session in force; empty without one.
  std::string session_id() const { return context_.session ? context_.session->id : std::string(); }

 private:
  struct EndedLinks {
    std::unique_ptr<TaskLink> tasks;
    std::unique_ptr<ObservationLink> observations;
  };

  void Do(session::SessionAction action);
  void Register();
  controlplane::v1::RegisterCheckerRequest MakeRegistration() const;
  void OnRegistered(const controlplane::v1::RegisterCheckerRequest& request, const CallResult& result,
                    const controlplane::v1::RegisterCheckerResponse& response);
  void BeginSession();
  void EndSession();
  void TakeReported();
  void TakeTask(const controlplane::v1::CheckTask& task);

  CheckerContext context_;
  MemberSession session_;
  const std::string instance_id_;
  TaskTable tasks_;
  std::vector<EndedLinks> ended_;
  // Of the session in force.
  std::unique_ptr<TaskLink> task_link_;
  std::unique_ptr<ObservationLink> observation_link_;
  std::mutex reported_mutex_;  // guards reported_
  std::vector<controlplane::v1::HealthObservation> reported_;
  std::atomic<bool> take_posted_{false};
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::client
