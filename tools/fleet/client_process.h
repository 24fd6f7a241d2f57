// One process life of a simulated client: it takes machines, keeps them a while and gives them back, over and over.
//
//   asks ─► has what it was given ─► gives back, at once or in parts ─► asks …
//             └─ forgets it: what it had ends with its hold ────────────┘
//
// On its loop's thread, one call at a time. What was not answered for good is asked again under the same request_id,
// after the controller's retry_after or a backoff of its own: that nothing is lost depends on nothing else. It tells
// the judge what really passed, the statistics what came of it, and the ack log what was acknowledged. Destroying it
// is a kill. No proxy is ever dialled.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/fleet/ack_log.h"
#include "tools/fleet/client_environment.h"
#include "tools/fleet/distribution_calls.h"
#include "tools/fleet/held_machines.h"
#include "tools/fleet/prng.h"

namespace holdfast::fleet {

class ClientProcess {
 public:
  ClientProcess(ClientEnvironment& environment, std::shared_ptr<client::Scheduler> scheduler, std::size_t channel,
                std::string client_id, AckLog* ack_log, std::uint64_t seed);
  ~ClientProcess();

  void Start() { Ask(); }
  // Repeats what is open until it is answered, gives back all it has; `done` when that is so, or after the bound.
  void Drain(Duration bound, std::function<void()> done);

  NetworkFaults& network() { return faults_; }

 private:
  using Step = void (ClientProcess::*)();
  // A request from its first call to its last word.
  struct Asked {
    distribution::v1::ExtractRequest request;
    int not_enough = 0;     // how often
    bool in_doubt = false;  // some call of it may have extracted
    bool repeated = false;  // after its answer, to see that it is the same
  };

  void Ask();
  void SendExtract();
  void OnExtracted(const client::CallResult& result, const distribution::v1::ExtractResponse& response);
  void OnExtractRefused(const client::CallResult& result);
  void Take(const distribution::v1::ExtractResponse& response);
  void Keep();
  void GiveBack();
  void BeginRelease();
  void SendRelease();
  void OnReleased(const client::CallResult& result, const distribution::v1::ReleaseResponse& response);
  // What it has ends by itself.
  void Forget();
  // As controllers ask, or after a backoff.
  void Again(const client::CallResult& result, Step step);
  void Later(Duration delay, Step step);
  void Finish();

  ClientEnvironment& environment_;
  const std::shared_ptr<client::Scheduler> scheduler_;
  const std::string client_id_;
  AckLog* const ack_log_;
  Prng prng_;
  NetworkFaults faults_;
  DistributionCalls calls_;
  std::optional<Asked> asked_;
  std::optional<HeldMachines> held_;
  std::vector<std::vector<std::string>> parts_;  // proxy_ids of the releases to come, the next one last
  std::optional<distribution::v1::ReleaseRequest> release_;
  Duration backoff_;
  Step step_ = nullptr;  // what the timer does
  client::Scheduler::TimerId timer_ = 0;
  client::Scheduler::TimerId bound_ = 0;
  bool leaving_ = false;
  bool finished_ = false;
  std::function<void()> on_finished_;
};

}  // namespace holdfast::fleet
