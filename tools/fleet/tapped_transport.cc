#include "tools/fleet/tapped_transport.h"

#include <utility>

#include "tools/fleet/call_end.h"
#include "tools/fleet/faulty_stream.h"

namespace holdfast::fleet {

using client::CallResult;
namespace wire = controlplane::v1;

namespace {

wire::SnapshotUpdate WithBadChecksum(wire::SnapshotUpdate update) {
  std::string* checksum = update.has_full()    ? update.mutable_full()->mutable_checksum()
                          : update.has_delta() ? update.mutable_delta()->mutable_checksum()
                                               : nullptr;
  if (checksum && !checksum->empty()) (*checksum)[0] = static_cast<char>((*checksum)[0] ^ 1);
  return update;
}

}  // namespace

TappedTransport::TappedTransport(NetworkFaults& faults, std::unique_ptr<client::WorkerTransport> wire, Tap tap)
    : faults_(faults), wire_(std::move(wire)), tap_(std::move(tap)) {}

template <class Request, class Response>
client::Done<Response> TappedTransport::Tapped(const Request& request, client::Done<Response> done) {
  return [this, request, sent_us = faults_.scheduler().Now().time_since_epoch().count(), alive = std::weak_ptr(alive_),
          done = std::move(done)](const CallResult& result, const Response& response) {
    if (!alive.lock()) return;
    tap_(judge::Answered<Request, Response>{request, response, EndOf(result), sent_us});
    faults_.Deliver(done, result, response);
  };
}

void TappedTransport::Register(const wire::RegisterWorkerRequest& request, Duration deadline,
                               client::Done<wire::RegisterWorkerResponse> done) {
  if (faults_.Swallowed(deadline, done)) return;
  tap_(judge::RegisterSent{request});
  wire_->Register(request, deadline, Tapped(request, std::move(done)));
}

void TappedTransport::Acknowledge(const wire::AcknowledgeSnapshotRequest& request, Duration deadline,
                                  client::Done<wire::AcknowledgeSnapshotResponse> done) {
  if (faults_.Swallowed(deadline, done)) return;
  tap_(judge::AckSent{request});
  wire_->Acknowledge(request, deadline, Tapped(request, std::move(done)));
}

void TappedTransport::ReportRuntime(const wire::ReportRuntimeRequest& request, Duration deadline,
                                    client::Done<wire::ReportRuntimeResponse> done) {
  if (faults_.Swallowed(deadline, done)) return;
  wire_->ReportRuntime(request, deadline, Tapped(request, std::move(done)));
}

void TappedTransport::ReportOutcomes(const wire::ReportOutcomesRequest& request, Duration deadline,
                                     client::Done<wire::ReportOutcomesResponse> done) {
  if (faults_.Swallowed(deadline, done)) return;
  wire_->ReportOutcomes(request, deadline, Tapped(request, std::move(done)));
}

std::unique_ptr<client::UpdateStream> TappedTransport::Watch(const wire::WatchSnapshotsRequest& request,
                                                             SnapshotEvents events) {
  using Stream = FaultyStream<wire::SnapshotUpdate>;
  const std::string session_id = request.session_id();
  auto stream = std::make_unique<Stream>(faults_,
                                         Stream::Taps{.arrived =
                                                          [this, session_id](const wire::SnapshotUpdate& update) {
                                                            tap_(judge::UpdateReceived{session_id, update});
                                                          },
                                                      .ended =
                                                          [this, session_id](const CallResult& result) {
                                                            tap_(judge::WatchEnded{session_id, EndOf(result)});
                                                          },
                                                      .lost = [](const wire::SnapshotUpdate&) {},
                                                      .as_delivered =
                                                          [this](const wire::SnapshotUpdate& update) {
                                                            const bool corrupt = !update.has_drain() &&
                                                                                 std::exchange(corrupt_next_, false);
                                                            return corrupt ? WithBadChecksum(update) : update;
                                                          }},
                                         std::move(events));
  if (faults_.vanished()) return stream;
  tap_(judge::WatchOpened{request});
  stream->Begin([&](SnapshotEvents inner) { return wire_->Watch(request, std::move(inner)); });
  return stream;
}

}  // namespace holdfast::fleet
