// One process of a simulated worker: registers, watches, acknowledges, reports, carries requests; written from
// contract.md "What a worker does", with what it is told as its only knowledge.
//
//   Start ─► Register ─► Watch ─► updates, ACKs, reports ─► (session lost: backoff, Register) ─► Die
//
// Its files: worker_process.cc (life and sessions), worker_updates.cc (streams, updates, ACKs), worker_reports.cc.
// Thread: one. Kept by its host to the end of the world, so that what was asked for can still come back. What it was
// told and did goes to the judge as well, in true simulated time.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tests/simulation/world/process.h"
#include "tests/simulation/world/traffic.h"
#include "tests/simulation/world/worker_view.h"

namespace holdfast::simulation {

// What stays the same over all processes of one worker.
struct WorkerIdentity {
  std::string worker_id;
  std::string zone;
  bool takes_deltas = true;
  bool resolves_secrets = false;
  std::uint32_t weight = 1;
  std::uint32_t max_proxies = 0;
  std::uint32_t max_message_bytes = 0;
};

class WorkerProcess final : public Process {
 public:
  struct Session {
    std::string id;
    std::uint64_t epoch = 0;
    std::shared_ptr<SessionClock> clock;
    Micros ttl = 0;
    Micros report_interval = 0;
    std::int64_t lapse_grace_us = 0;
    Micros opened_at = 0;
  };

  WorkerProcess(World& world, Network& network, Controller& controller, const MachineClock& clock,
                const WorkerIdentity& identity, std::string name, std::string instance_id);

  void Start();
  void Die();
  // Drains, reports, ends when its session is closed.
  void Leave();
  // Answers no update for so long.
  void BeMute(Micros length) { mute_until_ = world_.time.now() + length; }
  void BreakStream();
  void EndFaults();

  bool leaving() const { return leaving_; }
  const std::optional<Session>& session() const { return session_; }
  const ViewPointer& view() const { return view_; }
  const std::string& instance_id() const { return instance_id_; }
  const WorkerIdentity& identity() const { return identity_; }
  // The last positive ACK that it sent in its session; nullopt: none.
  std::optional<std::pair<std::uint64_t, std::string>> last_ack() const {
    if (!last_ack_ || !last_ack_->accepted) return std::nullopt;
    return std::pair(last_ack_->version, last_ack_->checksum);
  }
  std::uint64_t report_sequence() const { return report_sequence_; }
  std::uint64_t outcome_sequence() const { return outcome_sequence_; }
  const Traffic& traffic() const { return traffic_; }

 private:
  struct PendingAck {
    std::uint64_t version = 0;
    std::string checksum;
    bool accepted = false;
    controlplane::v1::SnapshotRefusal refusal{};
    std::string issued_checksum;
  };

  // ---- sessions (worker_process.cc) --------------------------------------------------------------------------------
  void Tell(judge::What what);
  template <class Response>
  void HearTime(const Response& response, std::int64_t sent_boot) {
    if (session_) session_->clock->Hear(TimeOf(response.server_time()), sent_boot);
    last_success_boot_ = BootNow();
  }
  static std::int64_t TimeOf(const google::protobuf::Timestamp& time);

  void Register();
  void Registered(const controlplane::v1::RegisterWorkerRequest& request, const CallAnswer& answer,
                  std::int64_t sent_boot);
  void OpenSession(const controlplane::v1::RegisterWorkerResponse& response, std::int64_t sent_boot);
  void LoseSession();
  // Of a call in this session; what the table of reasons says.
  void React(const CallEnd& end);
  void OnSessionState(controlplane::v1::SessionState state);

  // ---- streams, updates, acknowledgements (worker_updates.cc) -------------------------------------------------------
  void Watch();
  void WatchLater();
  void OnMessage(std::uint64_t stream, const controlplane::v1::SnapshotUpdate& update);
  void OnStreamEnd(std::uint64_t stream, const CallEnd& end);
  void OnUpdate(const controlplane::v1::SnapshotUpdate& update);
  controlplane::v1::SnapshotRefusal Check(const controlplane::v1::SnapshotUpdate& update, WorkerView& view) const;
  void Take(WorkerView view);
  void Refuse(const WorkerView& view, controlplane::v1::SnapshotRefusal refusal);
  void SendAck();
  void SendLateAck(const PendingAck& refused);
  void Acknowledged(const PendingAck& ack, const controlplane::v1::AcknowledgeSnapshotRequest& request,
                    const CallAnswer& answer, std::int64_t sent_boot);

  // ---- reports and outcomes (worker_reports.cc) ---------------------------------------------------------------------
  void SendNextControl();
  void ReportTick(std::uint64_t session_serial);
  void SendReport();
  void Reported(const controlplane::v1::ReportRuntimeRequest& request, const CallAnswer& answer,
                std::int64_t sent_boot);
  void OutcomeTick(std::uint64_t session_serial);
  void PutOutcome(const controlplane::v1::ProxyGrant& grant, controlplane::v1::Outcome& outcome);
  void SendOutcomes(const controlplane::v1::ReportOutcomesRequest& request);
  void RequestTick();

  const WorkerIdentity identity_;
  const judge::Who who_;           // by a name of its own, whatever it says of itself
  const std::string instance_id_;  // as it says it
  Traffic traffic_;

  bool leaving_ = false;
  Micros mute_until_ = 0;
  std::int64_t last_success_boot_ = 0;

  // What it remembers over its sessions.
  std::string log_id_;
  std::string previous_session_id_;
  std::string registration_id_;
  std::uint64_t registrations_ = 0;
  std::uint64_t last_epoch_ = 0;
  std::uint64_t last_version_ = 0;
  std::pair<std::uint64_t, std::uint64_t> highest_taken_;  // (epoch, version)

  // Its session.
  std::optional<Session> session_;
  std::uint64_t session_serial_ = 0;
  bool registering_ = false;
  std::uint64_t stream_ = 0;  // the newest; 0: none was opened
  bool stream_open_ = false;
  bool stream_heard_ = false;
  bool watch_from_nothing_ = false;
  bool watch_scheduled_ = false;
  ViewPointer view_;
  bool control_in_flight_ = false;  // never an ACK and a report together
  bool report_due_ = false;
  std::optional<PendingAck> pending_ack_;
  std::optional<PendingAck> last_ack_;  // sent last, to be repeated
  std::uint64_t report_sequence_ = 0;
  std::optional<controlplane::v1::ReportRuntimeRequest> unanswered_report_;
  Micros report_first_sent_ = 0;
  std::uint64_t outcome_sequence_ = 0;
  bool outcomes_in_flight_ = false;
};

}  // namespace holdfast::simulation
