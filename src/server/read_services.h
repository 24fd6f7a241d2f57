// The operators' services and what they share, in one place for the daemon.
//
// Life cycle: made after the loop; services() go into the gRPC server; CloseAll when the shutdown begins, before the
// server's; Stop after the server is down and before the loop is destroyed; destroyed after both. Thread: one at a
// time, but Tick (the daemon's housekeeping) beside the server.

#pragma once

#include <grpcpp/impl/service_type.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/audit_service.h"
#include "server/fleet_service.h"
#include "server/pool_service.h"

namespace holdfast::server {

class ReadServices {
 public:
  ReadServices(ControllerLoop& loop, PoolDriver& driver, Admission& admission, const Settings& settings,
               StatusSources sources)
      : reads_{loop, admission, pool_threads_, streams_, settings},
        pool_(reads_, driver),
        fleet_(reads_),
        audit_(reads_, std::move(sources)) {
    streams_.Follow(loop.follower());
  }

  // Full names and services.
  std::vector<std::pair<std::string, grpc::Service*>> services() {
    return {{admin::v1::PoolAdmin::service_full_name(), &pool_},
            {admin::v1::FleetAdmin::service_full_name(), &fleet_},
            {audit::v1::Audit::service_full_name(), &audit_}};
  }

  // Cuts off who does not read. Ten times a second or so; now: log time.
  void Tick(LogTime now) { streams_.Tick(now); }
  void CloseAll(const Rejection& rejection) { streams_.CloseAll(rejection); }
  void Stop() { pool_threads_.Stop(); }

  std::optional<audit::v1::GetStatusResponse> StatusWithin(Duration patience) const {
    return audit_.StatusWithin(patience);
  }

  std::size_t streams() const { return streams_.size(); }
  // Cut because they did not read.
  std::uint64_t slow_readers() const { return streams_.slow(); }

 private:
  ReaderPool pool_threads_;
  ReadStreams streams_;
  const ReadContext reads_;
  PoolService pool_;
  FleetService fleet_;
  AuditService audit_;
};

}  // namespace holdfast::server
