// The four formats of a proxy list, and how one is told from the other.
//
// Called by Importer with the first bytes of a file; pure. Promises: content decides, the name is asked only where the
// content leaves it open; the same bytes are always the same format. Does not look at compression or encoding: both are
// undone before.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::importer {

enum class ListFormat : std::uint8_t { kText, kCsv, kJson, kNdjson };

// "txt", "csv", "json", "ndjson".
std::string_view ListFormatName(ListFormat format);
std::optional<ListFormat> ParseListFormat(std::string_view text);

// begin: the first bytes of the file, without a byte order mark; the first two lines should be among them.
ListFormat DetectListFormat(std::string_view begin, std::string_view file_name);

// Lists from old systems end their lines with CR alone. '\n' or '\r'.
char DetectLineEnd(std::string_view begin);

}  // namespace holdfast::importer
