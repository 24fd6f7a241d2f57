// What a call must look like before anything is queued: step 1 of every call (MALFORMED, naming the field) and the
// bounds of step 3 (LIMIT_EXCEEDED). What depends on state is a rule (decide.h).
//
// Called by the handlers on any thread, with the settings in force. Pure. A runtime report that is well formed and
// lists its counters in the order of their ids, or not more than 64 of them, costs no allocation. Does not: look at
// single items of an import (they are refused one by one, by the rule), or at identity and queues.

#pragma once

#include <optional>

#include "base/settings.h"
#include "controller/decision.h"

namespace holdfast {

// nullopt: well formed and within limits.
std::optional<Rejection> Validate(const controlplane::v1::RegisterWorkerRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const controlplane::v1::WatchSnapshotsRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const controlplane::v1::AcknowledgeSnapshotRequest& request,
                                  const Settings& settings);
std::optional<Rejection> Validate(const controlplane::v1::ReportRuntimeRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const controlplane::v1::ReportOutcomesRequest& request, const Settings& settings);

std::optional<Rejection> Validate(const admin::v1::ImportProxiesRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const admin::v1::RemoveProxiesRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const admin::v1::ApplyRoutingsRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const admin::v1::ListProxiesRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const admin::v1::ListSessionsRequest& request, const Settings& settings);

// Checkers.
std::optional<Rejection> Validate(const controlplane::v1::RegisterCheckerRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const controlplane::v1::WatchTasksRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const controlplane::v1::ReportObservationsRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const admin::v1::ListChecksRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const admin::v1::CheckProxyRequest& request, const Settings& settings);

// Clients; and who takes over their store.
std::optional<Rejection> Validate(const distribution::v1::ExtractRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const distribution::v1::ReleaseRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const admin::v1::AdoptPoolRequest& request, const Settings& settings);

// Operators on members, alarms and the clock.
std::optional<Rejection> Validate(const admin::v1::DrainSessionRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const admin::v1::WatchDrainRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const admin::v1::FenceSessionRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const admin::v1::ReclaimProxiesRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const admin::v1::SetEligibilityRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const admin::v1::ClearAlarmRequest& request, const Settings& settings);
std::optional<Rejection> Validate(const admin::v1::AcceptClockRequest& request, const Settings& settings);

}  // namespace holdfast
