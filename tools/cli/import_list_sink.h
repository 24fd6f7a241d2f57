// Takes what the parser finds in the lists to where it goes: good items into batches, the others into the tally.
//
// Made by ImportRun, driven by importer::Importer on the command's thread; BeginFile() before each file. Does not send.

#pragma once

#include <cstdint>
#include <functional>

#include "tools/cli/import_batcher.h"
#include "tools/cli/import_progress.h"
#include "tools/cli/import_settings.h"
#include "tools/cli/import_tally.h"
#include "tools/import/import_sink.h"

namespace holdfast::cli {

class ImportListSink : public importer::ImportSink {
 public:
  // Each accepted item, as it will go. Returns false: read no further.
  using Take = std::function<bool(const importer::Item& item, ImportOrigin origin)>;
  // Of a line that is refused here and names a proxy.
  using TakeName = std::function<void(const std::string& proxy_id, ImportOrigin origin)>;

  ImportListSink(const ImportSettings& settings, ImportTally& tally, ImportProgress& progress, Take take,
                 TakeName take_name);

  // What follows is of this file of the settings.
  void BeginFile(std::uint32_t file) { file_ = file; }

  std::uint64_t accepted() const { return accepted_; }
  // Duplicates with another password than the first one of their account.
  std::uint64_t other_passwords() const { return other_passwords_; }

  bool OnAccepted(importer::Item item) override;
  void OnDuplicate(const importer::Duplicate& duplicate) override;
  void OnRejected(const importer::Rejection& rejection) override;

 private:
  const ImportSettings& settings_;
  ImportTally& tally_;
  ImportProgress& progress_;
  const Take take_;
  const TakeName take_name_;
  std::uint32_t file_ = 0;
  std::uint64_t accepted_ = 0;
  std::uint64_t other_passwords_ = 0;
};

}  // namespace holdfast::cli
