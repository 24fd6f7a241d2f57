#include "tests/server/operator_fixture.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include "pool/embedded_store.h"
#include "server/rejection_status.h"

namespace holdfast::server {
namespace {

std::shared_ptr<grpc::Channel> Connect(const std::string& address, grpc::ChannelArguments arguments) {
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

admin::v1::ProxySpec MadeProxy(int number) {
  admin::v1::ProxySpec spec;
  spec.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_HTTP);
  spec.mutable_endpoint()->set_host("198.18." + std::to_string(number / 250) + "." + std::to_string(number % 250 + 1));
  spec.mutable_endpoint()->set_port(8080);
  return spec;
}

OperatorServer::OperatorServer(ControllerLoop& loop, Admission& admission, const Settings& settings,
                               StatusSources sources)
    : driver_(loop, std::make_unique<pool::EmbeddedStore>(loop.boot_clock()), nullptr),
      services_(loop, driver_, admission, settings, std::move(sources)) {
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  for (const auto& [name, service] : services_.services()) builder.RegisterService(service);
  server_ = builder.BuildAndStart();
  EXPECT_NE(port, 0);
  address_ = "127.0.0.1:" + std::to_string(port);
  const auto channel = Connect(address_, {});
  pool_ = admin::v1::PoolAdmin::NewStub(channel);
  fleet_ = admin::v1::FleetAdmin::NewStub(channel);
  audit_ = audit::v1::Audit::NewStub(channel);
}

void OperatorServer::Stop() {
  services_.CloseAll(ShuttingDownRejection());
  server_->Shutdown();
  services_.Stop();
}

OperatorDaemon::OperatorDaemon(const TestDaemon::Options& options, StatusSources sources)
    : HeldDaemon{TestDaemon(options)},
      OperatorServer(held_daemon.loop(), held_daemon.daemon().admission(), options.config.settings,
                     std::move(sources)) {}

OperatorDaemon::~OperatorDaemon() {
  held_daemon.log().Release();
  Stop();
  held_daemon.Stop();
}

void OperatorDaemon::Advance(Duration duration) {
  held_daemon.Advance(duration);
  services().Tick(held_daemon.loop().Now());
}

bool OperatorDaemon::AdvanceUntil(const std::function<bool()>& so) {
  for (int i = 0; i < 300 && !so(); ++i) Advance(std::chrono::seconds(11));
  return so();
}

std::shared_ptr<grpc::Channel> OperatorServer::NarrowChannel() const {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 64 * 1024);
  return Connect(address_, arguments);
}

Streamed<admin::v1::ImportProxiesResponse> OperatorServer::Import(
    const std::vector<admin::v1::ImportProxiesRequest>& batches) {
  grpc::ClientContext context;
  const auto stream = pool_->ImportProxies(&context);
  Streamed<admin::v1::ImportProxiesResponse> all;
  for (const admin::v1::ImportProxiesRequest& batch : batches) {
    admin::v1::ImportProxiesResponse response;
    if (!stream->Write(batch) || !stream->Read(&response)) break;
    all.messages.push_back(std::move(response));
  }
  stream->WritesDone();
  all.status = stream->Finish();
  return all;
}

void OperatorServer::ImportMade(int first, int end) {
  std::vector<admin::v1::ImportProxiesRequest> batches;
  for (int number = first; number < end; ++number) {
    if ((number - first) % 5'000 == 0) batches.emplace_back();
    *batches.back().add_proxies() = MadeProxy(number);
  }
  const auto imported = Import(batches);
  EXPECT_TRUE(imported.status.ok()) << imported.status.error_message();
  for (const auto& answer : imported.messages) EXPECT_EQ(answer.added(), answer.count());
}

std::vector<admin::v1::ProxyStatus> OperatorServer::List(const admin::v1::ListProxiesRequest& request) {
  grpc::ClientContext context;
  const auto all = ReadAll(*pool_->ListProxies(&context, request));
  EXPECT_TRUE(all.status.ok()) << all.status.error_message();
  std::vector<admin::v1::ProxyStatus> proxies;
  for (const auto& message : all.messages) {
    proxies.insert(proxies.end(), message.proxies().begin(), message.proxies().end());
  }
  return proxies;
}

admin::v1::ProxyStatus OperatorServer::Proxy(const std::string& proxy_id) {
  admin::v1::ListProxiesRequest request;
  request.add_proxy_ids(proxy_id);
  const auto proxies = List(request);
  EXPECT_EQ(proxies.size(), 1u) << proxy_id;
  return proxies.empty() ? admin::v1::ProxyStatus() : proxies.front();
}

std::vector<admin::v1::SessionStatus> OperatorServer::Sessions(const admin::v1::ListSessionsRequest& request) {
  grpc::ClientContext context;
  admin::v1::ListSessionsResponse response;
  const grpc::Status status = fleet_->ListSessions(&context, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return {response.sessions().begin(), response.sessions().end()};
}

audit::v1::GetStatusResponse OperatorServer::Status() {
  grpc::ClientContext context;
  audit::v1::GetStatusResponse response;
  const grpc::Status status = audit_->GetStatus(&context, {}, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

std::vector<audit::v1::LogLine> OperatorServer::ReadLog(const audit::v1::ReadLogRequest& request) {
  grpc::ClientContext context;
  const auto all = ReadAll(*audit_->ReadLog(&context, request));
  EXPECT_TRUE(all.status.ok()) << all.status.error_message();
  std::vector<audit::v1::LogLine> lines;
  for (const auto& message : all.messages) lines.insert(lines.end(), message.lines().begin(), message.lines().end());
  return lines;
}

std::vector<audit::v1::OwnershipPeriod> OperatorServer::History(const audit::v1::OwnershipHistoryRequest& request) {
  grpc::ClientContext context;
  const auto all = ReadAll(*audit_->OwnershipHistory(&context, request));
  EXPECT_TRUE(all.status.ok()) << all.status.error_message();
  std::vector<audit::v1::OwnershipPeriod> periods;
  for (const auto& message : all.messages)
    periods.insert(periods.end(), message.periods().begin(), message.periods().end());
  return periods;
}

}  // namespace holdfast::server
