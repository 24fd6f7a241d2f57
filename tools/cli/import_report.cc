#include "tools/cli/import_report.h"

#include <ostream>

#include "tools/cli/table.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

// Line 0 stands for the file as a whole.
std::string Place(const ImportReport& report, const RejectedLine& rejection) {
  const std::string& file = report.files[rejection.file];
  return rejection.line == 0 ? file : file + ":" + std::to_string(rejection.line);
}

void WriteRejections(std::ostream& out, const ImportReport& report) {
  if (report.rejections.empty()) return;
  Table table(out, {"REJECTED", "REASON", "WHAT TO DO"});
  for (const RejectedLine& rejection : report.rejections) {
    table.Add({Place(report, rejection), rejection.reason, rejection.detail});
  }
  table.Finish(true);
  if (report.counts.rejected > report.rejections.size()) {
    out << "and " << CountText(report.counts.rejected - report.rejections.size())
        << " more; --rejections N lists as many\n";
  }
  out << '\n';
}

}  // namespace

void WriteReport(std::ostream& out, const ImportReport& report) {
  WriteRejections(out, report);
  const ImportCounts& counts = report.counts;
  if (report.dry_run) {
    out << "dry run, nothing was sent: " << CountText(counts.added) << " good";
  } else {
    out << CountText(counts.added) << " added, " << CountText(counts.updated) << " updated, "
        << CountText(counts.unchanged) << " unchanged";
  }
  out << ", " << CountText(counts.duplicates) << " duplicates, " << CountText(counts.rejected) << " rejected, "
      << CountText(counts.skipped) << " skipped";
  if (report.replaced && !report.dry_run) out << "; " << CountText(counts.removed) << " removed";
  if (counts.log_sequence > 0) out << "; log sequence " << counts.log_sequence;
  out << (report.complete ? "\n" : "; INCOMPLETE\n");
}

Json ReportJson(const ImportReport& report) {
  Json json;
  json["added"] = report.counts.added;
  json["updated"] = report.counts.updated;
  json["unchanged"] = report.counts.unchanged;
  json["duplicates"] = report.counts.duplicates;
  json["rejected"] = report.counts.rejected;
  json["skipped"] = report.counts.skipped;
  if (report.replaced && !report.dry_run) json["removed"] = report.counts.removed;
  if (!report.complete) json["incomplete"] = true;
  json["rejections"] = Json::array();
  for (const RejectedLine& rejection : report.rejections) {
    Json line;
    line["file"] = report.files[rejection.file];
    line["line"] = rejection.line;
    line["reason"] = rejection.reason;
    line["detail"] = rejection.detail;
    json["rejections"].push_back(std::move(line));
  }
  return json;
}

}  // namespace holdfast::cli
