#include "server/list_proxies_stream.h"

namespace holdfast::server {

void ListProxiesStream::Produce() {
  OnFollower([this](const ControllerState& state) { Slice(state); });
}

void ListProxiesStream::Slice(const ControllerState& state) {
  if (walk_.done()) return End(grpc::Status::OK);
  admin::v1::ListProxiesResponse response;
  walk_.Step(state, reads().loop.Now(), &response);
  if (response.proxies().empty() && !(walk_.done() && !told_)) return Produce();
  told_ = true;
  Send(std::move(response));
}

Rejection ListProxiesStream::SlowReader() const {
  return {RejectReason::kSlowReader,
          "the list is not read fast enough; a list cannot be resumed: ask again, with filters or a limit"};
}

}  // namespace holdfast::server
