#include "tools/fleet/faulty_checker_transport.h"

#include <utility>

#include "tools/fleet/faulty_stream.h"

namespace holdfast::fleet {

namespace wire = controlplane::v1;

FaultyCheckerTransport::FaultyCheckerTransport(NetworkFaults& faults, std::unique_ptr<client::CheckerTransport> wire,
                                               OnLost on_lost)
    : faults_(faults), wire_(std::move(wire)), on_lost_(std::move(on_lost)) {}

template <class Response>
client::Done<Response> FaultyCheckerTransport::Disturbed(client::Done<Response> done) {
  return [this, alive = std::weak_ptr(alive_), done = std::move(done)](const client::CallResult& result,
                                                                       const Response& response) {
    if (alive.lock()) faults_.Deliver(done, result, response);
  };
}

void FaultyCheckerTransport::Register(const wire::RegisterCheckerRequest& request, Duration deadline,
                                      client::Done<wire::RegisterCheckerResponse> done) {
  if (faults_.Swallowed(deadline, done)) return;
  wire_->Register(request, deadline, Disturbed(std::move(done)));
}

void FaultyCheckerTransport::ReportObservations(const wire::ReportObservationsRequest& request, Duration deadline,
                                                client::Done<wire::ReportObservationsResponse> done) {
  if (faults_.Swallowed(deadline, done)) return;
  wire_->ReportObservations(request, deadline, Disturbed(std::move(done)));
}

std::unique_ptr<client::UpdateStream> FaultyCheckerTransport::Watch(const wire::WatchTasksRequest& request,
                                                                    TaskEvents events) {
  using Stream = FaultyStream<wire::TaskUpdate>;
  auto stream =
      std::make_unique<Stream>(faults_,
                               Stream::Taps{.arrived = [](const wire::TaskUpdate&) {},
                                            .ended = [](const client::CallResult&) {},
                                            .lost =
                                                [this](const wire::TaskUpdate& update) {
                                                  if (update.has_task()) on_lost_(update.task());
                                                },
                                            .as_delivered = [](const wire::TaskUpdate& update) { return update; }},
                               std::move(events));
  if (!faults_.vanished()) {
    stream->Begin([&](TaskEvents inner) { return wire_->Watch(request, std::move(inner)); });
  }
  return stream;
}

}  // namespace holdfast::fleet
