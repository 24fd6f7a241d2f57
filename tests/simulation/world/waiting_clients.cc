#include "tests/simulation/world/waiting_clients.h"

#include <utility>

namespace holdfast::simulation {

void WaitingClients::Settle(const ExtractionSettled& settled) {
  auto waiting = calls_.extract(settled.extraction_id.value());
  if (waiting.empty()) return;
  const IncomingCall& call = waiting.mapped();
  const auto* rejection = std::get_if<Rejection>(&settled.answer);
  if (rejection != nullptr) {
    const auto reason = static_cast<controlplane::v1::RejectReason>(rejection->reason);
    world_.checkers.reached().Count("settled", controlplane::v1::RejectReason_Name(reason));
    return call.respond({EndOf(*rejection), {}});
  }
  const auto& response = std::get<distribution::v1::ExtractResponse>(settled.answer);
  world_.checkers.reached().Count("settled", "extracted");
  world_.checkers.extractions().Told(call.input.extract().request(), response);
  call.respond({CallEnd{}, response});
}

void WaitingClients::Doubt(const ExtractionId& id) {
  Settle(
      {id,
       Rejection{
           RejectReason::kPoolUnavailable, "the pool store did not answer in time", "", {}, std::chrono::seconds(1)}});
}

}  // namespace holdfast::simulation
