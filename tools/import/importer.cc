#include "tools/import/importer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tools/import/csv_list.h"
#include "tools/import/gzip_source.h"
#include "tools/import/json_list.h"
#include "tools/import/line_reader.h"
#include "tools/import/text_list.h"
#include "tools/import/utf16_source.h"

namespace holdfast::importer {
namespace {

constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kPeekBytes = 1u << 16;

constexpr std::string_view kUtf8Mark = "\xef\xbb\xbf";
constexpr std::string_view kUtf16LittleMark = "\xff\xfe";
constexpr std::string_view kUtf16BigMark = "\xfe\xff";
constexpr std::string_view kUtf32LittleMark("\xff\xfe\0\0", 4);
constexpr std::string_view kUtf32BigMark("\0\0\xfe\xff", 4);
// zip, xz, zstd, bzip2, 7z.
constexpr std::string_view kArchives[] = {"PK\x03\x04", "\xfd\x37zXZ", "\x28\xb5\x2f\xfd", "BZh9", "7z\xbc\xaf"};

// A fault that is of the file as a whole, on its way up as a status.
absl::Status WholeFile(absl::StatusCode code, std::string_view detail) {
  return absl::Status(code, absl::string_view(detail.data(), detail.size()));
}

FileProblem ProblemOf(const absl::Status& status, ListFormat format) {
  switch (status.code()) {
    case absl::StatusCode::kUnimplemented:
      return FileProblem::kUnsupportedEncoding;
    case absl::StatusCode::kDataLoss:
      return FileProblem::kCorruptGzip;
    case absl::StatusCode::kResourceExhausted:
      return FileProblem::kFileTooLarge;
    case absl::StatusCode::kInvalidArgument:
      return format == ListFormat::kJson ? FileProblem::kBadJson : FileProblem::kWrongFormat;
    case absl::StatusCode::kFailedPrecondition:
      return FileProblem::kWrongFormat;
    default:
      return FileProblem::kUnreadable;
  }
}

absl::Status RefuseArchive(std::string_view begin) {
  const bool is_archive = std::any_of(std::begin(kArchives), std::end(kArchives),
                                      [&](std::string_view magic) { return begin.starts_with(magic); });
  if (!is_archive) return absl::OkStatus();
  return WholeFile(absl::StatusCode::kFailedPrecondition, "this is an archive and no list: unpack it (gzip is fine)");
}

}  // namespace

Importer::Importer(const ImportOptions& options, ImportSink* sink)
    : options_(options), rules_(options), admission_(sink) {}

FileReport Importer::Import(std::string_view name, ByteSource* source) {
  FileReport report;
  report.file = std::string(name);
  admission_.BeginFile(name);
  PeekSource raw(source);
  const absl::StatusOr<std::string_view> magic = raw.Peek(kMagicBytes);
  absl::Status status = magic.status();
  if (magic.ok() && IsGzip(*magic)) {
    const std::unique_ptr<ByteSource> unpacked = MakeGzipSource(&raw);
    LimitedSource limited(unpacked.get(), options_.max_file_bytes);
    PeekSource decoded(&limited);
    status = ReadDecoded(name, &decoded, &report);
  } else if (magic.ok()) {
    LimitedSource limited(&raw, options_.max_file_bytes);
    PeekSource decoded(&limited);
    status = ReadDecoded(name, &decoded, &report);
  }
  report.counts = admission_.counts();
  report.stopped = admission_.stopped();
  if (!status.ok()) {
    report.problem = ProblemOf(status, report.format);
    report.detail = std::string(status.message());
  }
  return report;
}

// Undoes the encoding. Compression is undone already.
absl::Status Importer::ReadDecoded(std::string_view name, PeekSource* source, FileReport* report) {
  const absl::StatusOr<std::string_view> begin = source->Peek(kMagicBytes);
  if (!begin.ok()) return begin.status();
  if (absl::Status status = RefuseArchive(*begin); !status.ok()) return status;
  if (begin->starts_with(kUtf32LittleMark) || begin->starts_with(kUtf32BigMark)) {
    return WholeFile(absl::StatusCode::kUnimplemented, "the list is in UTF-32: save it as UTF-8");
  }
  const bool is_little = begin->starts_with(kUtf16LittleMark);
  if (is_little || begin->starts_with(kUtf16BigMark)) {
    source->Skip(kUtf16LittleMark.size());
    const auto decoded = MakeUtf16Source(source, is_little ? Utf16Order::kLittleEndian : Utf16Order::kBigEndian);
    return ReadText(name, decoded.get(), report);
  }
  if (begin->starts_with(kUtf8Mark)) source->Skip(kUtf8Mark.size());
  return ReadText(name, source, report);
}

absl::Status Importer::ReadText(std::string_view name, ByteSource* source, FileReport* report) {
  PeekSource text(source);
  const absl::StatusOr<std::string_view> begin = text.Peek(kPeekBytes);
  if (!begin.ok()) return begin.status();
  report->format = options_.format.value_or(DetectListFormat(*begin, name));
  const char line_end = DetectLineEnd(*begin);
  JsonFindings findings;
  absl::Status status;
  switch (report->format) {
    case ListFormat::kText: {
      LineReader lines(&text, options_.max_line_bytes, line_end);
      status = ReadTextList(&lines, rules_, &admission_);
      break;
    }
    case ListFormat::kCsv: {
      LineReader lines(&text, options_.max_line_bytes, line_end);
      status = CsvList(&lines, options_.max_line_bytes, rules_, &admission_).Read();
      break;
    }
    case ListFormat::kJson:
      status = ReadJsonList(&text, options_.max_document_bytes, rules_, &admission_, &findings);
      break;
    case ListFormat::kNdjson: {
      LineReader lines(&text, options_.max_record_bytes, line_end);
      status = ReadNdjsonList(&lines, rules_, &admission_, &findings);
      break;
    }
  }
  report->refusals = findings.refusals;
  report->partial_pages = findings.partial_pages;
  return status;
}

}  // namespace holdfast::importer
