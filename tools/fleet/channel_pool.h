// Where the fleet's workers get their channels: the controller's address, and so many workers to a connection.
//
// With a port file the address is read again at each reconnect, since a restarted controller may listen elsewhere.
// Any thread.

#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "client/grpc_channel.h"

namespace holdfast::fleet {

class ChannelPool {
 public:
  // Streams a connection are limited; each worker has one, and a few calls.
  static constexpr std::size_t kWorkersPerChannel = 50;

  ChannelPool(std::string server, std::string port_file)
      : server_(std::move(server)), port_file_(std::move(port_file)) {}

  // The channel of worker number `worker`; null while the port file names no address.
  std::shared_ptr<grpc::Channel> Get(std::size_t worker);

 private:
  struct Entry {
    std::string target;
    std::shared_ptr<grpc::Channel> channel;
  };

  std::string Target() const;

  const std::string server_;
  const std::string port_file_;
  std::mutex mutex_;  // guards channels_
  std::vector<Entry> channels_;
};

}  // namespace holdfast::fleet
