#include "tests/fleet/played_distribution.h"

#include <algorithm>

#include "tests/client/rejection_status.h"
#include "tests/client/wire_builders.h"
#include "tests/fleet/giving_control_plane.h"

namespace holdfast::fleet {
namespace {

constexpr std::int64_t kUsableUntil = 3'000;

grpc::ServerUnaryReactor* Answer(grpc::CallbackServerContext* context, const grpc::Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(status);
  return reactor;
}

grpc::Status NotEnough(std::size_t available, std::uint32_t requested) {
  wire::ErrorDetail detail;
  detail.set_reason(wire::REJECT_REASON_NOT_ENOUGH_PROXIES);
  detail.mutable_retry_after()->set_nanos(20'000'000);
  (*detail.mutable_metadata())["available"] = std::to_string(available);
  (*detail.mutable_metadata())["requested"] = std::to_string(requested);
  return test::Rejection(grpc::StatusCode::RESOURCE_EXHAUSTED, detail);
}

std::string ProxyOf(int machine) { return "proxy-" + std::to_string(machine); }

}  // namespace

std::size_t PlayedDistribution::held() const {
  const std::lock_guard lock(mutex_);
  return held_.size();
}

grpc::ServerUnaryReactor* PlayedDistribution::Extract(grpc::CallbackServerContext* context,
                                                      const distribution::v1::ExtractRequest* request,
                                                      distribution::v1::ExtractResponse* response) {
  const std::lock_guard lock(mutex_);
  return Answer(context, Decide(*request, response));
}

grpc::ServerUnaryReactor* PlayedDistribution::Release(grpc::CallbackServerContext* context,
                                                      const distribution::v1::ReleaseRequest* request,
                                                      distribution::v1::ReleaseResponse* response) {
  const std::lock_guard lock(mutex_);
  return Answer(context, Decide(*request, response));
}

grpc::Status PlayedDistribution::Decide(const distribution::v1::ExtractRequest& request,
                                        distribution::v1::ExtractResponse* response) {
  const auto known = answers_.find(request.request_id());
  if (known != answers_.end()) {
    if (fault_ == Fault::kChangesItsMind) known->second.mutable_proxies()->RemoveLast();
    *response = known->second;
    return grpc::Status::OK;
  }
  const std::set<int> chosen = Choose(request);
  if (chosen.size() < (request.all_or_nothing() ? request.count() : 1)) {
    return NotEnough(chosen.size(), request.count());
  }
  *response = Give(request, chosen);
  if (fault_ == Fault::kLosesFirstAnswers) return {grpc::StatusCode::UNAVAILABLE, "lost by the test"};
  return grpc::Status::OK;
}

std::set<int> PlayedDistribution::Choose(const distribution::v1::ExtractRequest& request) const {
  std::set<int> chosen;
  const auto& schemes = request.schemes();
  if (!schemes.empty() && std::find(schemes.begin(), schemes.end(), wire::PROXY_SCHEME_SOCKS5) == schemes.end()) {
    return chosen;
  }
  const std::size_t most = request.count() + (fault_ == Fault::kGivesOneMore ? 1 : 0);
  for (int machine = 1; machine <= machines_ && chosen.size() < most; ++machine) {
    if (fault_ == Fault::kForgetsHolders || !held_.contains(machine)) chosen.insert(machine);
  }
  return chosen;
}

distribution::v1::ExtractResponse PlayedDistribution::Give(const distribution::v1::ExtractRequest& request,
                                                           const std::set<int>& chosen) {
  distribution::v1::ExtractResponse answer;
  answer.set_extraction_id("extraction-" + std::to_string(++sequence_));
  for (const int machine : chosen) {
    distribution::v1::ExtractedProxy& proxy = *answer.add_proxies();
    proxy.set_proxy_id(ProxyOf(machine));
    *proxy.mutable_endpoint() = client::Grant("").endpoint();
    proxy.mutable_endpoint()->set_host("192.0.2." + std::to_string(machine));
    client::SetTime(*proxy.mutable_usable_until(), client::At(kUsableUntil));
  }
  const LogTime now = client::At(GivingControlPlane::kNowSeconds);
  client::SetTime(*answer.mutable_server_time(), now);
  const Duration hold = client::DurationFrom(request.hold()).value_or(Duration(0));
  client::SetTime(*answer.mutable_extracted_until(), request.has_hold() ? now + hold : client::At(kUsableUntil));
  answer.set_requested(request.count());
  answer.set_log_sequence(sequence_);
  held_.insert(chosen.begin(), chosen.end());
  extractions_[answer.extraction_id()] = chosen;
  answers_[request.request_id()] = answer;
  return answer;
}

grpc::Status PlayedDistribution::Decide(const distribution::v1::ReleaseRequest& request,
                                        distribution::v1::ReleaseResponse* response) {
  const auto known = releases_.find(request.request_id());
  if (known != releases_.end()) {
    *response = known->second;
    return grpc::Status::OK;
  }
  const auto extraction = extractions_.find(request.extraction_id());
  if (fault_ == Fault::kDeniesReleases || extraction == extractions_.end()) {
    return test::Rejection(grpc::StatusCode::NOT_FOUND, wire::REJECT_REASON_NOT_FOUND);
  }
  std::set<int> given;
  for (const int machine : extraction->second) {
    const auto& ids = request.proxy_ids();
    if (ids.empty() || std::find(ids.begin(), ids.end(), ProxyOf(machine)) != ids.end()) given.insert(machine);
  }
  for (const int machine : given) {
    extraction->second.erase(machine);
    held_.erase(machine);
  }
  response->set_released(given.size());
  response->set_log_sequence(++sequence_);
  releases_[request.request_id()] = *response;
  return grpc::Status::OK;
}

}  // namespace holdfast::fleet
