// A checker's transport over a network that has its faults: answers that are lost, a stream that breaks, a network
// that is gone.
//
// On the scheduler's thread, like what it wraps. One for each process.

#pragma once

#include <functional>
#include <memory>

#include "client/checker_transport.h"
#include "tools/fleet/network_faults.h"

namespace holdfast::fleet {

class FaultyCheckerTransport : public client::CheckerTransport {
 public:
  // The controller sent a task that its checker will never see.
  using OnLost = std::function<void(const controlplane::v1::CheckTask& task)>;

  // `faults` outlives the transport and its stream.
  FaultyCheckerTransport(NetworkFaults& faults, std::unique_ptr<client::CheckerTransport> wire, OnLost on_lost);

  // ---- CheckerTransport
  void Reconnect() override { wire_->Reconnect(); }
  void Register(const controlplane::v1::RegisterCheckerRequest& request, Duration deadline,
                client::Done<controlplane::v1::RegisterCheckerResponse> done) override;
  void ReportObservations(const controlplane::v1::ReportObservationsRequest& request, Duration deadline,
                          client::Done<controlplane::v1::ReportObservationsResponse> done) override;
  std::unique_ptr<client::UpdateStream> Watch(const controlplane::v1::WatchTasksRequest& request,
                                              TaskEvents events) override;

 private:
  template <class Response>
  client::Done<Response> Disturbed(client::Done<Response> done);

  NetworkFaults& faults_;
  const std::unique_ptr<client::CheckerTransport> wire_;
  const OnLost on_lost_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::fleet
