// A controller's side of the checkers, and its pool, for the fleet to judge: over real gRPC on loopback.
//
// Each proxy of the pool is checked again and again, one BASIC task at a time, by the checkers that watch in turn. A
// task that has no observation within its deadline is given to another one. What the observations make of the pool's
// states is the test's choice.

#pragma once

#include <grpcpp/server.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/boot_clock.h"
#include "controlplane/v1/controlplane.grpc.pb.h"
#include "holdfast/admin/v1/admin.grpc.pb.h"

namespace holdfast::fleet {

namespace wire = controlplane::v1;

// What it makes of an observation.
enum class Reducer {
  kFollows,       // as seen last
  kSeesNoDead,    // nothing ever turns UNHEALTHY
  kSeesNoLiving,  // nothing is ever AVAILABLE
};

class CheckingControlPlane final : public wire::CheckerControlPlane::CallbackService {
 public:
  static constexpr std::int64_t kTimeoutUs = 800'000;

  // Proxies are "proxy-0" and so on, or begin otherwise.
  CheckingControlPlane(Reducer reducer, int proxies, const std::string& begin = "proxy-");
  ~CheckingControlPlane() override;

  const std::string& address() const { return address_; }

  grpc::ServerUnaryReactor* RegisterChecker(grpc::CallbackServerContext* context, const wire::RegisterCheckerRequest*,
                                            wire::RegisterCheckerResponse* response) override;
  grpc::ServerUnaryReactor* ReportObservations(grpc::CallbackServerContext* context,
                                               const wire::ReportObservationsRequest* request,
                                               wire::ReportObservationsResponse* response) override;
  grpc::ServerWriteReactor<wire::TaskUpdate>* WatchTasks(grpc::CallbackServerContext*,
                                                         const wire::WatchTasksRequest* request) override;

 private:
  class Stream;
  class Pool;

  struct Outstanding {
    std::string task_id;
    std::int64_t given_us = 0;
  };

  // All require: lock held.
  // False for an observation of a task that is not outstanding.
  bool Reduce(const wire::HealthObservation& observation);
  // Gives every proxy that nobody checks, or not in time, to the next of those that watch.
  void GiveTasks();
  Stream* NextStream();

  void Gone(const std::string& checker_id, const Stream* stream);

  const Reducer reducer_;
  const std::unique_ptr<BootClock> clock_;
  std::mutex mutex_;  // guards all below but the server and its address
  std::uint64_t sessions_ = 0;
  std::uint64_t tasks_ = 0;
  std::string last_given_to_;                               // a checker
  std::map<std::string, Outstanding> outstanding_;          // by proxy
  std::map<std::string, admin::v1::PoolState> states_;      // by proxy
  std::map<std::string, std::string> session_of_;           // by checker
  std::map<std::string, std::shared_ptr<Stream>> streams_;  // by checker: the newest
  std::unique_ptr<Pool> pool_;
  std::string address_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace holdfast::fleet
