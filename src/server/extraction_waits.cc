#include "server/extraction_waits.h"

#include <utility>

#include "server/shed_admission.h"

namespace holdfast::server {

std::optional<Rejection> ExtractionWaits::Enter(const ExtractionId& id, const std::string& client_id,
                                                grpc::ServerUnaryReactor* reactor,
                                                distribution::v1::ExtractResponse* response) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return ShuttingDownRejection();
  if (calls_.size() >= most_) return Admission::Overloaded(CallClass::kExtract, client_id);
  calls_.emplace(id.value(), Call{std::make_unique<ReadAnswer>(reactor), response});
  return std::nullopt;
}

// Without the lock: gRPC is told.
void ExtractionWaits::Finish(Call call, Answer answer) {
  if (const auto* rejection = std::get_if<Rejection>(&answer)) return call.answer->Finish(StatusOf(*rejection));
  *call.response = std::get<distribution::v1::ExtractResponse>(std::move(answer));
  call.answer->Finish(grpc::Status::OK);
}

void ExtractionWaits::Settle(ExtractionSettled settled) {
  Call call;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = calls_.find(settled.extraction_id.value());
    if (found == calls_.end()) return;
    call = std::move(found->second);
    calls_.erase(found);
  }
  Finish(std::move(call), std::move(settled.answer));
}

void ExtractionWaits::CloseAll(const Rejection& rejection) {
  absl::flat_hash_map<std::string, Call> calls;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    calls.swap(calls_);
  }
  for (auto& [id, call] : calls) Finish(std::move(call), rejection);
}

std::size_t ExtractionWaits::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return calls_.size();
}

void SettleSink::Deliver(Reply reply) {
  if (auto* settled = std::get_if<ExtractionSettled>(&reply)) waits_.Settle(std::move(*settled));
}

}  // namespace holdfast::server
