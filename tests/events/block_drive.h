// Sends any bytes through everything that reads a stored block, and checks what must hold of the result. For the fuzz
// target and the seeded mutations.
//
// Thread: any.

#pragma once

#include <string_view>

namespace holdfast::testing {

// Whether the bytes are a sound block. Aborts (CHECK) when a sound block, built again from what was decoded, gives
// other bytes, or when the cheap readers and the full one disagree.
bool DriveBlock(std::string_view block, std::string_view bulk);

}  // namespace holdfast::testing
