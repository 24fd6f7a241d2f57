#include "tools/fleet/pool_reader.h"

#include <grpc/support/time.h>

#include <utility>

#include "client/grpc_stream.h"

namespace holdfast::fleet {

using admin::v1::ListProxiesRequest;
using admin::v1::ListProxiesResponse;

PoolReader::PoolReader(std::shared_ptr<client::Scheduler> scheduler, client::ChannelSource channels)
    : calls_(std::move(scheduler), std::move(channels)) {}

void PoolReader::Read(Duration deadline, Done done) {
  // The controller may have moved.
  calls_.Reconnect();
  listing_ = {};
  listing_.begun_us = NowUs();
  done_ = std::move(done);
  client::StreamEvents<ListProxiesResponse> events = {
      [this](const ListProxiesResponse& response) { OnAnswer(response); },
      [this](const client::CallResult& result) { OnEnd(result); }};
  const auto stub = calls_.stub();
  if (!stub) {
    stream_ = client::StreamWithoutAddress(*calls_.scheduler(), std::move(events));
    return;
  }
  stream_ = client::GrpcStream<ListProxiesRequest, ListProxiesResponse>::Open(
      calls_.scheduler(), ListProxiesRequest(), std::move(events),
      [stub, deadline](auto* context, const auto* message, auto* reactor) {
        context->set_deadline(gpr_time_from_micros(deadline.count(), GPR_TIMESPAN));
        stub->async()->ListProxies(context, message, reactor);
      });
}

void PoolReader::OnAnswer(const ListProxiesResponse& response) {
  for (const admin::v1::ProxyStatus& proxy : response.proxies()) {
    listing_.proxies.emplace_back(ProxyId(proxy.spec().proxy_id()), proxy.pool_state());
  }
  stream_->ReadNext();
}

void PoolReader::OnEnd(const client::CallResult& result) {
  listing_.ended_us = NowUs();
  // `done` may begin the next reading.
  std::exchange(done_, nullptr)(result, std::move(listing_));
}

}  // namespace holdfast::fleet
