// One record of CSV (RFC 4180): fields between delimiters, quotes around what holds one, doubled quotes inside.
//
// Pure, any thread. White space around a field and its quotes is the caller's to trim; a quote inside a bare field is
// an ordinary character.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::importer {

enum class CsvRowState {
  kWhole,
  kOpenQuote,  // the text ends inside quotes: the record goes on in the next line
  kMalformed,  // something follows a closing quote
};

// fields is overwritten; what it holds is good only for kWhole.
CsvRowState SplitCsvRow(std::string_view text, char delimiter, std::vector<std::string>* fields);

}  // namespace holdfast::importer
