// What the operators' services stand on. All of it must outlive them and their calls.
//
// Thread: a plain value; what it names may be used from any.

#pragma once

#include "server/controller_loop.h"
#include "server/read_streams.h"
#include "server/reader_pool.h"
#include "server/shed_admission.h"

namespace holdfast::server {

struct ReadContext {
  ControllerLoop& loop;
  Admission& admission;
  ReaderPool& pool;
  ReadStreams& streams;
  Settings settings;  // in force: bounds of requests
  // A stream whose reader has not taken a message for so long is cut (SLOW_READER); one that then does not take even
  // its end for so long again is cancelled.
  Duration slow_after = std::chrono::seconds(10);
};

}  // namespace holdfast::server
