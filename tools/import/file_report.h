// What became of one file.
//
// Made by Importer, printed by the command line; plain values. Promises: the counts add up to the lines (or records) of
// the file, as far as it was read; problem says why a file was refused as a whole, or where reading ended early.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/item.h"
#include "tools/import/list_format.h"

namespace holdfast::importer {

enum class FileProblem : std::uint8_t {
  kUnreadable,           // an error of the file system
  kCorruptGzip,          // cut or damaged; what was good before it has been taken
  kUnsupportedEncoding,  // UTF-32
  kWrongFormat,          // an archive, or CSV that was asked for and has no header
  kBadJson,              // no whole JSON document; nothing was taken
  kFileTooLarge,
};

// "unreadable", "corrupt_gzip", ...
std::string_view FileProblemName(FileProblem problem);

struct FileReport {
  std::string file;
  ListFormat format = ListFormat::kText;
  ImportCounts counts;
  std::optional<FileProblem> problem;
  std::string detail;               // of the problem: a sentence without anything of the content
  std::uint64_t refusals = 0;       // documents that are an error of the provider
  std::uint64_t partial_pages = 0;  // documents that announce more than they hold
  bool stopped = false;             // by the sink
};

// Whether what these files name may stand for all that a source has, so that the rest of it may be removed. If not, why
// not: nothing was accepted, a file could not be read whole, a provider refused or sent one page of many.
std::optional<std::string> WhyReplaceIsUnsafe(const std::vector<FileReport>& reports);

}  // namespace holdfast::importer
