// The first row of a CSV list: which column is which field.
//
// Pure, any thread.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/raw_record.h"

namespace holdfast::importer {

struct CsvHeader {
  char delimiter = ',';
  std::vector<std::string> names;            // lower case, trimmed
  std::vector<std::optional<Field>> fields;  // by column; nothing for a column that is not known
};

// A line is a header if a comma, semicolon or tab splits it into two columns or more, one of them a host or a URL.
std::optional<CsvHeader> ParseCsvHeader(std::string_view line);

}  // namespace holdfast::importer
