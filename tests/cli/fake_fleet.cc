#include "tests/cli/fake_fleet.h"

#include <utility>

namespace holdfast::cli {

using admin::v1::AcceptClockRequest;
using admin::v1::AcceptClockResponse;
using admin::v1::ClearAlarmRequest;
using admin::v1::ClearAlarmResponse;
using admin::v1::DrainProgress;
using admin::v1::DrainSessionRequest;
using admin::v1::DrainSessionResponse;
using admin::v1::FenceSessionRequest;
using admin::v1::FenceSessionResponse;
using admin::v1::ListAlarmsRequest;
using admin::v1::ListAlarmsResponse;
using admin::v1::ListSessionsRequest;
using admin::v1::ListSessionsResponse;
using admin::v1::ReclaimProxiesRequest;
using admin::v1::ReclaimProxiesResponse;
using admin::v1::SetEligibilityRequest;
using admin::v1::SetEligibilityResponse;
using admin::v1::WatchDrainRequest;

void FakeFleet::Release() {
  std::lock_guard lock(mutex_);
  released_ = true;
  changed_.notify_all();
}

grpc::Status FakeFleet::ListSessions(grpc::ServerContext*, const ListSessionsRequest* request,
                                     ListSessionsResponse* response) {
  std::lock_guard lock(mutex_);
  requests_.push_back(*request);
  const std::size_t begin = request->page_token().empty() ? 0 : std::stoul(request->page_token());
  for (std::size_t i = begin; i < sessions_.size() && i < begin + kPage; ++i) {
    *response->add_sessions() = sessions_[i];
  }
  if (begin + kPage < sessions_.size()) response->set_next_page_token(std::to_string(begin + kPage));
  response->set_as_of_sequence(kSequence);
  return grpc::Status::OK;
}

grpc::Status FakeFleet::DrainSession(grpc::ServerContext*, const DrainSessionRequest* request,
                                     DrainSessionResponse* response) {
  std::lock_guard lock(mutex_);
  drains_.push_back(*request);
  *response = drain_answer_;
  response->set_log_sequence(kSequence);
  return refusal_;
}

grpc::Status FakeFleet::WatchDrain(grpc::ServerContext*, const WatchDrainRequest* request,
                                   grpc::ServerWriter<DrainProgress>* writer) {
  std::unique_lock lock(mutex_);
  watches_.push_back(*request);
  if (plans_.empty()) return {grpc::StatusCode::INTERNAL, "the test planned no such stream"};
  const WatchPlan plan = std::move(plans_.front());
  plans_.pop_front();
  lock.unlock();
  for (const DrainProgress& progress : plan.progress) writer->Write(progress);
  if (plan.then) plan.then();
  lock.lock();
  if (plan.holds) changed_.wait(lock, [this] { return released_; });
  return plan.status;
}

grpc::Status FakeFleet::FenceSession(grpc::ServerContext*, const FenceSessionRequest* request,
                                     FenceSessionResponse* response) {
  std::lock_guard lock(mutex_);
  fences_.push_back(*request);
  *response = fence_answer_;
  response->set_log_sequence(kSequence);
  return refusal_;
}

grpc::Status FakeFleet::ReclaimProxies(grpc::ServerContext*, const ReclaimProxiesRequest* request,
                                       ReclaimProxiesResponse* response) {
  std::lock_guard lock(mutex_);
  reclaims_.push_back(*request);
  for (const std::string& id : request->proxy_ids()) {
    if (id.starts_with("gone")) {
      response->add_unknown_proxy_ids(id);
    } else if (id.starts_with("free")) {
      response->set_already_unowned(response->already_unowned() + 1);
    } else {
      response->set_draining(response->draining() + 1);
    }
  }
  response->set_log_sequence(kSequence);
  return refusal_;
}

grpc::Status FakeFleet::SetEligibility(grpc::ServerContext*, const SetEligibilityRequest* request,
                                       SetEligibilityResponse* response) {
  std::lock_guard lock(mutex_);
  eligibilities_.push_back(*request);
  response->set_log_sequence(kSequence);
  return refusal_;
}

grpc::Status FakeFleet::ListAlarms(grpc::ServerContext*, const ListAlarmsRequest*, ListAlarmsResponse* response) {
  std::lock_guard lock(mutex_);
  for (const admin::v1::Alarm& alarm : alarms_) *response->add_alarms() = alarm;
  return grpc::Status::OK;
}

grpc::Status FakeFleet::ClearAlarm(grpc::ServerContext*, const ClearAlarmRequest* request,
                                   ClearAlarmResponse* response) {
  std::lock_guard lock(mutex_);
  clears_.push_back(*request);
  const auto erased = std::erase_if(alarms_, [&](const admin::v1::Alarm& alarm) {
    return alarm.kind() == request->kind() && alarm.subject() == request->subject();
  });
  response->set_cleared(erased > 0);
  response->set_log_sequence(kSequence);
  return refusal_;
}

grpc::Status FakeFleet::AcceptClock(grpc::ServerContext*, const AcceptClockRequest* request,
                                    AcceptClockResponse* response) {
  std::lock_guard lock(mutex_);
  accepts_.push_back(*request);
  response->mutable_moved()->set_seconds(90);
  response->mutable_moved()->set_nanos(500'000'000);
  response->set_log_sequence(kSequence);
  return refusal_;
}

}  // namespace holdfast::cli
