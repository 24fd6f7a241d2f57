// Items and rejections as JSON for programs: what `import --dry-run --json` prints. No credential is in either.
//
// Pure; the fields are part of what scripts rely on: docs/import.md.

#pragma once

#include <nlohmann/json.hpp>

#include "tools/import/item.h"

namespace holdfast::importer {

nlohmann::json ItemToJson(const Item& item);
// {"file", "line", "record", "reason", "detail"}, and "proxy_id" where the line named a proxy.
nlohmann::json RejectionToJson(const Rejection& rejection);

}  // namespace holdfast::importer
