#include "tools/fleet/simulated_client.h"

#include <utility>

namespace holdfast::fleet {
namespace {

// Another sequence than those of the worker and the checker of the same number.
constexpr std::uint64_t kSeedOfClients = 0x636C69656E74ULL;

}  // namespace

SimulatedClient::SimulatedClient(ClientEnvironment& environment, std::shared_ptr<client::Scheduler> scheduler,
                                 std::size_t number, std::size_t channel, std::unique_ptr<AckLog> ack_log)
    : SimulatedMember(environment.options.faults, std::move(scheduler),
                      environment.options.seed * 1'000'003 + number + kSeedOfClients),
      environment_(environment),
      channel_(channel),
      client_id_(MemberId(environment.options.name + "-client", number)),
      ack_log_(std::move(ack_log)) {}

// Its processes write to the ack log until they are gone.
SimulatedClient::~SimulatedClient() { KillAll(); }

std::unique_ptr<ClientProcess> SimulatedClient::MakeProcess(std::uint64_t seed) {
  return std::make_unique<ClientProcess>(environment_, scheduler(), channel_, client_id_, ack_log_.get(), seed);
}

void SimulatedClient::OnHeavyDraw(std::uint64_t draw) {
  if (draw < 82) LeaveZombie();
}

}  // namespace holdfast::fleet
