#include "tests/simulation/oracle/contract.h"

#include <algorithm>

namespace holdfast::simulation {

std::optional<controlplane::v1::RejectReason> ReasonOf(const Entry& entry) {
  const log::v1::InputRejected* rejection = RejectionOf(entry);
  if (rejection == nullptr) return std::nullopt;
  return rejection->reason();
}

std::string Word(const std::optional<controlplane::v1::RejectReason>& reason) {
  return reason ? controlplane::v1::RejectReason_Name(*reason) : "accepted";
}

bool HasEvent(const Entry& entry, log::v1::Event::EventCase which) {
  return std::any_of(entry.events.events().begin(), entry.events.events().end(),
                     [&](const log::v1::Event& event) { return event.event_case() == which; });
}

}  // namespace holdfast::simulation
