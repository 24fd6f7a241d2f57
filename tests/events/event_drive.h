// Sends any bytes through the codec of events, and checks what must hold of the result. For the fuzz target and the
// seeded mutations.
//
// Thread: any.

#pragma once

#include <string_view>

namespace holdfast::testing {

// Whether the bytes are a list of events. Aborts (CHECK) when what was decoded, encoded again, is decoded to something
// else.
bool DriveEvents(std::string_view bytes);

}  // namespace holdfast::testing
