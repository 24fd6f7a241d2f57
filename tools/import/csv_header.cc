#include "tools/import/csv_header.h"

#include <algorithm>

#include "tools/import/csv_row.h"
#include "tools/import/text_hygiene.h"

namespace holdfast::importer {

std::optional<CsvHeader> ParseCsvHeader(std::string_view line) {
  for (const char delimiter : {',', ';', '\t'}) {
    CsvHeader header;
    header.delimiter = delimiter;
    if (SplitCsvRow(TrimText(line), delimiter, &header.names) != CsvRowState::kWhole) continue;
    if (header.names.size() < 2) continue;
    for (std::string& name : header.names) {
      name = ToLowerAscii(TrimText(name));
      header.fields.push_back(FieldOfKey(name));
    }
    const bool names_a_host = std::any_of(header.fields.begin(), header.fields.end(), [](std::optional<Field> field) {
      return field == Field::kHost || field == Field::kUrl;
    });
    if (names_a_host) return header;
  }
  return std::nullopt;
}

}  // namespace holdfast::importer
