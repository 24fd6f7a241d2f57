// A bound socket: the address is ours from Bind on, connections are taken only after Listen.
//
// Called at the start, before the log is recovered, so that a taken port is told at once. Thread: one at a time.
// Promises: no two daemons share a port (no SO_REUSEPORT); a unix socket that nobody serves any more is replaced, one
// that is served is not. Closes, and removes its unix socket, when destroyed.

#pragma once

#include <absl/status/statusor.h>

#include <memory>

#include "server/grpc_server_address.h"

namespace holdfast::server {

class Listener {
 public:
  // AlreadyExists: taken; PermissionDenied, Internal: with the system's reason.
  static absl::StatusOr<std::unique_ptr<Listener>> Bind(const ListenAddress& address);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  absl::Status Listen();
  // Who connects from now on is refused, not left waiting.
  void Refuse();

  int descriptor() const { return descriptor_; }
  // With the port that was got.
  const ListenAddress& address() const { return address_; }

 private:
  Listener(int descriptor, ListenAddress address) : descriptor_(descriptor), address_(std::move(address)) {}

  const int descriptor_;
  ListenAddress address_;
};

}  // namespace holdfast::server
