// Reads the whole pool through PoolAdmin.ListProxies: which proxies there are, and the state of each.
//
// On its scheduler's thread. One reading at a time; destroying it cancels the one under way, and nothing of it is told.

#pragma once

#include <functional>
#include <memory>

#include "client/grpc_calls.h"
#include "holdfast/admin/v1/admin.grpc.pb.h"
#include "tools/judge/health_judge.h"

namespace holdfast::fleet {

class PoolReader {
 public:
  using Done = std::function<void(const client::CallResult& result, judge::PoolListing listing)>;

  PoolReader(std::shared_ptr<client::Scheduler> scheduler, client::ChannelSource channels);

  // `done` is called once, never from within; the listing is whole where the result is OK. Its instants are those of
  // the scheduler's clock. Requires: the reading before has ended.
  void Read(Duration deadline, Done done);

 private:
  void OnAnswer(const admin::v1::ListProxiesResponse& response);
  void OnEnd(const client::CallResult& result);
  std::int64_t NowUs() const { return calls_.scheduler()->Now().time_since_epoch().count(); }

  client::GrpcCalls<admin::v1::PoolAdmin> calls_;
  judge::PoolListing listing_;
  Done done_;
  std::unique_ptr<client::UpdateStream> stream_;
};

}  // namespace holdfast::fleet
