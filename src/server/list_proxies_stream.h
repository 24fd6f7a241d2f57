// ListProxies: the walk of list_proxies.h, written slice by slice.
//
// Life cycle and threads: read_stream.h. Promises: at least one message, so that as_of_sequence is told of an empty
// list too.

#pragma once

#include <memory>

#include "server/list_proxies.h"
#include "server/read_stream.h"

namespace holdfast::server {

class ListProxiesStream final : public ReadStream<admin::v1::ListProxiesResponse> {
 public:
  ListProxiesStream(const ReadContext& reads, grpc::CallbackServerContext* context,
                    const admin::v1::ListProxiesRequest& request)
      : ReadStream(reads, context), walk_(request) {}

 private:
  void Produce() override;
  Rejection SlowReader() const override;
  void Slice(const ControllerState& state);

  ProxyWalk walk_;  // the follower's thread
  bool told_ = false;
};

}  // namespace holdfast::server
