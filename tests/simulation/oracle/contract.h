// What the oracles have in common: the numbers of the contract, and what an entry shows of a decision.
//
// Written from contract.md alone; nothing here is the controller's. Thread: none.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "controlplane/v1/controlplane.pb.h"
#include "tests/simulation/checkers/entry.h"

namespace holdfast::simulation {

inline constexpr std::size_t kRememberedSessions = 8;
inline constexpr std::uint64_t kLargestStep = std::uint64_t{1} << 32;  // of a sequence above the last accepted
inline constexpr std::uint32_t kOurVersion = 1;

// nullopt: accepted.
std::optional<controlplane::v1::RejectReason> ReasonOf(const Entry& entry);
std::string Word(const std::optional<controlplane::v1::RejectReason>& reason);
bool HasEvent(const Entry& entry, log::v1::Event::EventCase which);

}  // namespace holdfast::simulation
