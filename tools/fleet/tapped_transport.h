// A transport that stands between a client and the wire: the judge hears all that passes, and faults are made here.
//
// The judge hears what really came and went; the client meets what the faults make of it: answers that are lost,
// updates with a bad checksum, a stream that breaks, a network that is gone. On the scheduler's thread, like what it
// wraps. One for each process.

#pragma once

#include <functional>
#include <memory>

#include "client/scheduler.h"
#include "client/worker_transport.h"
#include "tools/judge/happening.h"

namespace holdfast::fleet {

class TappedStream;

class TappedTransport : public client::WorkerTransport {
 public:
  using Tap = std::function<void(judge::What what)>;

  TappedTransport(std::shared_ptr<client::Scheduler> scheduler, std::unique_ptr<client::WorkerTransport> wire, Tap tap);
  ~TappedTransport() override;

  // ---- faults
  // Nothing gets through in either direction until it is switched off; then the stream is found broken.
  void SetVanished(bool vanished);
  // Updates are left unread until it is switched off.
  void SetReading(bool reading);
  void BreakStream();
  void CorruptNextUpdate() { corrupt_next_ = true; }
  void LoseNextAnswer() { lose_next_ = true; }

  // ---- WorkerTransport
  void Reconnect() override { wire_->Reconnect(); }
  void Register(const controlplane::v1::RegisterWorkerRequest& request, Duration deadline,
                client::Done<controlplane::v1::RegisterWorkerResponse> done) override;
  void Acknowledge(const controlplane::v1::AcknowledgeSnapshotRequest& request, Duration deadline,
                   client::Done<controlplane::v1::AcknowledgeSnapshotResponse> done) override;
  void ReportRuntime(const controlplane::v1::ReportRuntimeRequest& request, Duration deadline,
                     client::Done<controlplane::v1::ReportRuntimeResponse> done) override;
  void ReportOutcomes(const controlplane::v1::ReportOutcomesRequest& request, Duration deadline,
                      client::Done<controlplane::v1::ReportOutcomesResponse> done) override;
  std::unique_ptr<client::UpdateStream> Watch(const controlplane::v1::WatchSnapshotsRequest& request,
                                              SnapshotEvents events) override;

 private:
  friend class TappedStream;

  template <class Request, class Response>
  client::Done<Response> Tapped(const Request& request, client::Done<Response> done);
  // True where the network is gone: the answer is that none came in time.
  template <class Response>
  bool Swallowed(Duration deadline, const client::Done<Response>& done);

  const std::shared_ptr<client::Scheduler> scheduler_;
  const std::unique_ptr<client::WorkerTransport> wire_;
  const Tap tap_;
  bool vanished_ = false;
  bool reading_ = true;
  bool corrupt_next_ = false;
  bool lose_next_ = false;
  TappedStream* stream_ = nullptr;  // the newest that is alive
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::fleet
