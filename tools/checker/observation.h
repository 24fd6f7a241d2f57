// The observation that answers a task: what was seen, in the contract's words.
//
// Pure, any thread. Holds nothing but what the contract has fields for: no error text, no header, no credential.

#pragma once

#include <cstdint>

#include "controlplane/v1/controlplane.pb.h"
#include "tools/checker/finding.h"
#include "tools/checker/transfer.h"

namespace holdfast::checker {

// With verdict and time, and nothing seen yet. wall_micros: since the Unix epoch.
controlplane::v1::HealthObservation ObservationOf(const controlplane::v1::CheckTask& task,
                                                  controlplane::v1::Verdict verdict, std::int64_t wall_micros);

// Adds phase, error, latency, status and egress address.
void AddSeen(const Finding& finding, const TransferEnd& end, controlplane::v1::HealthObservation* observation);

}  // namespace holdfast::checker
