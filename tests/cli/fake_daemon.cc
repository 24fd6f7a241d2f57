#include "tests/cli/fake_daemon.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <chrono>

namespace holdfast::cli {

FakeDaemon::FakeDaemon() {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
  builder.SetMaxReceiveMessageSize(8 * 1024 * 1024);
  builder.RegisterService(&pool);
  builder.RegisterService(&fleet);
  builder.RegisterService(&audit);
  builder.RegisterService(&distribution);
  server_ = builder.BuildAndStart();
}

FakeDaemon::~FakeDaemon() {
  pool.Release();
  fleet.Release();
  audit.Release();
  distribution.LetGo();
  server_->Shutdown(std::chrono::system_clock::time_point());  // long past: cancels what is still open
}

std::string FakeDaemon::address() const { return "127.0.0.1:" + std::to_string(port_); }

}  // namespace holdfast::cli
