// One import from its first file to its report.
//
// Made by command_import, Run() once. Thread: the command's. Without --replace the lists are read and sent at the same
// time, in bounded memory. With it they are read to their end first, into a temporary file: only lists that were read
// whole may stand for all that a source has. Credentials found until then are saved whichever way it ends.

#pragma once

#include <optional>

#include "tools/cli/batch_spool.h"
#include "tools/cli/import_lists.h"
#include "tools/cli/import_progress.h"
#include "tools/cli/import_report.h"
#include "tools/cli/import_sender.h"
#include "tools/cli/import_settings.h"
#include "tools/cli/import_tally.h"
#include "tools/cli/invocation.h"

namespace holdfast::cli {

class ImportRun {
 public:
  // Both outlive it.
  ImportRun(Invocation& invocation, const ImportSettings& settings);

  Result Run();

 private:
  Result DryRun();
  Result Stream();
  Result Replace();
  Result SendSpool(BatchSpool& spool);
  // From the first batch to the last.
  SendOutcome SendAll(BatchSpool& spool, ImportSender& sender, absl::Status& spooled);
  ImportSender::Settings SenderSettings();

  Result KeepSecrets(const ImportLists& lists);
  void Warn(const ImportLists& lists, const ImportListSink& sink);
  ImportReport MakeReport(const Result& result) const;
  // Prints the report; gives the exit code, and after a failure says how to go on.
  Result Conclude(Result result);
  Result WithAdvice(Result result) const;

  Invocation& invocation_;
  const ImportSettings& settings_;
  ImportTally tally_;
  ImportProgress progress_;
  importer::SecretStore secrets_before_;
};

}  // namespace holdfast::cli
