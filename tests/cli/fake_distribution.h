// What clients call, as far as the command line can see it: extractions and releases, and faults on demand.
//
// Part of FakeDaemon. Called by gRPC's threads and, between calls, by the test; every member is guarded by mutex_. It
// answers what the test put into it and writes down what it was asked; it chooses no machine and forgets nothing.

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "holdfast/distribution/v1/distribution.grpc.pb.h"

namespace holdfast::cli {

class FakeDistribution : public distribution::v1::Distribution::Service {
 public:
  void AnswerExtract(const distribution::v1::ExtractResponse& answer);
  void AnswerRelease(const distribution::v1::ReleaseResponse& answer);
  // The next call, of either kind, ends so; those after it as if nothing had been.
  void FailNext(grpc::Status status);
  // Takes calls and answers none, until LetGo(); `taken` runs for each.
  void FallSilent(std::function<void()> taken);
  // Lets go of the calls that are held; FakeDaemon's last act.
  void LetGo();

  std::vector<distribution::v1::ExtractRequest> extracts() const;
  std::vector<distribution::v1::ReleaseRequest> releases() const;

  grpc::Status Extract(grpc::ServerContext*, const distribution::v1::ExtractRequest* request,
                       distribution::v1::ExtractResponse* response) override;
  grpc::Status Release(grpc::ServerContext*, const distribution::v1::ReleaseRequest* request,
                       distribution::v1::ReleaseResponse* response) override;

 private:
  // How the call that was taken ends; waits while it is silent.
  grpc::Status End(std::unique_lock<std::mutex> lock);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  distribution::v1::ExtractResponse extract_answer_;
  distribution::v1::ReleaseResponse release_answer_;
  std::deque<grpc::Status> faults_;
  std::function<void()> taken_;
  bool silent_ = false;
  bool let_go_ = false;
  std::vector<distribution::v1::ExtractRequest> extracts_;
  std::vector<distribution::v1::ReleaseRequest> releases_;
};

}  // namespace holdfast::cli
