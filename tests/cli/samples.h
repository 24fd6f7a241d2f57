// What a daemon might hold, for the tests of lists and tables.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/admin/v1/admin.pb.h"
#include "holdfast/audit/v1/audit.pb.h"
#include "holdfast/distribution/v1/distribution.pb.h"

namespace holdfast::cli {

// With every field that the command line shows.
audit::v1::GetStatusResponse SampleStatus();
admin::v1::ProxyStatus SampleProxy(const std::string& host);
admin::v1::SessionStatus SampleSession(const std::string& member);
admin::v1::SessionStatus SampleChecker(const std::string& member);
// A session since a minute ago draining, with a minute left.
admin::v1::SessionStatus Draining(admin::v1::SessionStatus session);
// Of SampleSession.
admin::v1::SessionStatus SampleDraining(const std::string& member);
// Of SampleDraining.
admin::v1::DrainProgress SampleProgress(std::uint64_t proxies, std::uint64_t requests,
                                        const std::vector<std::string>& holding_up);
// Of the same, closed.
admin::v1::DrainProgress SampleDrainEnd(admin::v1::CloseReason reason, std::uint64_t proxies);
// One check a level: available for the three passes of the last 5 s, suspect, never observed.
admin::v1::ProxyHealth SampleHealth(const std::string& proxy_id);
// Observed just now, with the state that it led to.
admin::v1::CheckProxyResponse SampleCheck(controlplane::v1::Verdict verdict);
admin::v1::Alarm SampleAlarm(admin::v1::AlarmKind kind, const std::string& subject);
audit::v1::OwnershipPeriod SamplePeriod();
// The same proxy, later; given back.
audit::v1::OwnershipPeriod SampleClientPeriod();
// Of one scheme each, for an hour.
distribution::v1::ExtractResponse SampleExtraction(int machines, std::uint64_t requested);
audit::v1::LogLine SampleLine(std::uint64_t sequence);
admin::v1::ListRoutingsResponse SampleRoutings();

}  // namespace holdfast::cli
