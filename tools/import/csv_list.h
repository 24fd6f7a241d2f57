// Reads a CSV list: a header that names the columns, then a proxy a record.
//
// Owned by one import of one file; memory does not depend on the size of the list. Promises: a record that cannot be
// read costs its first line and no other: a quote that never closes does not swallow what follows it.

#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "tools/import/admission.h"
#include "tools/import/csv_header.h"
#include "tools/import/csv_row.h"
#include "tools/import/line_reader.h"
#include "tools/import/record_rules.h"

namespace holdfast::importer {

class CsvList {
 public:
  // All outlive it.
  CsvList(LineReader* lines, std::size_t max_record_bytes, const RecordRules& rules, Admission* admission)
      : lines_(lines), max_record_bytes_(max_record_bytes), rules_(rules), admission_(admission) {}

  // Until the end, a fault of the source, or the sink's word. INVALID_ARGUMENT: no header.
  absl::Status Read();

 private:
  struct PendingLine {
    std::string text;
    std::uint64_t number = 0;
    bool too_long = false;
  };

  bool NextLine(PendingLine* line);
  bool ReadHeader();
  CsvRowState ReadRow(const PendingLine& first);
  void TakeRow(Position position);
  std::optional<RejectionReason> CheckRow() const;
  void FillRecord();

  LineReader* lines_;
  std::size_t max_record_bytes_;
  const RecordRules& rules_;
  Admission* admission_;
  CsvHeader header_;
  std::deque<PendingLine> returned_;  // read for a record that turned out to be none
  std::vector<std::string> fields_;
  RawRecord record_;
  std::vector<Outcome> outcomes_;
};

}  // namespace holdfast::importer
