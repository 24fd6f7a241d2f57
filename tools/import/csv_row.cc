#include "tools/import/csv_row.h"

#include <algorithm>
#include <utility>

namespace holdfast::importer {
namespace {

// Reads a field in quotes; *position stands behind the opening quote and ends behind the closing one.
bool ReadQuoted(std::string_view text, std::size_t* position, std::string* field) {
  while (true) {
    const std::size_t quote = text.find('"', *position);
    if (quote == std::string_view::npos) return false;
    field->append(text.substr(*position, quote - *position));
    *position = quote + 1;
    if (*position == text.size() || text[*position] != '"') return true;
    field->push_back('"');
    ++*position;
  }
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

CsvRowState SplitCsvRow(std::string_view text, char delimiter, std::vector<std::string>* fields) {
  fields->clear();
  std::size_t position = 0;
  while (true) {
    std::string field;
    std::size_t begin = position;
    while (begin < text.size() && IsBlank(text[begin]) && text[begin] != delimiter) ++begin;
    if (begin < text.size() && text[begin] == '"') {
      position = begin + 1;
      if (!ReadQuoted(text, &position, &field)) return CsvRowState::kOpenQuote;
      while (position < text.size() && IsBlank(text[position]) && text[position] != delimiter) ++position;
      if (position < text.size() && text[position] != delimiter) return CsvRowState::kMalformed;
    } else {
      const std::size_t end = std::min(text.find(delimiter, position), text.size());
      field.assign(text.substr(position, end - position));
      // A line end outside quotes ends the record; the caller joined too much.
      if (field.find('\n') != std::string::npos) return CsvRowState::kMalformed;
      position = end;
    }
    fields->push_back(std::move(field));
    if (position == text.size()) return CsvRowState::kWhole;
    ++position;
  }
}

}  // namespace holdfast::importer
