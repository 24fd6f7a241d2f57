// A pool as far as the command line can see one: imports, lists, removals, routings, checks, the
// pool store; and faults on demand.
//
// Part of FakeDaemon. Called by gRPC's threads and, between calls, by the test; every member is guarded by mutex_.
// Keeps the contract's rules of an import (one answer a batch, idempotent, replace at the last batch) with code of its
// own.

#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "holdfast/admin/v1/admin.grpc.pb.h"

namespace holdfast::cli {

class FakePool : public admin::v1::PoolAdmin::Service {
 public:
  // What the next import stream does after its first `answers` answers: takes one batch more, without an answer, if
  // `commits_one_more`, and ends with `status`.
  struct StreamFault {
    std::size_t answers = 0;
    bool commits_one_more = false;
    grpc::Status status = {};
  };

  void BreakNextStream(StreamFault fault);
  // Answers of this shape from now on, whatever was asked: a daemon that does not keep the contract.
  void Miscount(bool wrong) {
    Locked([&] { miscounts_ = wrong; });
  }
  // Takes batches, checks and rebuilds and answers none, until Release().
  void FallSilent() {
    Locked([&] { silent_ = true; });
  }
  // Items of this host are refused.
  void RejectHost(const std::string& host, admin::v1::ImportReason reason, const std::string& detail);
  void Put(const admin::v1::ProxyStatus& proxy);
  void RefuseLists(grpc::Status status) {
    Locked([&] { list_fault_ = status; });
  }
  void PutChecks(const admin::v1::ProxyHealth& proxy) {
    Locked([&] { checks_.push_back(proxy); });
  }
  void AnswerCheck(const admin::v1::CheckProxyResponse& answer) {
    Locked([&] { check_answer_ = answer; });
  }
  void RefuseChecks(grpc::Status status) {
    Locked([&] { check_refusal_ = status; });
  }
  // What the next comparison of the store sends, and how it ends.
  void PlanDiff(std::vector<admin::v1::DiffPoolResponse> responses, grpc::Status status = {}) {
    Locked([&] {
      diff_ = std::move(responses);
      store_refusal_ = std::move(status);
    });
  }
  void AnswerRebuild(const admin::v1::RebuildPoolResponse& answer) {
    Locked([&] { rebuild_answer_ = answer; });
  }
  void AnswerAdopt(const admin::v1::AdoptPoolResponse& answer) {
    Locked([&] { adopt_answer_ = answer; });
  }
  // Every call of the store is answered so from now on.
  void RefuseStore(grpc::Status status) {
    Locked([&] { store_refusal_ = std::move(status); });
  }
  void SetRoutings(const admin::v1::ListRoutingsResponse& routings) {
    Locked([&] { routings_ = routings; });
  }

  // Lets go of the calls that are held; FakeDaemon's last act.
  void Release();
  // Comes back once so many batches were taken.
  void WaitForBatches(std::size_t count);
  std::vector<admin::v1::ImportProxiesRequest> batches() const {
    return Locked([&] { return batches_; });
  }
  std::size_t streams() const {
    return Locked([&] { return streams_; });
  }
  std::set<std::string> ids() const;
  admin::v1::ListProxiesRequest list_request() const {
    return Locked([&] { return list_request_; });
  }
  admin::v1::ListChecksRequest list_checks_request() const {
    return Locked([&] { return list_checks_request_; });
  }
  std::vector<admin::v1::CheckProxyRequest> check_requests() const {
    return Locked([&] { return check_requests_; });
  }
  std::vector<admin::v1::RemoveProxiesRequest> removals() const {
    return Locked([&] { return removals_; });
  }
  std::vector<admin::v1::RebuildPoolRequest> rebuilds() const {
    return Locked([&] { return rebuilds_; });
  }
  std::vector<admin::v1::AdoptPoolRequest> adoptions() const {
    return Locked([&] { return adoptions_; });
  }
  admin::v1::ApplyRoutingsRequest applied() const {
    return Locked([&] { return applied_; });
  }
  // Every byte that came in, for those who look for what must not be in there.
  std::string everything_heard() const {
    return Locked([&] { return heard_; });
  }

