// The daemon, put together: loop, streams, services, gRPC server, housekeeping.
//
//   Start: recover the log ─► serve (health SERVING) ─► Stop: NOT_SERVING, streams end, calls finish, the loop stops
//
// Called by main, and by tests with a log and clocks of their own. Thread: one at a time; the accessors from any.
// Promises: nothing is served before the log is recovered and the start of this run is durable; Stop leaves no call
// open and no thread running, and what was decided is committed. Does not: read files, flags or signals (daemon_run.h).

#pragma once

#include <absl/status/statusor.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "server/config.h"
#include "server/controller_loop.h"
#include "server/daemon_housekeeping.h"
#include "server/effect_router.h"
#include "server/extraction_waits.h"
#include "server/grpc_server.h"
#include "server/pool_driver.h"
#include "server/self_audit.h"
#include "server/shed_admission.h"
#include "server/shed_sessions.h"
#include "server/stream_hub.h"

namespace holdfast::audit::v1 {
class GetStatusResponse;
}

namespace holdfast::server {

class DaemonServices;  // heavy: all that gRPC makes of the methods
struct StatusSources;

class Daemon {
 public:
  // All must outlive the daemon.
  struct Parts {
    EventLog& log;
    ControllerLoop::Clocks clocks;
    RandomSource& random;
  };
  struct Options {
    bool bootstrap = false;
    std::string software_version;
    std::size_t max_connections = 10'000;             // what descriptors allow, at most what is configured
    std::function<void(Sequence)> recovery_progress;  // may be null
    std::function<absl::StatusOr<std::uint64_t>()> free_disk_bytes;  // may be null: not watched
    std::function<void(const absl::Status&)> on_write_failure;       // may be null: the process ends
    bool drive_pool = true;  // false: nobody asks the pool store; for tests that play it
  };

  // store: null: one in the process.
  static absl::StatusOr<std::unique_ptr<Daemon>> Start(const Config& config, const Parts& parts, const Options& options,
                                                       std::unique_ptr<Listener> listener,
                                                       std::unique_ptr<pool::PoolStore> store = nullptr);
  ~Daemon();  // stops

  void Stop();

  // What Audit.GetStatus answers; waits at most so long. nullopt: not within it. Not while it is being stopped.
  std::optional<audit::v1::GetStatusResponse> StatusWithin(Duration patience) const;

  std::string address() const { return server_->address(); }
  ControllerLoop& loop() { return *loop_; }
  StreamHub& streams() { return streams_; }
  ExtractionWaits& extractions() { return extractions_; }
  Admission& admission() { return admission_; }
  PoolDriver& pool() { return *pool_; }
  ShedSessions& shed() { return shed_; }
  const GrpcServer& server() const { return *server_; }
  // How far the self-audit came; 0: nothing yet, or switched off.
  Sequence verified() const { return audit_ ? audit_->verified() : Sequence(0); }

  // What housekeeping does; tests call it to be rid of its period.
  void LookAtTime();
  void LookAround();

 private:
  Daemon(const Config& config, const Options& options);

  absl::Status OpenLoop(const Parts& parts);
  void TellDisk(std::uint64_t free_bytes);
  void StartAudit(const EventLog& log);
  StatusSources Sources() const;
  void StartPool(const Parts& parts, std::unique_ptr<pool::PoolStore> store);
  absl::Status Serve(const Parts& parts, std::unique_ptr<Listener> listener);

  const Config config_;
  const Options options_;
  Admission admission_;
  ShedSessions shed_;
  StreamHub streams_;
  ExtractionWaits extractions_;
  EffectRouter effects_{streams_, extractions_};
  std::unique_ptr<ControllerLoop> loop_;
  std::unique_ptr<PoolDriver> pool_;
  std::unique_ptr<DaemonServices> services_;
  std::unique_ptr<GrpcServer> server_;
  std::unique_ptr<SelfAudit> audit_;  // null: switched off
  std::unique_ptr<Housekeeping> housekeeping_;
  bool disk_was_looked_at_ = false;
  bool disk_was_low_ = false;  // housekeeping's thread
  std::atomic<bool> stopping_{false};
};

}  // namespace holdfast::server
