#include "tests/server/test_client.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/server/wait_until.h"

namespace holdfast::server {

using distribution::v1::ExtractRequest;
using distribution::v1::ExtractResponse;

namespace {

// What the follower knows; waits for it.
template <class Result>
Result ReadState(TestDaemon& daemon, const std::function<Result(const ControllerState&)>& read) {
  std::promise<Result> promise;
  daemon.loop().follower().Read([&](const ControllerState& state) { promise.set_value(read(state)); });
  return promise.get_future().get();
}

}  // namespace

PendingExtract::PendingExtract(distribution::v1::Distribution::Stub& stub, const ExtractRequest& request)
    : request_(request) {
  stub.async()->Extract(&context_, &request_, &response_,
                        [this](grpc::Status status) { promise_.set_value(std::move(status)); });
}

PendingExtract::~PendingExtract() {
  if (!ended_.valid()) return;
  Cancel();
  ended_.wait();
}

grpc::Status PendingExtract::End() { return ended_.get(); }

ExtractRequest TestClient::Request(const std::string& request_id, std::uint32_t count) const {
  ExtractRequest request;
  request.set_client_id(client_id_);
  request.set_request_id(request_id);
  request.set_count(count);
  return request;
}

distribution::v1::ReleaseRequest TestClient::ReleaseRequest(const std::string& request_id,
                                                            const std::string& extraction_id) const {
  distribution::v1::ReleaseRequest request;
  request.set_client_id(client_id_);
  request.set_request_id(request_id);
  request.set_extraction_id(extraction_id);
  return request;
}

grpc::Status TestClient::Call(const ExtractRequest& request) {
  PendingExtract pending(*stub_, request);
  const grpc::Status status = pending.End();
  if (status.ok()) extracted_ = pending.response();
  return status;
}

grpc::Status TestClient::Call(const distribution::v1::ReleaseRequest& request) {
  grpc::ClientContext context;
  distribution::v1::ReleaseResponse response;
  const grpc::Status status = stub_->Release(&context, request, &response);
  if (status.ok()) released_ = response;
  return status;
}

void PlayedStore::Meet() {
  log::v1::Input input;
  const auto text = [](const ControllerState& state) { return state.run().log_id_text(); };
  input.mutable_pool_store_seen()->set_log_id(ReadState<std::string>(daemon_, text));
  input.mutable_pool_store_seen()->set_applied_sequence(daemon_.loop().status().last_durable.value());
  daemon_.Decide(input, "store");
}

ExtractionRow PlayedStore::NextIntent() {
  std::optional<ExtractionRow> next;
  const auto look = [this](const ControllerState& state) {
    std::optional<ExtractionRow> found;
    state.extractions().rows().ForEach([&](ExtractionKey, const ExtractionRow& row) {
      if (row.phase == ExtractionPhase::kAsked && !seen_.contains(row.extraction_id.value())) found = row;
    });
    return found;
  };
  WaitUntil([&] {
    next = ReadState<std::optional<ExtractionRow>>(daemon_, look);
    return next.has_value();
  });
  seen_.insert(next->extraction_id.value());
  return *next;
}

void PlayedStore::Tell(const log::v1::Input& input) {
  Command command =
      MakeCommand(input, kControllerPrincipal, "", std::make_unique<SettleSink>(daemon_.daemon().extractions()));
  EXPECT_TRUE(daemon_.loop().Submit(command, CallClass::kNeverShed));
}

void PlayedStore::Move(const ExtractionRow& intent, const std::vector<AddressKey>& addresses) {
  log::v1::Input input;
  input.mutable_extraction_answered()->set_extraction_id(intent.extraction_id.value());
  for (const AddressKey address : addresses) input.mutable_extraction_answered()->add_addresses(address.value());
  Tell(input);
}

void PlayedStore::KeepSilent(const ExtractionRow& intent) {
  log::v1::Input input;
  input.mutable_extraction_unanswered()->set_extraction_id(intent.extraction_id.value());
  input.mutable_extraction_unanswered()->set_cause("the test says so");
  Tell(input);
}

ExtractResponse PlayedStore::Extract(TestClient& client, const ExtractRequest& request) {
  const auto pending = client.Begin(request);
  MoveAll(NextIntent());
  const grpc::Status status = pending->End();
  EXPECT_TRUE(status.ok()) << status.error_message();
  return pending->response();
}

}  // namespace holdfast::server
