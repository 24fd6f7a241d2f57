#include "tools/import/list_format.h"

#include <cstddef>
#include <string>

#include "tools/import/csv_header.h"
#include "tools/import/text_hygiene.h"

namespace holdfast::importer {
namespace {

constexpr std::string_view kWhitespace = " \t\r\n";

// From the first character that is no white space.
std::string_view SkipBlanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kWhitespace);
  return begin == kNone ? std::string_view() : text.substr(begin);
}

// '{' and '[' begin a JSON value, and '[' begins "[2001:db8::1]:8080" as well.
bool BeginsJson(std::string_view text) {
  if (text.empty()) return false;
  const std::string_view behind = SkipBlanks(text.substr(1));
  const char next = behind.empty() ? '\0' : behind.front();
  if (text.front() == '{') return next == '"' || next == '}' || next == '\'';
  return text.front() == '[' && (next == '{' || next == '"' || next == '[' || next == ']');
}

// Line by line: the first line is a value of its own, and the next begins another.
bool IsLineByLine(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == kNone) return false;
  const std::string_view next = SkipBlanks(text.substr(end));
  if (next.empty() || (next.front() != '{' && next.front() != '[')) return false;
  const std::string_view first = TrimText(text.substr(0, end));
  return std::string_view(",[{:").find(first.back()) == kNone;
}

bool HasExtension(std::string_view name, std::string_view extension) {
  std::string lower = ToLowerAscii(name);
  if (lower.ends_with(".gz")) lower.resize(lower.size() - 3);
  return lower.ends_with(extension);
}

}  // namespace

std::string_view ListFormatName(ListFormat format) {
  switch (format) {
    case ListFormat::kText:
      return "txt";
    case ListFormat::kCsv:
      return "csv";
    case ListFormat::kJson:
      return "json";
    case ListFormat::kNdjson:
      return "ndjson";
  }
  return "unknown";
}

std::optional<ListFormat> ParseListFormat(std::string_view text) {
  for (const ListFormat format : {ListFormat::kText, ListFormat::kCsv, ListFormat::kJson, ListFormat::kNdjson}) {
    if (text == ListFormatName(format)) return format;
  }
  return std::nullopt;
}

ListFormat DetectListFormat(std::string_view begin, std::string_view file_name) {
  const std::string_view text = SkipBlanks(begin);
  if (BeginsJson(text)) {
    const bool named_so = HasExtension(file_name, ".ndjson") || HasExtension(file_name, ".jsonl");
    return named_so || IsLineByLine(text) ? ListFormat::kNdjson : ListFormat::kJson;
  }
  const std::string_view line = text.substr(0, text.find('\n'));
  return ParseCsvHeader(line) ? ListFormat::kCsv : ListFormat::kText;
}

char DetectLineEnd(std::string_view begin) {
  return begin.find('\n') == kNone && begin.find('\r') != kNone ? '\r' : '\n';
}

}  // namespace holdfast::importer
