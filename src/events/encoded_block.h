// A sealed block, ready for the log: what AppendRequest points into.
//
// Thread: a plain value; made by BlockBuilder on the sequencer's thread, written by whoever commits.

#pragma once

#include <string>

#include "base/hash256.h"
#include "base/ids.h"

namespace holdfast {

struct EncodedBlock {
  std::string block;
  std::string bulk;  // empty: no bulky input in this block
  Hash256 hash{};    // of this block: the next one's previous hash
  Sequence first, last;
};

}  // namespace holdfast
