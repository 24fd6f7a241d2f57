// Every service of the daemon, made from what they stand on.
//
// Life cycle: made after the loop, closed before the gRPC server shuts down, destroyed after it. Thread: one at a time,
// but Tick (housekeeping's).

#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "server/call_context.h"
#include "server/checker_service.h"
#include "server/distribution_service.h"
#include "server/grpc_server.h"
#include "server/read_services.h"
#include "server/worker_service.h"

namespace holdfast::server {

class DaemonServices {
 public:
  // sources: what Audit.GetStatus shows of the process.
  DaemonServices(const CallContext& context, PoolDriver& driver, StatusSources sources)
      : worker_(context),
        checker_(context),
        distribution_(context),
        reads_(context.loop, driver, context.admission, context.settings, std::move(sources)) {}

  std::vector<GrpcServer::NamedService> all();

  // The operators' streams: what is due, the end of all of them, and of the threads that read for them. What waits for
  // the pool store ends with them.
  void Tick(LogTime now) { reads_.Tick(now); }
  void CloseAll(const Rejection& rejection) {
    distribution_.CloseAll(rejection);
    reads_.CloseAll(rejection);
  }
  void Stop() { reads_.Stop(); }

  std::optional<audit::v1::GetStatusResponse> StatusWithin(Duration patience) const {
    return reads_.StatusWithin(patience);
  }

 private:
  WorkerService worker_;
  CheckerService checker_;
  DistributionService distribution_;
  ReadServices reads_;
};

}  // namespace holdfast::server
