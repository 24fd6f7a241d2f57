// ACKs and runtime reports of one session: one of the two in flight at a time, ACKs first.
//
// Internal to src/client, on the scheduler's thread; made with a session and closed with it. An ACK that got no answer
// is sent again (it is idempotent); a report is never repeated: the next one replaces it, under a new number. A report
// says what the view and the slots are at the moment it is sent. Does not decide about the session: it tells.

#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "client/worker_context.h"

namespace holdfast::client {

class ControlLink {
 public:
  struct Events {
    std::function<void()> watch_again;   // what the controller accepted of us does not stand
    std::function<void()> acknowledged;  // a positive ACK was accepted
  };

  ControlLink(WorkerContext& context, Events events);
  ~ControlLink();

  // Begins the regular reports: the first with the first accepted ACK, or after a third of session_ttl, since until
  // then there is nothing to report but being alive.
  void Open();
  void Close();

  void Accept(const SnapshotView& view);
  void Refuse(const UpdateRefused& refused);
  // A report as soon as nothing is in flight.
  void ReportNow();

 private:
  void ScheduleReport(Duration delay);
  void Pump();
  void SendAck();
  void SendReport();
  controlplane::v1::ReportRuntimeRequest MakeReport();
  void OnAck(const controlplane::v1::AcknowledgeSnapshotRequest& request, const CallResult& result,
             const controlplane::v1::AcknowledgeSnapshotResponse& response);
  void OnAckRefused(const controlplane::v1::AcknowledgeSnapshotRequest& request, const CallResult& result);
  void OnReport(const controlplane::v1::ReportRuntimeRequest& request, const CallResult& result,
                const controlplane::v1::ReportRuntimeResponse& response);
  void OnReportRefused(const CallResult& result);
  void AcknowledgeAgain();
  void RetryLater(std::optional<Duration> retry_after);
  void TellState(controlplane::v1::SessionState state);

  WorkerContext& context_;
  const Events events_;
  session::Backoff backoff_;
  std::deque<controlplane::v1::AcknowledgeSnapshotRequest> acks_;  // the first may be in flight
  bool in_flight_ = false;
  bool report_due_ = false;
  bool closed_ = false;
  std::uint64_t report_sequence_ = 0;
  Scheduler::TimerId report_timer_ = 0;
  Scheduler::TimerId retry_timer_ = 0;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::client
