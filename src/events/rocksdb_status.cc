#include "events/rocksdb_status.h"

#include <absl/strings/str_cat.h>

#include "events/log_error.h"

namespace holdfast {

absl::Status FromRocksDb(std::string_view what, const rocksdb::Status& status) {
  if (status.ok()) return absl::OkStatus();
  const std::string text = absl::StrCat(absl::string_view(what.data(), what.size()), ": ", status.ToString());
  if (status.IsCorruption()) return WithDamageAdvice(absl::DataLossError(text));
  if (status.IsNoSpace())
    return absl::ResourceExhaustedError(absl::StrCat(text, ". Make room on the disk and start again."));
  return absl::InternalError(text);
}

}  // namespace holdfast
