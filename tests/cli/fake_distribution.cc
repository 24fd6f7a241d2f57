#include "tests/cli/fake_distribution.h"

#include <utility>

namespace holdfast::cli {

using namespace distribution::v1;

void FakeDistribution::AnswerExtract(const ExtractResponse& answer) {
  std::lock_guard lock(mutex_);
  extract_answer_ = answer;
}

void FakeDistribution::AnswerRelease(const ReleaseResponse& answer) {
  std::lock_guard lock(mutex_);
  release_answer_ = answer;
}

void FakeDistribution::FailNext(grpc::Status status) {
  std::lock_guard lock(mutex_);
  faults_.push_back(std::move(status));
}

void FakeDistribution::FallSilent(std::function<void()> taken) {
  std::lock_guard lock(mutex_);
  silent_ = true;
  taken_ = std::move(taken);
}

void FakeDistribution::LetGo() {
  std::lock_guard lock(mutex_);
  let_go_ = true;
  changed_.notify_all();
}

std::vector<ExtractRequest> FakeDistribution::extracts() const {
  std::lock_guard lock(mutex_);
  return extracts_;
}

std::vector<ReleaseRequest> FakeDistribution::releases() const {
  std::lock_guard lock(mutex_);
  return releases_;
}

grpc::Status FakeDistribution::Extract(grpc::ServerContext*, const ExtractRequest* request, ExtractResponse* response) {
  std::unique_lock lock(mutex_);
  extracts_.push_back(*request);
  *response = extract_answer_;
  return End(std::move(lock));
}

grpc::Status FakeDistribution::Release(grpc::ServerContext*, const ReleaseRequest* request, ReleaseResponse* response) {
  std::unique_lock lock(mutex_);
  releases_.push_back(*request);
  *response = release_answer_;
  return End(std::move(lock));
}

grpc::Status FakeDistribution::End(std::unique_lock<std::mutex> lock) {
  if (silent_) {
    const std::function<void()> taken = taken_;
    lock.unlock();
    if (taken) taken();
    lock.lock();
    changed_.wait(lock, [this] { return let_go_; });
  }
  if (faults_.empty()) return grpc::Status::OK;
  grpc::Status fault = std::move(faults_.front());
  faults_.pop_front();
  return fault;
}

}  // namespace holdfast::cli
