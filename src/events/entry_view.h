// One entry of a stored block, as views into the block's bytes.
//
// Thread: a plain value, valid as long as the bytes that the BlockView was given.

#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.h"
#include "base/log_time.h"

namespace holdfast {

struct EntryView {
  Sequence sequence;
  LogTime at;
  std::string_view principal;
  std::string_view input;              // empty when dropped
  std::string_view events;             // a serialised log.v1.Events
  std::string_view stored_input_hash;  // 32 bytes for a bulk entry, else empty: the input itself stands in the block
  std::string_view check;              // the first four bytes of the entry's hash: names the entry that was changed
  bool bulk = false;
  bool input_dropped = false;
};

}  // namespace holdfast
