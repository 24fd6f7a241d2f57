// What a record means: which proxy it names, with which scheme, account, expiry, capacity and labels.
//
// Called by the readers for each record or text entry, on the thread of the import. Promises: every entry ends in at
// least one outcome; a record with several protocols ends in one for each. Depends on nothing but the entry and the
// options, so order and history do not matter here: duplicates are Admission's.

#pragma once

#include <string_view>
#include <vector>

#include "tools/import/candidate.h"
#include "tools/import/import_options.h"
#include "tools/import/proxy_text.h"
#include "tools/import/raw_record.h"

namespace holdfast::importer {

class RecordRules {
 public:
  explicit RecordRules(const ImportOptions& options);

  // Appends to outcomes.
  void Interpret(const RawRecord& record, std::vector<Outcome>* outcomes) const;

  // A line of text or a string in a list: checked, trimmed and parsed. Requires: not blank.
  Outcome InterpretText(std::string_view text) const;

 private:
  // Everything of a record but its scheme.
  struct Draft;

  std::optional<RejectionReason> FillEndpoint(const RawRecord& record, Draft* draft) const;
  std::optional<RejectionReason> FillFromUrl(const RawRecord& record, Draft* draft) const;
  std::optional<RejectionReason> FillFromFields(const RawRecord& record, Draft* draft) const;
  std::optional<RejectionReason> FillCredential(const RawRecord& record, Draft* draft) const;
  std::optional<RejectionReason> FillLabels(const RawRecord& record, Draft* draft) const;
  std::optional<RejectionReason> FillTerms(const RawRecord& record, Draft* draft) const;
  void Finish(const Draft& draft, std::string_view scheme_text, std::vector<Outcome>* outcomes) const;
  Outcome Conclude(Candidate candidate, std::optional<RejectionReason> terms) const;

  ImportOptions options_;
  TextRules text_rules_;
};

}  // namespace holdfast::importer
