// A client's two calls over gRPC, with what stands between: the judge hears all that passes, and faults are made here.
//
// As TappedTransport for a worker: the judge hears what really came and went, the client meets what the faults make of
// it. On the scheduler's thread; callbacks come there, never from within, and none after it is destroyed.

#pragma once

#include <functional>
#include <memory>

#include "client/grpc_calls.h"
#include "holdfast/distribution/v1/distribution.grpc.pb.h"
#include "tools/fleet/network_faults.h"
#include "tools/judge/happening.h"

namespace holdfast::fleet {

class DistributionCalls {
 public:
  using Tap = std::function<void(judge::What what)>;

  // `faults` outlives it.
  DistributionCalls(NetworkFaults& faults, std::shared_ptr<client::Scheduler> scheduler, client::ChannelSource channels,
                    Tap tap);

  // The controller may have moved.
  void Reconnect() { calls_.Reconnect(); }
  void Extract(const distribution::v1::ExtractRequest& request, Duration deadline,
               client::Done<distribution::v1::ExtractResponse> done);
  void Release(const distribution::v1::ReleaseRequest& request, Duration deadline,
               client::Done<distribution::v1::ReleaseResponse> done);

 private:
  template <class Request, class Response>
  client::Done<Response> Tapped(const Request& request, client::Done<Response> done);

  NetworkFaults& faults_;
  client::GrpcCalls<distribution::v1::Distribution> calls_;
  const Tap tap_;
};

}  // namespace holdfast::fleet
