// Gathers items into batches of bounded size.
//
// Called by the import command with each item. Thread: one. Promises that a batch is given out only when an item that
// no longer fits has come, or at the end: so the last batch is never empty (unless there was no item at all), and may
// carry what belongs to the last one alone.

#pragma once

#include <functional>
#include <string>

#include "tools/cli/import_batch.h"

namespace holdfast::cli {

class ImportBatcher {
 public:
  // Returns false when the import is over early: nothing more is wanted.
  using Give = std::function<bool(ImportBatch)>;

  // `replace_source`: goes with the last batch; empty: nothing is replaced.
  ImportBatcher(std::string replace_source, Give give);

  // Both return false once `give` did.
  bool Add(admin::v1::ProxySpec spec, ImportOrigin origin);
  // Gives out what is left; an empty batch only where a source is to be replaced by nothing.
  bool Finish();

 private:
  bool GiveOut();

  const std::string replace_source_;
  const Give give_;
  ImportBatch batch_;
  std::size_t bytes_ = 0;
  bool wanted_ = true;
};

}  // namespace holdfast::cli
