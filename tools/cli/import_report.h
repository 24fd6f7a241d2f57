// What became of an import, for people and for programs.
//
// Called once by ImportRun, at its end, also after a failure: then it tells how far it got. Pure.

#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "tools/cli/import_tally.h"
#include "tools/cli/json_text.h"

namespace holdfast::cli {

struct ImportReport {
  std::vector<std::string> files;
  ImportCounts counts;
  std::vector<RejectedLine> rejections;
  bool dry_run = false;   // "added" is what would be sent
  bool replaced = false;  // "removed" has a meaning
  bool complete = true;
};

void WriteReport(std::ostream& out, const ImportReport& report);

// {"added","updated","unchanged","duplicates","rejected","skipped","rejections":[{"file","line","reason","detail"}]},
// "removed" with --replace, "incomplete": true where it ended early.
Json ReportJson(const ImportReport& report);

}  // namespace holdfast::cli
