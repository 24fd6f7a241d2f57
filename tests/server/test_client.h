// A client that extracts, as a test plays it: real calls over a channel of its own, no behaviour of its own. And the
// pool store that it waits for, played through the inputs that carry its answers.
//
// Thread: the test's.

#pragma once

#include <grpcpp/client_context.h>

#include <future>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/distribution/v1/distribution.grpc.pb.h"
#include "tests/server/daemon_fixture.h"

namespace holdfast::server {

// One call of Extract that is under way.
class PendingExtract {
 public:
  PendingExtract(distribution::v1::Distribution::Stub& stub, const distribution::v1::ExtractRequest& request);
  ~PendingExtract();

  // Waits for its end.
  grpc::Status End();
  const distribution::v1::ExtractResponse& response() const { return response_; }
  void Cancel() { context_.TryCancel(); }

 private:
  const distribution::v1::ExtractRequest request_;
  grpc::ClientContext context_;
  distribution::v1::ExtractResponse response_;
  std::promise<grpc::Status> promise_;
  std::future<grpc::Status> ended_ = promise_.get_future();
};

class TestClient {
 public:
  TestClient(TestDaemon& daemon, std::string client_id)
      : stub_(distribution::v1::Distribution::NewStub(daemon.NewChannel())), client_id_(std::move(client_id)) {}

  distribution::v1::ExtractRequest Request(const std::string& request_id, std::uint32_t count) const;
  // Of all of it.
  distribution::v1::ReleaseRequest ReleaseRequest(const std::string& request_id,
                                                  const std::string& extraction_id) const;

  std::unique_ptr<PendingExtract> Begin(const distribution::v1::ExtractRequest& request) {
    return std::make_unique<PendingExtract>(*stub_, request);
  }
  grpc::Status Call(const distribution::v1::ExtractRequest& request);
  grpc::Status Call(const distribution::v1::ReleaseRequest& request);

  // Of the last call that was answered well.
  const distribution::v1::ExtractResponse& extracted() const { return extracted_; }
  const distribution::v1::ReleaseResponse& released() const { return released_; }

 private:
  const std::unique_ptr<distribution::v1::Distribution::Stub> stub_;
  const std::string client_id_;
  distribution::v1::ExtractResponse extracted_;
  distribution::v1::ReleaseResponse released_;
};

class PlayedStore {
 public:
  explicit PlayedStore(TestDaemon& daemon) : daemon_(daemon) {}

  // It is found to be ours, with all that there is.
  void Meet();
  // The next intent that it is asked for. Waits until there is one.
  ExtractionRow NextIntent();
  void Move(const ExtractionRow& intent, const std::vector<AddressKey>& addresses);
  void MoveAll(const ExtractionRow& intent) { Move(intent, intent.addresses); }
  void KeepSilent(const ExtractionRow& intent);

  // Asked for and moved; fails the test where it does not come to that.
  distribution::v1::ExtractResponse Extract(TestClient& client, const distribution::v1::ExtractRequest& request);

 private:
  void Tell(const log::v1::Input& input);

  TestDaemon& daemon_;
  std::set<std::string> seen_;
};

}  // namespace holdfast::server
