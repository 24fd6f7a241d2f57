// Takes connections and hands them to gRPC, never more at once than may be: what is over the bound is closed at once,
// before it can take a descriptor that the log needs.
//
// Life cycle: Start after the gRPC server has started, Stop before it shuts down; the listener must outlive it.
// Thread: one of its own; connections() from any. Promises: the bound is never passed. A connection that has ended is
// noticed when room is needed (its descriptor no longer names its socket), so connections() may count some that are
// over. Does not: end its thread when descriptors run out all the same; it waits for one to become free.

#pragma once

#include <grpcpp/server_builder.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "server/grpc_server_listener.h"

namespace holdfast::server {

class Acceptor {
 public:
  Acceptor(Listener& listener, std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> grpc_side,
           std::size_t most_connections);
  ~Acceptor();  // stops

  absl::Status Start();
  void Stop();

  std::size_t connections() const { return count_.load(); }
  std::uint64_t refused() const { return refused_.load(); }

 private:
  struct Connection {
    int descriptor;
    ino_t inode;  // of its socket: a descriptor's number is used again, a socket's inode is not
  };

  void Run();
  bool AcceptOne();
  bool HasRoom();
  void ForgetEnded();

  Listener& listener_;
  const std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> grpc_side_;
  const std::size_t most_connections_;
  int wake_descriptor_ = -1;
  std::vector<Connection> connections_;  // the thread's alone
  std::size_t refusals_until_look_ = 0;  // the thread's alone
  std::atomic<std::size_t> count_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::thread thread_;
};

}  // namespace holdfast::server
