// What every transport of a client gives and promises, whatever it carries and over what.
//
// Called on the scheduler's thread; every callback comes on that thread, never from inside the call that asked for it,
// and exactly once. After the transport (or the stream) is destroyed no callback of it comes any more.
// Users: WorkerTransport, CheckerTransport.

#pragma once

#include <functional>

#include "client/call_result.h"

namespace holdfast::client {

// How a call ended. `response` is meaningless unless result.ok().
template <class Response>
using Done = std::function<void(const CallResult& result, const Response& response)>;

template <class Update>
struct StreamEvents {
  std::function<void(const Update& update)> on_update;
  std::function<void(const CallResult& result)> on_end;  // the last event
};

// One Watch. Destroying it cancels it.
class UpdateStream {
 public:
  virtual ~UpdateStream() = default;
  // Asks for the next update; one at a time. The first read is under way from the start.
  virtual void ReadNext() = 0;
};

}  // namespace holdfast::client
