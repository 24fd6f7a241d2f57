// A list of proxies as a stream: a walk (list_proxies.h, list_checks.h), written slice by slice.
//
// Life cycle and threads: read_stream.h. Promises: at least one message, so that as_of_sequence is told of an empty
// list too.
// Walk: made from its Request; Step(state, now, Response*) appends the next slice; done().

#pragma once

#include <utility>

#include "server/read_stream.h"

namespace holdfast::server {

template <class Walk>
class ListStream final : public ReadStream<typename Walk::Response> {
 public:
  ListStream(const ReadContext& reads, grpc::CallbackServerContext* context, const typename Walk::Request& request)
      : ReadStream<typename Walk::Response>(reads, context), walk_(request) {}

 private:
  void Produce() override {
    this->OnFollower([this](const ControllerState& state) { Slice(state); });
  }

  void Slice(const ControllerState& state) {
    if (walk_.done()) return this->End(grpc::Status::OK);
    typename Walk::Response response;
    walk_.Step(state, this->reads().loop.Now(), &response);
    if (response.proxies().empty() && !(walk_.done() && !told_)) return Produce();
    told_ = true;
    this->Send(std::move(response));
  }

  Rejection SlowReader() const override {
    return {RejectReason::kSlowReader,
            "the list is not read fast enough; a list cannot be resumed: ask again, with filters or a limit"};
  }

  Walk walk_;  // the follower's thread
  bool told_ = false;
};

}  // namespace holdfast::server
