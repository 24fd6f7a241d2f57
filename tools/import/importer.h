// Turns proxy lists into normalised items: the whole of the import that needs no daemon.
//
// Used by the command line: one Importer for all files of a run, one thread. Promises: one bad line costs one line;
// every line or record adds to exactly one of accepted, duplicates, rejected, skipped; memory does not grow with a
// text, CSV or NDJSON list but for 64 bytes at most a proxy and its credential; the result depends on the bytes and the
// options alone. Credentials stay in secrets(). Does not speak to the daemon and decides nothing that the daemon
// decides. Formats, layouts and every choice taken: docs/import.md.

#pragma once

#include <string>
#include <string_view>

#include "tools/import/admission.h"
#include "tools/import/byte_source.h"
#include "tools/import/file_report.h"
#include "tools/import/import_options.h"
#include "tools/import/import_sink.h"
#include "tools/import/record_rules.h"
#include "tools/import/secret_store.h"

namespace holdfast::importer {

class Importer {
 public:
  // sink outlives it.
  Importer(const ImportOptions& options, ImportSink* sink);

  // Reads one list to its end, or until the sink wants no more. name is only for reports and, last, for the format.
  FileReport Import(std::string_view name, ByteSource* source);

  const SecretStore& secrets() const { return admission_.secrets(); }
  const IdentitySet& identities() const { return admission_.identities(); }

 private:
  absl::Status ReadDecoded(std::string_view name, PeekSource* source, FileReport* report);
  absl::Status ReadText(std::string_view name, ByteSource* source, FileReport* report);

  ImportOptions options_;
  RecordRules rules_;
  Admission admission_;
};

}  // namespace holdfast::importer
