// Who takes what an import finds, as it is found.
//
// Implemented by the command line; called on the thread of the import, in the order of the list. May block: nothing
// more is read meanwhile. Skipped lines are only counted.

#pragma once

#include "tools/import/item.h"

namespace holdfast::importer {

class ImportSink {
 public:
  virtual ~ImportSink() = default;

  // False: read no further (the stream to the daemon broke, say).
  virtual bool OnAccepted(Item item) = 0;
  virtual void OnDuplicate(const Duplicate& duplicate) = 0;
  virtual void OnRejected(const Rejection& rejection) = 0;
};

}  // namespace holdfast::importer
