// Addresses that clients have, or are about to have.

#include "base/check.h"
#include "projections/ownership.h"
#include "projections/ownership_change.h"

namespace holdfast {

void Ownership::Extract(const std::vector<AddressKey>& addresses, ExtractionKey extraction, OwnershipState from,
                        OwnershipState to) {
  for (const AddressKey address : addresses) {
    ChangeHold(address, [&](HoldRow& row) {
      HOLDFAST_CHECK(row.state == from && row.owner.value() == 0);
      HOLDFAST_CHECK(from == OwnershipState::kUnowned || row.extraction == extraction);
      row.state = to;
      row.extraction = to == OwnershipState::kUnowned ? ExtractionKey() : extraction;
    });
  }
}

void Ownership::Apply(const ExtractionPrepared& event, const EntryPoint&) {
  Extract(event.addresses, event.extraction, OwnershipState::kUnowned, OwnershipState::kExtracting);
}

void Ownership::Apply(const ProxiesExtracted& event, const EntryPoint&) {
  Extract(event.addresses, event.extraction, OwnershipState::kExtracting, OwnershipState::kExtracted);
  Extract(event.returned, event.extraction, OwnershipState::kExtracting, OwnershipState::kUnowned);
}

void Ownership::Apply(const ExtractionGivenBack& event, const EntryPoint&) {
  Extract(event.addresses, event.extraction, OwnershipState::kExtracting, OwnershipState::kUnowned);
}

void Ownership::Apply(const ExtractionEnded& event, const EntryPoint&) {
  Extract(event.addresses, event.extraction, OwnershipState::kExtracted, OwnershipState::kUnowned);
}

}  // namespace holdfast
