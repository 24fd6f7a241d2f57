// What a daemon might hold, for the tests of lists and tables.

#pragma once

#include "holdfast/admin/v1/admin.pb.h"
#include "holdfast/audit/v1/audit.pb.h"

namespace holdfast::cli {

// With every field that the command line shows.
audit::v1::GetStatusResponse SampleStatus();
admin::v1::ProxyStatus SampleProxy(const std::string& host);
admin::v1::SessionStatus SampleSession(const std::string& member);
audit::v1::OwnershipPeriod SamplePeriod();
audit::v1::LogLine SampleLine(std::uint64_t sequence);
admin::v1::ListRoutingsResponse SampleRoutings();

}  // namespace holdfast::cli
