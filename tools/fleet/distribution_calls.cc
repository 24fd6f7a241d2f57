#include "tools/fleet/distribution_calls.h"

#include <utility>

#include "tools/fleet/call_end.h"

namespace holdfast::fleet {

using distribution::v1::ExtractRequest;
using distribution::v1::ExtractResponse;
using distribution::v1::ReleaseRequest;
using distribution::v1::ReleaseResponse;

DistributionCalls::DistributionCalls(NetworkFaults& faults, std::shared_ptr<client::Scheduler> scheduler,
                                     client::ChannelSource channels, Tap tap)
    : faults_(faults), calls_(std::move(scheduler), std::move(channels)), tap_(std::move(tap)) {}

template <class Request, class Response>
client::Done<Response> DistributionCalls::Tapped(const Request& request, client::Done<Response> done) {
  return [this, request, sent_us = faults_.scheduler().Now().time_since_epoch().count(), done = std::move(done)](
             const client::CallResult& result, const Response& response) {
    tap_(judge::Answered<Request, Response>{request, response, EndOf(result), sent_us});
    faults_.Deliver(done, result, response);
  };
}

void DistributionCalls::Extract(const ExtractRequest& request, Duration deadline, client::Done<ExtractResponse> done) {
  if (faults_.Swallowed(deadline, done)) return;
  calls_.Call(request, deadline, Tapped(request, std::move(done)),
              [](auto* async, auto* context, auto* message, auto* answer, auto deliver) {
                async->Extract(context, message, answer, std::move(deliver));
              });
}

void DistributionCalls::Release(const ReleaseRequest& request, Duration deadline, client::Done<ReleaseResponse> done) {
  if (faults_.Swallowed(deadline, done)) return;
  tap_(judge::ReleaseSent{request});
  calls_.Call(request, deadline, Tapped(request, std::move(done)),
              [](auto* async, auto* context, auto* message, auto* answer, auto deliver) {
                async->Release(context, message, answer, std::move(deliver));
              });
}

}  // namespace holdfast::fleet
