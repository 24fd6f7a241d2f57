// The last step of an import: looks for duplicates, takes credentials aside, counts, and hands out.
//
// Owned by Importer for all files of one run, so that a proxy that stood in an earlier file is a duplicate. Promises:
// every outcome adds one to exactly one count; an Item leaves with its secret_ref and without its credential.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/candidate.h"
#include "tools/import/identity_set.h"
#include "tools/import/import_sink.h"
#include "tools/import/item.h"
#include "tools/import/secret_store.h"

namespace holdfast::importer {

class Admission {
 public:
  // sink outlives it.
  explicit Admission(ImportSink* sink) : sink_(sink) {}

  // What follows is of this file.
  void BeginFile(std::string_view name);

  void Admit(Outcome outcome, Position position);
  void Skip() { ++counts_.skipped; }

  // Of the file begun last.
  const ImportCounts& counts() const { return counts_; }
  const SecretStore& secrets() const { return secrets_; }
  const IdentitySet& identities() const { return identities_; }
  // The sink wants no more.
  bool stopped() const { return stopped_; }

 private:
  void Accept(Candidate candidate, Position position);
  void Reject(const Refusal& refusal, Position position);

  ImportSink* sink_;
  std::vector<std::string> files_;
  ImportCounts counts_;
  IdentitySet identities_;
  SecretStore secrets_;
  bool stopped_ = false;
};

}  // namespace holdfast::importer
