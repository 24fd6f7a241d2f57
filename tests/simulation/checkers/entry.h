// A committed entry as the checkers see it: the generated messages, parsed from the stored bytes.
//
// Thread: a plain view; valid while the entry is handed around.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "holdfast/log/v1/event.pb.h"
#include "holdfast/log/v1/input.pb.h"

namespace holdfast::simulation {

struct Entry {
  std::uint64_t sequence = 0;
  std::int64_t at_us = 0;  // log time
  std::string_view principal;
  std::string_view input_bytes;
  const log::v1::Input& input;
  const log::v1::Events& events;
};

// The name of the field that is set: "session_opened", "register_worker".
std::string EventNameOf(const log::v1::Event& event);
std::string InputNameOf(const log::v1::Input& input);

// The refusal among the events of an entry; nullptr: it was not refused.
inline const log::v1::InputRejected* RejectionOf(const Entry& entry) {
  for (const log::v1::Event& event : entry.events.events()) {
    if (event.has_input_rejected()) return &event.input_rejected();
  }
  return nullptr;
}

}  // namespace holdfast::simulation
