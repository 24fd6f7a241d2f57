// A controller's side of the clients, with a pool of its own, for the fleet to judge: right but for one fault.
//
// Machine n is 192.0.2.n with one SOCKS5 proxy, from 1 on. Log time stands still, so no extraction ends by itself. A
// service for GivingControlPlane to serve beside its own; any thread.

#pragma once

#include <grpcpp/support/server_callback.h>

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "holdfast/distribution/v1/distribution.grpc.pb.h"

namespace holdfast::fleet {

enum class Fault {
  kNone,
  kLosesFirstAnswers,  // extracts, and says nothing of it until it is asked again; no fault by the contract
  kForgetsHolders,     // gives what somebody has
  kGivesOneMore,       // than were asked for
  kChangesItsMind,     // a repeat is answered with one proxy less
  kDeniesReleases,     // NOT_FOUND for what stands
};

class PlayedDistribution final : public distribution::v1::Distribution::CallbackService {
 public:
  PlayedDistribution(Fault fault, int machines) : fault_(fault), machines_(machines) {}

  // That somebody has.
  std::size_t held() const;

  grpc::ServerUnaryReactor* Extract(grpc::CallbackServerContext* context,
                                    const distribution::v1::ExtractRequest* request,
                                    distribution::v1::ExtractResponse* response) override;
  grpc::ServerUnaryReactor* Release(grpc::CallbackServerContext* context,
                                    const distribution::v1::ReleaseRequest* request,
                                    distribution::v1::ReleaseResponse* response) override;

 private:
  // All require: lock held.
  grpc::Status Decide(const distribution::v1::ExtractRequest& request, distribution::v1::ExtractResponse* response);
  grpc::Status Decide(const distribution::v1::ReleaseRequest& request, distribution::v1::ReleaseResponse* response);
  std::set<int> Choose(const distribution::v1::ExtractRequest& request) const;
  distribution::v1::ExtractResponse Give(const distribution::v1::ExtractRequest& request, const std::set<int>& chosen);

  const Fault fault_;
  const int machines_;
  mutable std::mutex mutex_;                                           // guards all below
  std::map<std::string, distribution::v1::ExtractResponse> answers_;   // by request_id
  std::map<std::string, distribution::v1::ReleaseResponse> releases_;  // by request_id
  std::map<std::string, std::set<int>> extractions_;                   // machines by extraction_id
  std::set<int> held_;
  std::uint64_t sequence_ = 0;
};

}  // namespace holdfast::fleet
