// A proxy as a table row and as JSON.
//
// Called by command_proxies, and for the normalised items of a dry run. Pure: now comes in as an argument. A proxy has
// a secret_ref at most, never a secret.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/admin/v1/admin.pb.h"
#include "tools/cli/json_text.h"

namespace holdfast::cli {

std::vector<std::string> ProxyColumns();
std::vector<std::string> ProxyCells(const admin::v1::ProxyStatus& proxy, std::int64_t now_micros);
Json ProxyJson(const admin::v1::ProxyStatus& proxy);

// Only what an operator writes: id, endpoint, capacity, expiry, labels and so on.
Json ProxySpecJson(const admin::v1::ProxySpec& spec);

}  // namespace holdfast::cli
