// The ids of the house. Keys are numbers that the log assigns once and never again (rows of the projections); ids are
// the names that the outside uses.
//
// Thread: plain values.

#pragma once

#include <cstdint>
#include <string>

#include "base/strong_id.h"

namespace holdfast {

// Position of an entry in the log, from 1. 0: before the first.
using Sequence = StrongId<struct SequenceTag, std::uint64_t>;
// ownership_epoch of a worker: grows with each instance that takes over.
using Epoch = StrongId<struct EpochTag, std::uint64_t>;
// Of a worker's snapshots: grows by one per issue, across sessions and restarts. 0: none.
using Version = StrongId<struct VersionTag, std::uint64_t>;
// One Watch stream, numbered by the server; grows over the life of the log.
using StreamId = StrongId<struct StreamTag, std::uint64_t>;

// Rows, assigned by the log from 1, never used again. 0: none.
using WorkerKey = StrongId<struct WorkerKeyTag, std::uint32_t>;
using ProxyKey = StrongId<struct ProxyKeyTag, std::uint32_t>;
using AddressKey = StrongId<struct AddressKeyTag, std::uint32_t>;
using CheckerKey = StrongId<struct CheckerKeyTag, std::uint32_t>;
// One extraction, from its intent on: counts over the life of the log. 0: none.
using ExtractionKey = StrongId<struct ExtractionKeyTag, std::uint64_t>;
// One routing id for as long as it stands in the list.
using RoutingKey = StrongId<struct RoutingKeyTag, std::uint32_t>;
// One task of a checker: counts over the life of the log. 0: none.
using TaskId = StrongId<struct TaskIdTag, std::uint64_t>;

using WorkerId = StrongId<struct WorkerIdTag, std::string>;
using SessionId = StrongId<struct SessionIdTag, std::string>;
using InstanceId = StrongId<struct InstanceIdTag, std::string>;
using ProxyId = StrongId<struct ProxyIdTag, std::string>;
using CheckerId = StrongId<struct CheckerIdTag, std::string>;
using ClientId = StrongId<struct ClientIdTag, std::string>;
using ExtractionId = StrongId<struct ExtractionIdTag, std::string>;

template <class Id>
constexpr Id Next(Id id) {
  return Id(static_cast<typename Id::Representation>(id.value() + 1));
}

}  // namespace holdfast
