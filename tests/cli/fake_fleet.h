// A fleet as far as operators can see one: sessions (two a page), drains and how they go on, alarms, a clock.
//
// Part of FakeDaemon. Called by gRPC's threads and, between calls, by the test; every member is guarded by mutex_. It
// answers what the test put into it and writes down what it was asked.

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <type_traits>
#include <vector>

#include "holdfast/admin/v1/admin.grpc.pb.h"

namespace holdfast::cli {

class FakeFleet : public admin::v1::FleetAdmin::Service {
 public:
  // What one WatchDrain stream does: sends this, calls `then`, and ends with `status`, or holds on until Release().
  struct WatchPlan {
    std::vector<admin::v1::DrainProgress> progress = {};
    grpc::Status status = {};
    bool holds = false;
    std::function<void()> then = {};
  };

  void Put(const admin::v1::SessionStatus& session) {
    Locked([&] { sessions_.push_back(session); });
  }
  void AnswerDrain(const admin::v1::DrainSessionResponse& answer) {
    Locked([&] { drain_answer_ = answer; });
  }
  void PlanWatch(WatchPlan plan) {
    Locked([&] { plans_.push_back(std::move(plan)); });
  }
  void AnswerFence(const admin::v1::FenceSessionResponse& answer) {
    Locked([&] { fence_answer_ = answer; });
  }
  void PutAlarm(const admin::v1::Alarm& alarm) {
    Locked([&] { alarms_.push_back(alarm); });
  }
  // Every call that changes something is answered so from now on.
  void Refuse(grpc::Status status) {
    Locked([&] { refusal_ = std::move(status); });
  }
  // Lets go of the streams that are held; FakeDaemon's last act.
  void Release();

  std::vector<admin::v1::ListSessionsRequest> requests() const { return Copy(requests_); }
  std::vector<admin::v1::DrainSessionRequest> drains() const { return Copy(drains_); }
  std::vector<admin::v1::WatchDrainRequest> watches() const { return Copy(watches_); }
  std::vector<admin::v1::FenceSessionRequest> fences() const { return Copy(fences_); }
  std::vector<admin::v1::ReclaimProxiesRequest> reclaims() const { return Copy(reclaims_); }
  std::vector<admin::v1::SetEligibilityRequest> eligibilities() const { return Copy(eligibilities_); }
  std::vector<admin::v1::ClearAlarmRequest> clears() const { return Copy(clears_); }
  std::vector<admin::v1::AcceptClockRequest> accepts() const { return Copy(accepts_); }

  grpc::Status ListSessions(grpc::ServerContext*, const admin::v1::ListSessionsRequest* request,
                            admin::v1::ListSessionsResponse* response) override;
  grpc::Status DrainSession(grpc::ServerContext*, const admin::v1::DrainSessionRequest* request,
                            admin::v1::DrainSessionResponse* response) override;
  grpc::Status WatchDrain(grpc::ServerContext*, const admin::v1::WatchDrainRequest* request,
                          grpc::ServerWriter<admin::v1::DrainProgress>* writer) override;
  grpc::Status FenceSession(grpc::ServerContext*, const admin::v1::FenceSessionRequest* request,
                            admin::v1::FenceSessionResponse* response) override;
  // Of an id "free..." nobody is the owner; "gone..." is in no pool.
  grpc::Status ReclaimProxies(grpc::ServerContext*, const admin::v1::ReclaimProxiesRequest* request,
                              admin::v1::ReclaimProxiesResponse* response) override;
  grpc::Status SetEligibility(grpc::ServerContext*, const admin::v1::SetEligibilityRequest* request,
                              admin::v1::SetEligibilityResponse* response) override;
  grpc::Status ListAlarms(grpc::ServerContext*, const admin::v1::ListAlarmsRequest*,
                          admin::v1::ListAlarmsResponse* response) override;
  grpc::Status ClearAlarm(grpc::ServerContext*, const admin::v1::ClearAlarmRequest* request,
                          admin::v1::ClearAlarmResponse* response) override;
  // Moves by 90.5 s.
  grpc::Status AcceptClock(grpc::ServerContext*, const admin::v1::AcceptClockRequest* request,
                           admin::v1::AcceptClockResponse* response) override;

 private:
  static constexpr std::size_t kPage = 2;
  static constexpr std::uint64_t kSequence = 4711;

  template <class Body>
  std::invoke_result_t<Body> Locked(Body body) const {
    std::lock_guard lock(mutex_);
    return body();
  }
  template <class Value>
  Value Copy(const Value& value) const {
    std::lock_guard lock(mutex_);
    return value;
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<admin::v1::SessionStatus> sessions_;
  admin::v1::DrainSessionResponse drain_answer_;
  std::deque<WatchPlan> plans_;
  admin::v1::FenceSessionResponse fence_answer_;
  std::vector<admin::v1::Alarm> alarms_;
  grpc::Status refusal_;
  bool released_ = false;

  std::vector<admin::v1::ListSessionsRequest> requests_;
  std::vector<admin::v1::DrainSessionRequest> drains_;
  std::vector<admin::v1::WatchDrainRequest> watches_;
  std::vector<admin::v1::FenceSessionRequest> fences_;
  std::vector<admin::v1::ReclaimProxiesRequest> reclaims_;
  std::vector<admin::v1::SetEligibilityRequest> eligibilities_;
  std::vector<admin::v1::ClearAlarmRequest> clears_;
  std::vector<admin::v1::AcceptClockRequest> accepts_;
};

}  // namespace holdfast::cli
