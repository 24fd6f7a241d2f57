#include "events/log_error.h"

#include <absl/strings/str_cat.h>

namespace holdfast {

absl::Status WithDamageAdvice(const absl::Status& status) {
  if (status.code() != absl::StatusCode::kDataLoss) return status;
  return absl::DataLossError(absl::StrCat(
      status.message(),
      ". The log is damaged and nothing in it was changed: keep a copy of the directory, see how far it is "
      "sound with `holdfast-replay verify DIR`, and restore a backup (start it with --restored)."));
}

}  // namespace holdfast
