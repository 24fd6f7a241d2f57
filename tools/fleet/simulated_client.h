// One logical client of the fleet: SimulatedMember with the faults that only a client has.
//
// On its loop's thread.

#pragma once

#include <memory>
#include <string>

#include "tools/fleet/client_process.h"
#include "tools/fleet/simulated_member.h"

namespace holdfast::fleet {

class SimulatedClient : public SimulatedMember<ClientProcess> {
 public:
  // `number` counts from 0; its channel is that of member `channel`.
  SimulatedClient(ClientEnvironment& environment, std::shared_ptr<client::Scheduler> scheduler, std::size_t number,
                  std::size_t channel, std::unique_ptr<AckLog> ack_log);
  ~SimulatedClient() override;

 private:
  std::unique_ptr<ClientProcess> MakeProcess(std::uint64_t seed) override;
  void CountFault(const char* name) override { environment_.statistics.CountFault(name); }
  void OnHeavyDraw(std::uint64_t draw) override;

  ClientEnvironment& environment_;
  const std::size_t channel_;
  const std::string client_id_;
  const std::unique_ptr<AckLog> ack_log_;
};

}  // namespace holdfast::fleet
