// The sessions that a test says there are, two a page.
//
// Part of FakeDaemon. Thread: any.

#pragma once

#include <mutex>
#include <vector>

#include "holdfast/admin/v1/admin.grpc.pb.h"

namespace holdfast::cli {

class FakeFleet : public admin::v1::FleetAdmin::Service {
 public:
  void Put(const admin::v1::SessionStatus& session) {
    std::lock_guard lock(mutex_);
    sessions_.push_back(session);
  }
  std::vector<admin::v1::ListSessionsRequest> requests() const {
    std::lock_guard lock(mutex_);
    return requests_;
  }

  grpc::Status ListSessions(grpc::ServerContext*, const admin::v1::ListSessionsRequest* request,
                            admin::v1::ListSessionsResponse* response) override {
    std::lock_guard lock(mutex_);
    requests_.push_back(*request);
    const std::size_t begin = request->page_token().empty() ? 0 : std::stoul(request->page_token());
    for (std::size_t i = begin; i < sessions_.size() && i < begin + kPage; ++i) {
      *response->add_sessions() = sessions_[i];
    }
    if (begin + kPage < sessions_.size()) response->set_next_page_token(std::to_string(begin + kPage));
    response->set_as_of_sequence(4711);
    return grpc::Status::OK;
  }

 private:
  static constexpr std::size_t kPage = 2;

  mutable std::mutex mutex_;
  std::vector<admin::v1::SessionStatus> sessions_;
  std::vector<admin::v1::ListSessionsRequest> requests_;
};

}  // namespace holdfast::cli
