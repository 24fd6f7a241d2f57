// The channels of a client: how a connection to the controller is held, whatever is called over it.
//
// Any thread.

#pragma once

#include <grpcpp/channel.h>

#include <functional>
#include <memory>
#include <string>

namespace holdfast::client {

// Asked at the start of each session; null keeps the channel that there is.
using ChannelSource = std::function<std::shared_ptr<grpc::Channel>()>;

// Plaintext, with the contract's keepalive (20 s, 5 s), the reconnect backoff of the client, no shared connections
// with other channels, and room for what a controller may send. `target` is host:port or unix:path.
std::shared_ptr<grpc::Channel> MakeInsecureChannel(const std::string& target);

}  // namespace holdfast::client
