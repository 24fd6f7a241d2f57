#include "tools/import/file_report.h"

#include "absl/strings/str_cat.h"

namespace holdfast::importer {

std::string_view FileProblemName(FileProblem problem) {
  switch (problem) {
    case FileProblem::kUnreadable:
      return "unreadable";
    case FileProblem::kCorruptGzip:
      return "corrupt_gzip";
    case FileProblem::kUnsupportedEncoding:
      return "unsupported_encoding";
    case FileProblem::kWrongFormat:
      return "wrong_format";
    case FileProblem::kBadJson:
      return "bad_json";
    case FileProblem::kFileTooLarge:
      return "file_too_large";
  }
  return "unknown";
}

std::optional<std::string> WhyReplaceIsUnsafe(const std::vector<FileReport>& reports) {
  std::uint64_t accepted = 0;
  for (const FileReport& report : reports) {
    accepted += report.counts.accepted;
    if (report.problem) return absl::StrCat(report.file, " was not read whole: correct it, or import it again");
    if (report.stopped) return absl::StrCat(report.file, " was not read to its end: begin again");
    if (report.refusals > 0) return absl::StrCat(report.file, " holds a refusal of the provider: download it again");
    if (report.partial_pages > 0) {
      return absl::StrCat(report.file, " holds one page of several: give all of them");
    }
  }
  if (accepted == 0) return "no proxy was accepted: an empty list replaces nothing; remove its proxies by name instead";
  return std::nullopt;
}

}  // namespace holdfast::importer
