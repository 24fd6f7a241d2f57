#include "tests/events/event_drive.h"

#include <string>
#include <vector>

#include "base/check.h"
#include "events/event_codec.h"

namespace holdfast::testing {

bool DriveEvents(std::string_view bytes) {
  std::vector<Event> events;
  if (!DecodeEvents(bytes, events).ok()) return false;
  std::string encoded;
  EncodeEvents(events, encoded);
  std::vector<Event> again;
  HOLDFAST_CHECK(DecodeEvents(encoded, again).ok());
  HOLDFAST_CHECK(again == events);
  std::string encoded_again;
  EncodeEvents(again, encoded_again);
  HOLDFAST_CHECK(encoded_again == encoded);
  return true;
}

}  // namespace holdfast::testing
