// The answer of a unary call that is read somewhere else: given once, on whatever thread the reading ends.
//
//   handler ─► closure that holds it ─► follower or reader pool ─► Finish        (the closure is dropped ─►
//   SHUTTING_DOWN)
//
// Life cycle: held by closures; the last to let go finishes the call if nobody has. gRPC keeps reactor and response
// until then, also when the client has cancelled. Thread: one at a time.

#pragma once

#include <grpcpp/support/server_callback.h>

#include <utility>

#include "server/rejection_status.h"

namespace holdfast::server {

class ReadAnswer {
 public:
  explicit ReadAnswer(grpc::ServerUnaryReactor* reactor) : reactor_(reactor) {}
  ~ReadAnswer() { Finish(StatusOf(ShuttingDownRejection())); }
  ReadAnswer(const ReadAnswer&) = delete;
  ReadAnswer& operator=(const ReadAnswer&) = delete;

  // The first one counts. The call's response must not be touched afterwards.
  void Finish(const grpc::Status& status) {
    if (grpc::ServerUnaryReactor* reactor = std::exchange(reactor_, nullptr)) reactor->Finish(status);
  }

 private:
  grpc::ServerUnaryReactor* reactor_;
};

}  // namespace holdfast::server
