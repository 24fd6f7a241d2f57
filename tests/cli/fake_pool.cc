#include "tests/cli/fake_pool.h"

#include <algorithm>
#include <optional>

#include "tests/cli/status_details.h"

namespace holdfast::cli {
namespace {

using admin::v1::ImportProxiesRequest;
using admin::v1::ImportProxiesResponse;
using admin::v1::ProxySpec;

std::string IdOf(const ProxySpec& spec) {
  if (!spec.proxy_id().empty()) return spec.proxy_id();
  std::string scheme = controlplane::v1::ProxyScheme_Name(spec.endpoint().scheme()).substr(13);
  std::transform(scheme.begin(), scheme.end(), scheme.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::string account = spec.secret_ref().empty() ? "" : spec.secret_ref() + "@";
  return scheme + "://" + account + spec.endpoint().host() + ":" + std::to_string(spec.endpoint().port());
}

}  // namespace

void FakePool::BreakNextStream(StreamFault fault) {
  Locked([&] { faults_.push_back(std::move(fault)); });
}

void FakePool::RejectHost(const std::string& host, admin::v1::ImportReason reason, const std::string& detail) {
  Locked([&] { rejected_hosts_[host] = {reason, detail}; });
}

void FakePool::WaitForBatches(std::size_t count) {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [&] { return batches_.size() >= count; });
}

void FakePool::Release() {
  std::lock_guard lock(mutex_);
  released_ = true;
  taken_.notify_all();
}

void FakePool::HoldUntilReleased() {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [this] { return released_; });
}

void FakePool::Put(const admin::v1::ProxyStatus& proxy) {
  Locked([&] { proxies_[proxy.spec().proxy_id()] = proxy; });
}

std::set<std::string> FakePool::ids() const {
  return Locked([&] {
    std::set<std::string> ids;
    for (const auto& [id, proxy] : proxies_) ids.insert(id);
    return ids;
  });
}

void FakePool::TakeOne(const ProxySpec& item, std::uint64_t index, std::set<std::string>& named,
                       ImportProxiesResponse& answer) {
  const std::string id = IdOf(item);
  named.insert(id);
  const auto rejected = rejected_hosts_.find(item.endpoint().host());
  if (!item.has_endpoint() || rejected != rejected_hosts_.end()) {
    answer.set_rejected(answer.rejected() + 1);
    auto& rejection = *answer.add_rejections();
    rejection.set_index(index);
    rejection.set_reason(item.has_endpoint() ? rejected->second.first : admin::v1::IMPORT_REASON_MALFORMED);
    rejection.set_detail(item.has_endpoint() ? rejected->second.second : "no endpoint");
    return;
  }
  const auto [found, is_new] = proxies_.try_emplace(id);
  const bool same = !is_new && found->second.spec().source() == item.source();
  *found->second.mutable_spec() = item;
  found->second.mutable_spec()->set_proxy_id(id);
  if (is_new) answer.set_added(answer.added() + 1);
  if (!is_new && same) answer.set_unchanged(answer.unchanged() + 1);
  if (!is_new && !same) answer.set_updated(answer.updated() + 1);
}

ImportProxiesResponse FakePool::Take(const ImportProxiesRequest& request, std::uint64_t first_index,
                                     std::set<std::string>& named) {
  batches_.push_back(request);
  taken_.notify_all();
  heard_ += request.SerializeAsString();
  ImportProxiesResponse answer;
  answer.set_first_index(first_index);
  answer.set_count(static_cast<std::uint64_t>(request.proxies_size()));
  for (int i = 0; i < request.proxies_size(); ++i) {
    TakeOne(request.proxies(i), first_index + static_cast<std::uint64_t>(i), named, answer);
  }
  if (!request.replace_source().empty()) {
    answer.set_removed(std::erase_if(proxies_, [&](const auto& entry) {
      return entry.second.spec().source() == request.replace_source() && named.count(entry.first) == 0;
    }));
  }
  answer.set_log_sequence(++sequence_);
  if (miscounts_) answer.set_added(answer.added() + 1);
  return answer;
}

grpc::Status FakePool::ImportProxies(grpc::ServerContext* context,
                                     grpc::ServerReaderWriter<ImportProxiesResponse, ImportProxiesRequest>* stream) {
  std::optional<StreamFault> fault;
  const bool silent = Locked([&] {
    ++streams_;
    if (!faults_.empty()) {
      fault = faults_.front();
      faults_.pop_front();
    }
    return silent_;
  });
  std::set<std::string> named;
  std::uint64_t next_index = 0;
  std::size_t answered = 0;
  ImportProxiesRequest request;
  while (stream->Read(&request)) {
    if (silent) break;
    if (fault && answered == fault->answers && !fault->commits_one_more) return fault->status;
    const ImportProxiesResponse answer = Locked([&] { return Take(request, next_index, named); });
    if (fault && answered == fault->answers) return fault->status;
    next_index += answer.count();
    if (!stream->Write(answer)) break;
    ++answered;
  }
  if (silent) HoldUntilReleased();
  return context->IsCancelled() ? grpc::Status::CANCELLED : grpc::Status::OK;
}

