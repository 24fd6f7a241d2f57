#include "tools/cli/import_lists.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "tools/cli/printable_text.h"
#include "tools/cli/stream_source.h"

namespace holdfast::cli {
namespace {

importer::ImportOptions ParserOptions(const Environment& environment, const ImportSettings& settings) {
  importer::ImportOptions options;
  options.now = LogTimeFromMicros(environment.now_micros());
  options.default_scheme = settings.default_scheme;
  options.allow_special = settings.allow_special;
  options.source = settings.source;
  options.zone = settings.zone;
  options.format = settings.format;
  if (settings.times_are_utc) options.times_without_zone = std::chrono::minutes(0);
  return options;
}

Result CheckOne(const std::string& file) {
  if (file == "-") return Result::Done();
  if (LooksLikeUrlWithUserInfo(file)) {
    return Result::CouldNotRun(
        "import: an argument is a proxy with a password, where files are named. Write it into a file, or pipe it in "
        "with -. Nothing was sent.");
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    return Result::CouldNotRun("import: " + PrintableText(file) + " is a directory. Name its files. Nothing was sent.");
  }
  if (access(file.c_str(), R_OK) == 0) return Result::Done();
  return Result::CouldNotRun("import: cannot read " + PrintableText(file) +
                             ". Name files that are there, or - for standard input. Nothing was sent.");
}

}  // namespace

ImportLists::ImportLists(Environment& environment, const ImportSettings& settings, ImportTally& tally,
                         ImportListSink& sink)
    : environment_(environment),
      settings_(settings),
      tally_(tally),
      sink_(sink),
      importer_(ParserOptions(environment, settings), &sink) {}

Result ImportLists::Check(const ImportSettings& settings) {
  if (std::count(settings.files.begin(), settings.files.end(), "-") > 1) {
    return Result::CouldNotRun("import: - stands more than once. Standard input can be read once: name it once.");
  }
  for (const std::string& file : settings.files) {
    Result checked = CheckOne(file);
    if (!checked.ok()) return checked;
  }
  return Result::Done();
}

Result ImportLists::Read() {
  for (std::uint32_t file = 0; file < settings_.files.size(); ++file) {
    sink_.BeginFile(file);
    Result read = ReadOne(file);
    if (!read.ok()) return read;
    if (environment_.interrupt.Requested()) return Result::CouldNotRun("interrupted.");
    if (reports_.back().stopped) break;  // whoever stopped it knows why
  }
  return Result::Done();
}

Result ImportLists::ReadOne(std::uint32_t file) {
  const std::string& name = settings_.files[file];
  std::unique_ptr<importer::ByteSource> source;
  if (name == "-") {
    source = std::make_unique<StreamSource>(environment_.in);
  } else {
    auto opened = importer::OpenFile(name);
    if (!opened.ok())
      return Result::CouldNotRun("import: " + PrintableText(std::string(opened.status().message())) + ".");
    source = *std::move(opened);
  }
  importer::FileReport report = importer_.Import(name, source.get());
  tally_.CountSkipped(report.counts.skipped);
  const bool unreadable = report.problem == importer::FileProblem::kUnreadable;
  if (report.problem && !unreadable) {
    tally_.Reject({file, 0, std::string(FileProblemName(*report.problem)), report.detail});
  }
  reports_.push_back(std::move(report));
  if (!unreadable) return Result::Done();
  return Result::CouldNotRun("import: " + PrintableText(name) + " cannot be read any further: " +
                             PrintableText(reports_.back().detail) + ". What was read before it stands.");
}

std::optional<std::string> ImportLists::WhyNotReplace() const {
  std::vector<importer::FileReport> reports = reports_;
  // Whoever asked for it may replace a source by nothing; but not by lists that could not be read.
  if (settings_.allow_empty && !reports.empty()) ++reports.front().counts.accepted;
  return importer::WhyReplaceIsUnsafe(reports);
}

std::uint64_t ImportLists::partial_pages() const {
  std::uint64_t pages = 0;
  for (const importer::FileReport& report : reports_) pages += report.partial_pages;
  return pages;
}

}  // namespace holdfast::cli