  grpc::Status ImportProxies(
      grpc::ServerContext* context,
      grpc::ServerReaderWriter<admin::v1::ImportProxiesResponse, admin::v1::ImportProxiesRequest>* stream) override;
  grpc::Status ListProxies(grpc::ServerContext*, const admin::v1::ListProxiesRequest* request,
                           grpc::ServerWriter<admin::v1::ListProxiesResponse>* writer) override;
  grpc::Status RemoveProxies(grpc::ServerContext*, const admin::v1::RemoveProxiesRequest* request,
                             admin::v1::RemoveProxiesResponse* response) override;
  grpc::Status ApplyRoutings(grpc::ServerContext*, const admin::v1::ApplyRoutingsRequest* request,
                             admin::v1::ApplyRoutingsResponse* response) override;
  grpc::Status ListRoutings(grpc::ServerContext*, const admin::v1::ListRoutingsRequest*,
                            admin::v1::ListRoutingsResponse* response) override;
  grpc::Status ListChecks(grpc::ServerContext*, const admin::v1::ListChecksRequest* request,
                          grpc::ServerWriter<admin::v1::ListChecksResponse>* writer) override;
  grpc::Status CheckProxy(grpc::ServerContext*, const admin::v1::CheckProxyRequest* request,
                          admin::v1::CheckProxyResponse* response) override;
  grpc::Status DiffPool(grpc::ServerContext*, const admin::v1::DiffPoolRequest*,
                        grpc::ServerWriter<admin::v1::DiffPoolResponse>* writer) override;
  grpc::Status RebuildPool(grpc::ServerContext*, const admin::v1::RebuildPoolRequest* request,
                           admin::v1::RebuildPoolResponse* response) override;
  grpc::Status AdoptPool(grpc::ServerContext*, const admin::v1::AdoptPoolRequest* request,
                         admin::v1::AdoptPoolResponse* response) override;

 private:
  template <class Body>
  std::invoke_result_t<Body> Locked(Body body) const {
    std::lock_guard lock(mutex_);
    return body();
  }
  // Requires: mutex_ is held. `named` are the ids that this stream has named.
  admin::v1::ImportProxiesResponse Take(const admin::v1::ImportProxiesRequest& request, std::uint64_t first_index,
                                        std::set<std::string>& named);
  void TakeOne(const admin::v1::ProxySpec& item, std::uint64_t index, std::set<std::string>& named,
               admin::v1::ImportProxiesResponse& answer);
  void HoldUntilReleased();

  mutable std::mutex mutex_;
  std::condition_variable taken_;
  std::map<std::string, admin::v1::ProxyStatus> proxies_;
  std::map<std::string, std::pair<admin::v1::ImportReason, std::string>> rejected_hosts_;
  std::deque<StreamFault> faults_;
  bool miscounts_ = false;
  bool silent_ = false;
  bool released_ = false;
  grpc::Status list_fault_;
  admin::v1::ListRoutingsResponse routings_;
  std::vector<admin::v1::ProxyHealth> checks_;
  admin::v1::CheckProxyResponse check_answer_;
  grpc::Status check_refusal_;
  std::vector<admin::v1::DiffPoolResponse> diff_;
  admin::v1::RebuildPoolResponse rebuild_answer_;
  admin::v1::AdoptPoolResponse adopt_answer_;
  grpc::Status store_refusal_;
  std::uint64_t sequence_ = 100;

  std::vector<admin::v1::ImportProxiesRequest> batches_;
  std::size_t streams_ = 0;
  admin::v1::ListProxiesRequest list_request_;
  std::vector<admin::v1::RemoveProxiesRequest> removals_;
  admin::v1::ListChecksRequest list_checks_request_;
  std::vector<admin::v1::CheckProxyRequest> check_requests_;
  std::vector<admin::v1::RebuildPoolRequest> rebuilds_;
  std::vector<admin::v1::AdoptPoolRequest> adoptions_;
  admin::v1::ApplyRoutingsRequest applied_;
  std::string heard_;
};

}  // namespace holdfast::cli
