// The gRPC server: services, health, reflection, and the bounds of transport.
//
//   Bind (Listener) ─► Start: NOT_SERVING ─► SetServing(true) ─► … ─► BeginShutdown: NOT_SERVING ─► Shutdown
//
// Life cycle: Start with services that outlive it; Shutdown (or destruction) returns when gRPC is done with every call,
// so all streams must have been ended before and somebody must still answer what is outstanding. Thread: one at a time.
// Promises: health names every service and "". Does not: end streams (stream_hub.h).

#pragma once

#include <absl/status/statusor.h>
#include <grpcpp/server.h>

#include <memory>
#include <string>
#include <vector>

#include "base/log_time.h"
#include "server/grpc_server_acceptor.h"

namespace holdfast::server {

class GrpcServer {
 public:
  struct Options {
    std::size_t max_receive_bytes = 8 * 1024 * 1024;  // of one message; above it gRPC itself answers
    std::size_t max_streams = 256;                    // a connection
    std::size_t max_connections = 10'000;
    Duration keepalive_time = std::chrono::seconds(20);
    Duration keepalive_timeout = std::chrono::seconds(5);
    Duration min_ping_interval = std::chrono::seconds(10);  // pings more often than that are a fault of the client
  };
  struct NamedService {
    std::string name;  // "controlplane.v1.WorkerControlPlane"
    grpc::Service* service;
  };

  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(std::unique_ptr<Listener> listener, const Options& options,
                                                           const std::vector<NamedService>& services);
  ~GrpcServer();

  void SetServing(bool serving);
  // No new connections, health NOT_SERVING for good.
  void BeginShutdown();
  // Waits for the calls under way, at most `patience`; then they are cancelled.
  void Shutdown(Duration patience);

  std::string address() const { return listener_->address().text(); }
  const Acceptor& acceptor() const { return *acceptor_; }

 private:
  GrpcServer() = default;

  std::unique_ptr<Listener> listener_;
  std::unique_ptr<Acceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
  std::vector<std::string> names_;
  bool shut_down_ = false;
};

}  // namespace holdfast::server
