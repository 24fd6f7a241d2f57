#include "tools/cli/server_connection.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <utility>

namespace holdfast::cli {
namespace {

constexpr int kMaxReceiveBytes = 16 * 1024 * 1024;  // above what a daemon sends in one message
constexpr int kKeepaliveMilliseconds = 20'000;
constexpr int kKeepaliveTimeoutMilliseconds = 5'000;

std::shared_ptr<grpc::Channel> Dial(const ServerAddress& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMilliseconds);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMilliseconds);
  arguments.SetMaxReceiveMessageSize(kMaxReceiveBytes);
  return grpc::CreateCustomChannel(address.target(), grpc::InsecureChannelCredentials(), arguments);
}

}  // namespace

ServerConnection::ServerConnection(ServerAddress address) : address_(std::move(address)) { Reconnect(); }

bool ServerConnection::IsConnected() const { return channel_->GetState(false) == GRPC_CHANNEL_READY; }

void ServerConnection::Reconnect() {
  channel_ = Dial(address_);
  pool_ = admin::v1::PoolAdmin::NewStub(channel_);
  fleet_ = admin::v1::FleetAdmin::NewStub(channel_);
  audit_ = audit::v1::Audit::NewStub(channel_);
  distribution_ = distribution::v1::Distribution::NewStub(channel_);
}

}  // namespace holdfast::cli
