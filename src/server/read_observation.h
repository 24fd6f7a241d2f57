// An observation as its checker reported it, read from the log.
//
// Called on the reader pool's threads; reads one block.

#pragma once

#include <absl/status/statusor.h>

#include "controlplane/v1/controlplane.pb.h"
#include "events/event_log.h"
#include "projections/health.h"

namespace holdfast::server {

// NotFound: retention has taken the report. DataLoss: the log cannot be read there.
absl::StatusOr<controlplane::v1::HealthObservation> ReadObservation(const EventLog& log, const Evidence& evidence);

}  // namespace holdfast::server
