// Reads JSON lists: a whole document, or one document a line (NDJSON).
//
// Called by Importer. A document is taken whole or not at all, so its proxies are held until it has ended; of NDJSON
// only one line is.

#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "tools/import/admission.h"
#include "tools/import/byte_source.h"
#include "tools/import/line_reader.h"
#include "tools/import/record_rules.h"

namespace holdfast::importer {

// What the documents said about themselves.
struct JsonFindings {
  std::uint64_t refusals = 0;       // documents that are an error of the provider
  std::uint64_t partial_pages = 0;  // documents that announce more than they hold
};

// INVALID_ARGUMENT: no JSON, or cut. RESOURCE_EXHAUSTED: longer than allowed. Nothing was admitted then.
absl::Status ReadJsonList(ByteSource* source, std::uint64_t max_bytes, const RecordRules& rules, Admission* admission,
                          JsonFindings* findings);

absl::Status ReadNdjsonList(LineReader* lines, const RecordRules& rules, Admission* admission, JsonFindings* findings);

}  // namespace holdfast::importer
