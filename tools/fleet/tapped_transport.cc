#include "tools/fleet/tapped_transport.h"

#include <utility>

namespace holdfast::fleet {

using client::CallResult;
namespace wire = controlplane::v1;

namespace {

judge::CallEnd EndOf(const CallResult& result) { return {static_cast<int>(result.code), result.detail}; }

CallResult Broken(const char* why) { return {.code = absl::StatusCode::kUnavailable, .message = why}; }

wire::SnapshotUpdate WithBadChecksum(wire::SnapshotUpdate update) {
  std::string* checksum = update.has_full()    ? update.mutable_full()->mutable_checksum()
                          : update.has_delta() ? update.mutable_delta()->mutable_checksum()
                                               : nullptr;
  if (checksum && !checksum->empty()) (*checksum)[0] = static_cast<char>((*checksum)[0] ^ 1);
  return update;
}

}  // namespace

class TappedStream : public client::UpdateStream {
 public:
  TappedStream(TappedTransport& owner, std::string session_id, client::WorkerTransport::SnapshotEvents events)
      : owner_(owner), session_id_(std::move(session_id)), events_(std::move(events)) {}
  ~TappedStream() override {
    if (owner_.stream_ == this) owner_.stream_ = nullptr;
  }

  void Open(const wire::WatchSnapshotsRequest& request) {
    inner_ = owner_.wire_->Watch(request, {[this](const wire::SnapshotUpdate& update) { OnUpdate(update); },
                                           [this](const CallResult& result) { OnEnd(result); }});
  }

  void ReadNext() override {
    wants_read_ = true;
    Resume();
  }

  void Resume() {
    if (!inner_ || !wants_read_ || !owner_.reading_ || owner_.vanished_) return;
    wants_read_ = false;
    inner_->ReadNext();
  }

  // The client finds it broken; the other side finds it cancelled.
  void Break() {
    if (std::exchange(broken_, true)) return;
    inner_.reset();
    owner_.scheduler_->Post([this, alive = std::weak_ptr(alive_)] {
      if (alive.lock()) events_.on_end(Broken("the stream was broken on purpose"));
    });
  }

 private:
  void OnUpdate(const wire::SnapshotUpdate& update) {
    owner_.tap_(judge::UpdateReceived{session_id_, update});
    // Lost on a network that is gone: the stream is found broken when it is back.
    if (owner_.vanished_) return;
    const bool corrupt = !update.has_drain() && std::exchange(owner_.corrupt_next_, false);
    events_.on_update(corrupt ? WithBadChecksum(update) : update);
  }

  void OnEnd(const CallResult& result) {
    owner_.tap_(judge::WatchEnded{session_id_, EndOf(result)});
    if (std::exchange(broken_, true)) return;
    events_.on_end(owner_.vanished_ ? Broken("the network is gone") : result);
  }

  TappedTransport& owner_;
  const std::string session_id_;
  const client::WorkerTransport::SnapshotEvents events_;
  std::unique_ptr<client::UpdateStream> inner_;
  bool wants_read_ = false;
  bool broken_ = false;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

TappedTransport::TappedTransport(std::shared_ptr<client::Scheduler> scheduler,
                                 std::unique_ptr<client::WorkerTransport> wire, Tap tap)
    : scheduler_(std::move(scheduler)), wire_(std::move(wire)), tap_(std::move(tap)) {}

TappedTransport::~TappedTransport() = default;

void TappedTransport::SetVanished(bool vanished) {
  vanished_ = vanished;
  if (!vanished && stream_) stream_->Break();
}

void TappedTransport::SetReading(bool reading) {
  reading_ = reading;
  if (reading && stream_) stream_->Resume();
}

void TappedTransport::BreakStream() {
  if (stream_) stream_->Break();
}

template <class Request, class Response>
client::Done<Response> TappedTransport::Tapped(const Request& request, client::Done<Response> done) {
  return [this, request, sent_us = scheduler_->Now().time_since_epoch().count(), alive = std::weak_ptr(alive_),
          done = std::move(done)](const CallResult& result, const Response& response) {
    if (!alive.lock()) return;
    tap_(judge::Answered<Request, Response>{request, response, EndOf(result), sent_us});
    if (vanished_ || std::exchange(lose_next_, false)) {
      done(Broken("the answer was lost on purpose"), Response());
    } else {
      done(result, response);
    }
  };
}

template <class Response>
bool TappedTransport::Swallowed(Duration deadline, const client::Done<Response>& done) {
  if (!vanished_) return false;
  scheduler_->RunAt(scheduler_->Now() + deadline, [alive = std::weak_ptr(alive_), done] {
    if (!alive.lock()) return;
    done({.code = absl::StatusCode::kDeadlineExceeded, .message = "the network is gone on purpose"}, Response());
  });
  return true;
}

void TappedTransport::Register(const wire::RegisterWorkerRequest& request, Duration deadline,
                               client::Done<wire::RegisterWorkerResponse> done) {
  if (Swallowed(deadline, done)) return;
  tap_(judge::RegisterSent{request});
  wire_->Register(request, deadline, Tapped(request, std::move(done)));
}

void TappedTransport::Acknowledge(const wire::AcknowledgeSnapshotRequest& request, Duration deadline,
                                  client::Done<wire::AcknowledgeSnapshotResponse> done) {
  if (Swallowed(deadline, done)) return;
  tap_(judge::AckSent{request});
  wire_->Acknowledge(request, deadline, Tapped(request, std::move(done)));
}

void TappedTransport::ReportRuntime(const wire::ReportRuntimeRequest& request, Duration deadline,
                                    client::Done<wire::ReportRuntimeResponse> done) {
  if (Swallowed(deadline, done)) return;
  wire_->ReportRuntime(request, deadline, Tapped(request, std::move(done)));
}

void TappedTransport::ReportOutcomes(const wire::ReportOutcomesRequest& request, Duration deadline,
                                     client::Done<wire::ReportOutcomesResponse> done) {
  if (Swallowed(deadline, done)) return;
  wire_->ReportOutcomes(request, deadline, Tapped(request, std::move(done)));
}

std::unique_ptr<client::UpdateStream> TappedTransport::Watch(const wire::WatchSnapshotsRequest& request,
                                                             SnapshotEvents events) {
  auto stream = std::make_unique<TappedStream>(*this, request.session_id(), std::move(events));
  stream_ = stream.get();
  // Without a network the stream stays silent, and is found broken when it is back.
  if (!vanished_) tap_(judge::WatchOpened{request});
  if (!vanished_) stream->Open(request);
  return stream;
}

}  // namespace holdfast::fleet
