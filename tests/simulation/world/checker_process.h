// One process of a simulated checker: registers, watches its tasks, runs each for a while, reports what it found;
// written from contract.md "Checkers" and health.md, with what it is told as its only knowledge.
//
//   Start ─► Register ─► Watch ─► tasks, observations, reports ─► (session lost: backoff, Register) ─► Die
//
// What it finds is true (truth.h), unless a fault makes it lie, or its own uplink is broken. Its files:
// checker_process.cc (life, sessions, its stream), checker_tasks.cc (tasks and reports). Thread: one. Kept by its host
// to the end of the world.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controlplane/v1/controlplane.pb.h"
#include "tests/simulation/world/process.h"

namespace holdfast::simulation {

// What stays the same over all processes of one checker.
struct CheckerIdentity {
  std::string checker_id;
  std::string zone;
  std::vector<controlplane::v1::CheckLevel> levels;
  bool resolves_secrets = false;
  bool knows_anonymity = true;  // else it passes whatever comes out, and leaves it to the controller
  bool has_judge = true;        // else it concludes nothing at EGRESS
  std::uint32_t max_concurrency = 1;
};

class CheckerProcess final : public Process {
 public:
  struct Session {
    std::string id;
    Micros ttl = 0;
    Micros report_interval = 0;
    std::uint32_t max_batch = 0;
    Micros opened_at = 0;
  };
  // How it is wrong, while it is.
  enum class Trouble { kNone, kLies, kUplinkBroken, kBlind };

  CheckerProcess(World& world, Network& network, Controller& controller, const MachineClock& clock,
                 const CheckerIdentity& identity, std::string instance_id);

  void Start() { Register(); }
  void Die();
  // Drains, reports, ends when its session is closed.
  void Leave();
  void BeWrong(Trouble trouble, Micros length);
  // Reads nothing from its stream for so long; what came meanwhile it reads then.
  void BeDeaf(Micros length) { deaf_until_ = world_.time.now() + length; }
  void EndFaults();

  bool leaving() const { return leaving_; }
  const std::optional<Session>& session() const { return session_; }
  const CheckerIdentity& identity() const { return identity_; }
  std::uint64_t report_sequence() const { return report_sequence_; }
  const std::map<std::string, controlplane::v1::CheckTask>& running() const { return running_; }

 private:
  // ---- sessions and streams (checker_process.cc) -------------------------------------------------------------------
  void Register();
  void Registered(const CallAnswer& answer);
  void OpenSession(const controlplane::v1::RegisterCheckerResponse& response);
  void LoseSession();
  // Of a call in this session; what the table of reasons says.
  void React(const CallEnd& end);
  void Watch();
  void WatchAfter(Micros wait);
  void OnStreamEnd(std::uint64_t stream, const CallEnd& end);

  // ---- tasks and reports (checker_tasks.cc) ------------------------------------------------------------------------
  void OnTask(std::uint64_t stream, const controlplane::v1::TaskUpdate& update);
  void Begin(const controlplane::v1::CheckTask& task);
  void Finish(const std::string& task_id);
  controlplane::v1::HealthObservation Find(const controlplane::v1::CheckTask& task);
  void ReportTick(std::uint64_t session_serial);
  void SendReport();
  void Reported(const controlplane::v1::ReportObservationsRequest& request, const CallAnswer& answer);
  Trouble trouble() const { return trouble_until_ > world_.time.now() ? trouble_ : Trouble::kNone; }

  CheckerIdentity identity_;
  const std::string instance_id_;
  bool leaving_ = false;
  Trouble trouble_ = Trouble::kNone;
  Micros trouble_until_ = 0;
  Micros deaf_until_ = 0;
  std::int64_t last_success_boot_ = 0;

  // Its session.
  std::optional<Session> session_;
  std::uint64_t session_serial_ = 0;
  bool registering_ = false;
  std::uint64_t stream_ = 0;  // the newest; 0: none was opened
  bool stream_open_ = false;
  bool stream_heard_ = false;
  std::uint64_t watch_scheduled_ = 0;  // for which session, by its serial
  std::uint64_t report_sequence_ = 0;
  bool report_in_flight_ = false;
  Micros reported_at_ = 0;
  std::optional<controlplane::v1::ReportObservationsRequest> unanswered_;

  // What it does; also over the end of a session, since it may hear of that late.
  std::map<std::string, controlplane::v1::CheckTask> running_;  // by task id
  std::vector<controlplane::v1::HealthObservation> found_;      // not reported yet
};

}  // namespace holdfast::simulation
