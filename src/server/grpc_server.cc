#include "server/grpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <mutex>

namespace holdfast::server {
namespace {

int Milliseconds(Duration duration) {
  return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

// Both are switches of the whole process, to be set before the first server is built.
void EnableHealthAndReflection() {
  static std::once_flag once;
  std::call_once(once, [] {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  });
}

void SetOptions(const GrpcServer::Options& options, grpc::ServerBuilder& builder) {
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.max_receive_bytes));
  builder.SetMaxSendMessageSize(-1);  // what is sent was measured before
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, static_cast<int>(options.max_streams));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(options.keepalive_time));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(options.keepalive_timeout));
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             Milliseconds(options.min_ping_interval));
  // Reflection alone is a service of gRPC's own threads.
  builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::NUM_CQS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::MIN_POLLERS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::SyncServerOption::MAX_POLLERS, 2);
}

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(std::unique_ptr<Listener> listener,
                                                              const Options& options,
                                                              const std::vector<NamedService>& services) {
  EnableHealthAndReflection();
  grpc::ServerBuilder builder;
  SetOptions(options, builder);
  std::unique_ptr<GrpcServer> server(new GrpcServer());
  for (const NamedService& named : services) {
    builder.RegisterService(named.service);
    server->names_.push_back(named.name);
  }
  auto grpc_side = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, grpc::InsecureServerCredentials());
  server->server_ = builder.BuildAndStart();
  if (!server->server_) return absl::InternalError("gRPC refused to start its server; the lines above say why");
  server->SetServing(false);
  server->listener_ = std::move(listener);
  server->acceptor_ = std::make_unique<Acceptor>(*server->listener_, std::move(grpc_side), options.max_connections);
  if (absl::Status status = server->acceptor_->Start(); !status.ok()) return status;
  return server;
}

GrpcServer::~GrpcServer() {
  if (server_) Shutdown(Duration(0));
}

void GrpcServer::SetServing(bool serving) {
  grpc::HealthCheckServiceInterface* health = server_->GetHealthCheckService();
  health->SetServingStatus("", serving);
  for (const std::string& name : names_) health->SetServingStatus(name, serving);
}

void GrpcServer::BeginShutdown() {
  server_->GetHealthCheckService()->Shutdown();
  if (acceptor_) acceptor_->Stop();
  if (listener_) listener_->Refuse();
}

void GrpcServer::Shutdown(Duration patience) {
  if (shut_down_) return;
  shut_down_ = true;
  BeginShutdown();
  // A span where gRPC wants a point of time counts from now, on its own clock.
  server_->Shutdown(gpr_time_from_micros(patience.count(), GPR_TIMESPAN));
  server_->Wait();
}

}  // namespace holdfast::server
