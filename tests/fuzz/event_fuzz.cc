// libFuzzer's way into the codec of events: any bytes as a list. What must hold is in tests/events/event_drive.h.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/events/event_drive.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  holdfast::testing::DriveEvents(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
