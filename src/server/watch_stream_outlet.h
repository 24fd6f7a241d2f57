// What a Watch stream asks of, and tells to, those around it.
//
// Thread: any; a stream calls it while it holds its own lock, so an implementation calls no stream.

#pragma once

#include "base/ids.h"
#include "base/log_time.h"
#include "holdfast/log/v1/input.pb.h"

namespace holdfast::server {

class StreamOutlet {
 public:
  virtual ~StreamOutlet() = default;
  virtual LogTime Now() const = 0;
  // A completion: an input of the controller's own.
  virtual void Complete(const log::v1::Input& input) = 0;
  // gRPC is done with the stream.
  virtual void Forget(StreamId stream) = 0;
};

}  // namespace holdfast::server
