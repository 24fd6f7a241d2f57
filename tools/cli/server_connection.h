// The connection to the daemon, and the stubs of the services that operators and clients call.
//
// Made by RunCli, used by one command. Nothing is dialled before the first call. Thread: the command's, but for the
// calls themselves, which gRPC serialises. Promises never to go through an HTTP proxy of the environment. Waits and
// retries are not its business.

#pragma once

#include <grpcpp/channel.h>

#include <memory>

#include "holdfast/admin/v1/admin.grpc.pb.h"
#include "holdfast/audit/v1/audit.grpc.pb.h"
#include "holdfast/distribution/v1/distribution.grpc.pb.h"
#include "tools/cli/server_address.h"

namespace holdfast::cli {

class ServerConnection {
 public:
  explicit ServerConnection(ServerAddress address);

  const ServerAddress& address() const { return address_; }
  admin::v1::PoolAdmin::Stub& pool() { return *pool_; }
  admin::v1::FleetAdmin::Stub& fleet() { return *fleet_; }
  audit::v1::Audit::Stub& audit() { return *audit_; }
  distribution::v1::Distribution::Stub& distribution() { return *distribution_; }

  // Whether a connection stands now: tells "no answer" from "nobody there".
  bool IsConnected() const;
  // Dials anew at the next call, without the waiting time that a failed connection has left behind.
  void Reconnect();

 private:
  const ServerAddress address_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<admin::v1::PoolAdmin::Stub> pool_;
  std::unique_ptr<admin::v1::FleetAdmin::Stub> fleet_;
  std::unique_ptr<audit::v1::Audit::Stub> audit_;
  std::unique_ptr<distribution::v1::Distribution::Stub> distribution_;
};

}  // namespace holdfast::cli
