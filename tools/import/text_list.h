// Reads a list of text lines: one proxy a line, comments and blank lines between.
//
// Called by Importer; memory does not depend on the size of the list.

#pragma once

#include "absl/status/status.h"
#include "tools/import/admission.h"
#include "tools/import/line_reader.h"
#include "tools/import/record_rules.h"

namespace holdfast::importer {

// Until the end, a fault of the source, or the sink's word.
absl::Status ReadTextList(LineReader* lines, const RecordRules& rules, Admission* admission);

}  // namespace holdfast::importer
