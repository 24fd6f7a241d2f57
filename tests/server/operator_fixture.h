// The operators' services over real gRPC, beside the daemon of daemon_fixture.h: on its loop, on a port of their own,
// with streams that a test moves in time itself.
//
// Thread: the test's.

#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/server.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/admin/v1/admin.grpc.pb.h"
#include "holdfast/audit/v1/audit.grpc.pb.h"
#include "server/read_services.h"
#include "tests/server/daemon_fixture.h"

namespace holdfast::server {

// http, "198.18.<n / 250>.<n % 250 + 1>":8080.
admin::v1::ProxySpec MadeProxy(int number);

// What a stream gave before it was over, and how it ended.
template <class Response>
struct Streamed {
  std::vector<Response> messages;
  grpc::Status status;
};

// The services on a loop, and a client of theirs.
class OperatorServer {
 public:
  OperatorServer(ControllerLoop& loop, Admission& admission, const Settings& settings, StatusSources sources);
  ~OperatorServer() { Stop(); }

  ReadServices& services() { return services_; }
  admin::v1::PoolAdmin::Stub& pool() { return *pool_; }
  admin::v1::FleetAdmin::Stub& fleet() { return *fleet_; }
  audit::v1::Audit::Stub& audit() { return *audit_; }
  // A connection whose client takes 64 KiB of a stream that it does not read, and no more.
  std::shared_ptr<grpc::Channel> NarrowChannel() const;

  // Sends batches as one import; all answers, and how it ended.
  Streamed<admin::v1::ImportProxiesResponse> Import(const std::vector<admin::v1::ImportProxiesRequest>& batches);
  // The proxies from `first` up to but without `end`, as one import of batches of 5,000; fails the test if one is
  // refused.
  void ImportMade(int first, int end);
  std::vector<admin::v1::ProxyStatus> List(const admin::v1::ListProxiesRequest& request = {});
  admin::v1::ProxyStatus Proxy(const std::string& proxy_id);
  std::vector<admin::v1::SessionStatus> Sessions(const admin::v1::ListSessionsRequest& request = {});
  audit::v1::GetStatusResponse Status();
  std::vector<audit::v1::LogLine> ReadLog(const audit::v1::ReadLogRequest& request = {});
  std::vector<audit::v1::OwnershipPeriod> History(const audit::v1::OwnershipHistoryRequest& request);

  // In the order of the daemon's end.
  void Stop();

 private:
  PoolDriver driver_;  // not started: nobody asks the pool store
  ReadServices services_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
  std::unique_ptr<admin::v1::PoolAdmin::Stub> pool_;
  std::unique_ptr<admin::v1::FleetAdmin::Stub> fleet_;
  std::unique_ptr<audit::v1::Audit::Stub> audit_;
};

struct HeldDaemon {
  TestDaemon held_daemon;
};

// They and a daemon with workers.
class OperatorDaemon : private HeldDaemon, public OperatorServer {
 public:
  OperatorDaemon() : OperatorDaemon(TestDaemon::Options{}) {}
  explicit OperatorDaemon(const TestDaemon::Options& options, StatusSources sources = {});
  ~OperatorDaemon();

  TestDaemon& daemon() { return held_daemon; }

  // Moves the clocks with everything that is due, the operators' streams too.
  void Advance(Duration duration);
  // Again and again, 11 s at a time, until something is so; false: it never was. For what a client's transport does in
  // its own time, between two looks at the clock.
  bool AdvanceUntil(const std::function<bool()>& so);
};

// Reads a stream to its end.
template <class Response>
Streamed<Response> ReadAll(grpc::ClientReader<Response>& reader) {
  Streamed<Response> all;
  for (Response response; reader.Read(&response); response.Clear()) all.messages.push_back(std::move(response));
  all.status = reader.Finish();
  return all;
}

}  // namespace holdfast::server
