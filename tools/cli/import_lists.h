// Reads the lists of an import, one after the other, with one parser: a proxy of an earlier list is a duplicate.
//
// Made by ImportRun. Thread: the command's. A list that cannot be parsed as a whole (cut JSON, an archive) costs that
// list: it is one rejection at line 0, and the others are read. Does not send and does not print.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/cli/environment.h"
#include "tools/cli/import_list_sink.h"
#include "tools/cli/import_settings.h"
#include "tools/cli/import_tally.h"
#include "tools/cli/result.h"
#include "tools/import/file_report.h"
#include "tools/import/importer.h"

namespace holdfast::cli {

class ImportLists {
 public:
  // All of them outlive it.
  ImportLists(Environment& environment, const ImportSettings& settings, ImportTally& tally, ImportListSink& sink);

  // Whether the lists are there and may be read; asked before anything is sent.
  static Result Check(const ImportSettings& settings);

  // To the end of the last, or until the sink wants no more. Not OK: a list could not be read any further, or Ctrl-C.
  Result Read();

  // Whether the lists may stand for all that the source has. Absent: they may.
  std::optional<std::string> WhyNotReplace() const;
  // Lists that announce more than they hold.
  std::uint64_t partial_pages() const;
  const importer::SecretStore& secrets() const { return importer_.secrets(); }

 private:
  Result ReadOne(std::uint32_t file);

  Environment& environment_;
  const ImportSettings& settings_;
  ImportTally& tally_;
  ImportListSink& sink_;
  importer::Importer importer_;
  std::vector<importer::FileReport> reports_;
};

}  // namespace holdfast::cli
