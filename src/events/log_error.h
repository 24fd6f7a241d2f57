// Errors about a damaged log, all with the same advice.
//
// Thread: pure functions.

#pragma once

#include <absl/status/status.h>

namespace holdfast {

// The same status with what to do added: keep the directory, look at it, restore. OK stays OK; anything but DataLoss
// too.
absl::Status WithDamageAdvice(const absl::Status& status);

}  // namespace holdfast