grpc::Status FakePool::ListProxies(grpc::ServerContext*, const admin::v1::ListProxiesRequest* request,
                                   grpc::ServerWriter<admin::v1::ListProxiesResponse>* writer) {
  const auto [proxies, fault, sequence] = Locked([&] {
    list_request_ = *request;
    return std::tuple(proxies_, list_fault_, sequence_);
  });
  // Two a message, so that a list is more than one.
  admin::v1::ListProxiesResponse response;
  for (const auto& [id, proxy] : proxies) {
    *response.add_proxies() = proxy;
    response.set_as_of_sequence(sequence);
    if (response.proxies_size() < 2) continue;
    writer->Write(response);
    response.Clear();
  }
  response.set_as_of_sequence(sequence);
  writer->Write(response);
  return fault;
}

grpc::Status FakePool::RemoveProxies(grpc::ServerContext*, const admin::v1::RemoveProxiesRequest* request,
                                     admin::v1::RemoveProxiesResponse* response) {
  return Locked([&] {
    removals_.push_back(*request);
    for (const std::string& id : request->proxy_ids()) {
      const auto found = proxies_.find(id);
      if (found == proxies_.end()) {
        response->add_unknown_proxy_ids(id);
      } else if (found->second.ownership_state() == admin::v1::OWNERSHIP_STATE_GRANTED) {
        response->set_draining(response->draining() + 1);
      } else {
        proxies_.erase(found);
        response->set_removed(response->removed() + 1);
      }
    }
    response->set_log_sequence(++sequence_);
    return grpc::Status::OK;
  });
}

grpc::Status FakePool::ApplyRoutings(grpc::ServerContext*, const admin::v1::ApplyRoutingsRequest* request,
                                     admin::v1::ApplyRoutingsResponse* response) {
  return Locked([&] {
    applied_ = *request;
    if (request->has_expected_revision() && request->expected_revision() != routings_.revision()) {
      return Refusal(grpc::StatusCode::FAILED_PRECONDITION, controlplane::v1::REJECT_REASON_FAILED_CONDITION,
                     "revision " + std::to_string(routings_.revision()) + " stands");
    }
    *routings_.mutable_routings() = request->routings();
    routings_.set_revision(routings_.revision() + 1);
    response->set_revision(routings_.revision());
    response->set_log_sequence(++sequence_);
    return grpc::Status::OK;
  });
}

grpc::Status FakePool::ListRoutings(grpc::ServerContext*, const admin::v1::ListRoutingsRequest*,
                                    admin::v1::ListRoutingsResponse* response) {
  *response = Locked([&] { return routings_; });
  return grpc::Status::OK;
}

grpc::Status FakePool::ListChecks(grpc::ServerContext*, const admin::v1::ListChecksRequest* request,
                                  grpc::ServerWriter<admin::v1::ListChecksResponse>* writer) {
  const auto [checks, fault, sequence] = Locked([&] {
    list_checks_request_ = *request;
    return std::tuple(checks_, list_fault_, sequence_);
  });
  // One a message, so that a list is more than one.
  admin::v1::ListChecksResponse response;
  for (const admin::v1::ProxyHealth& proxy : checks) {
    response.Clear();
    *response.add_proxies() = proxy;
    response.set_as_of_sequence(sequence);
    writer->Write(response);
  }
  response.Clear();
  response.set_as_of_sequence(sequence);
  writer->Write(response);
  return fault;
}

grpc::Status FakePool::CheckProxy(grpc::ServerContext*, const admin::v1::CheckProxyRequest* request,
                                  admin::v1::CheckProxyResponse* response) {
  const auto [refusal, silent] = Locked([&] {
    check_requests_.push_back(*request);
    *response = check_answer_;
    return std::pair(check_refusal_, silent_);
  });
  if (silent) HoldUntilReleased();
  return refusal;
}

grpc::Status FakePool::DiffPool(grpc::ServerContext*, const admin::v1::DiffPoolRequest*,
                                grpc::ServerWriter<admin::v1::DiffPoolResponse>* writer) {
  const auto [responses, refusal] = Locked([&] { return std::pair(diff_, store_refusal_); });
  for (const admin::v1::DiffPoolResponse& response : responses) writer->Write(response);
  return refusal;
}

grpc::Status FakePool::RebuildPool(grpc::ServerContext*, const admin::v1::RebuildPoolRequest* request,
                                   admin::v1::RebuildPoolResponse* response) {
  const auto [refusal, silent] = Locked([&] {
    rebuilds_.push_back(*request);
    *response = rebuild_answer_;
    return std::pair(store_refusal_, silent_);
  });
  if (silent) HoldUntilReleased();
  return refusal;
}

grpc::Status FakePool::AdoptPool(grpc::ServerContext*, const admin::v1::AdoptPoolRequest* request,
                                 admin::v1::AdoptPoolResponse* response) {
  return Locked([&] {
    adoptions_.push_back(*request);
    *response = adopt_answer_;
    return store_refusal_;
  });
}

}  // namespace holdfast::cli
