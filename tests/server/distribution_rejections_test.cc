// Every reason for which a client's call is refused, over the wire.

#include <gtest/gtest.h>

#include "tests/server/rejection_case.h"
#include "tests/server/test_client.h"

namespace holdfast::server {
namespace {

using namespace controlplane::v1;
using distribution::v1::ExtractRequest;
using Reason = controlplane::v1::RejectReason;
using std::chrono::seconds;

constexpr grpc::StatusCode kInvalid = grpc::StatusCode::INVALID_ARGUMENT;
constexpr grpc::StatusCode kExists = grpc::StatusCode::ALREADY_EXISTS;
constexpr grpc::StatusCode kExhausted = grpc::StatusCode::RESOURCE_EXHAUSTED;
constexpr grpc::StatusCode kUnavailable = grpc::StatusCode::UNAVAILABLE;

using Edit = std::function<grpc::Status(TestClient&)>;

// Of a pool of two machines whose store is not met.
std::function<grpc::Status(TestDaemon&)> Unmet(Edit call) {
  return [call = std::move(call)](TestDaemon& daemon) {
    daemon.Import(2);
    TestClient client(daemon, "client-1");
    return call(client);
  };
}

// Of one whose store may be used.
std::function<grpc::Status(TestDaemon&)> Met(Edit call) {
  return [call = std::move(call)](TestDaemon& daemon) {
    daemon.Import(2);
    PlayedStore(daemon).Meet();
    TestClient client(daemon, "client-1");
    return call(client);
  };
}

// Of a client that has extracted one machine as "r1".
std::function<grpc::Status(TestDaemon&)> Holding(
    std::function<grpc::Status(TestClient&, const std::string& extraction_id)> call) {
  return [call = std::move(call)](TestDaemon& daemon) {
    daemon.Import(2);
    PlayedStore store(daemon);
    store.Meet();
    TestClient client(daemon, "client-1");
    return call(client, store.Extract(client, client.Request("r1", 1)).extraction_id());
  };
}

grpc::Status BadClientId(TestClient& client) {
  ExtractRequest request = client.Request("r1", 1);
  request.set_client_id("no spaces");
  return client.Call(request);
}

grpc::Status EmptyHold(TestClient& client) {
  ExtractRequest request = client.Request("r1", 1);
  request.mutable_hold();
  return client.Call(request);
}

grpc::Status ReleaseOfNothing(TestClient& client) { return client.Call(client.ReleaseRequest("g1", "")); }
grpc::Status TooMany(TestClient& client) { return client.Call(client.Request("r1", 401)); }
grpc::Status One(TestClient& client) { return client.Call(client.Request("r1", 1)); }

grpc::Status TooManyReleased(TestClient& client) {
  auto request = client.ReleaseRequest("g1", "extraction");
  for (int i = 0; i < 10'001; ++i) request.add_proxy_ids("p" + std::to_string(i));
  return client.Call(request);
}

grpc::Status UnknownRouting(TestClient& client) {
  ExtractRequest request = client.Request("r1", 1);
  request.set_routing_id("nowhere");
  return client.Call(request);
}

grpc::Status MoreThanThereAre(TestClient& client) {
  ExtractRequest request = client.Request("r1", 3);
  request.set_all_or_nothing(true);
  return client.Call(request);
}

grpc::Status OtherContent(TestClient& client, const std::string&) { return client.Call(client.Request("r1", 2)); }

grpc::Status OtherRelease(TestClient& client, const std::string& extraction_id) {
  EXPECT_TRUE(client.Call(client.ReleaseRequest("g1", extraction_id)).ok());
  auto other = client.ReleaseRequest("g1", extraction_id);
  other.add_proxy_ids("proxy-0");
  return client.Call(other);
}

grpc::Status RequestThatIsOver(TestClient& client, const std::string& extraction_id) {
  EXPECT_TRUE(client.Call(client.ReleaseRequest("g1", extraction_id)).ok());
  return client.Call(client.Request("r1", 1));
}

grpc::Status ReleaseOfAnother(TestClient& client, const std::string& extraction_id) {
  auto request = client.ReleaseRequest("g1", extraction_id);
  request.set_client_id("client-2");
  return client.Call(request);
}

grpc::Status ReleaseOfWhatItHasNot(TestClient& client, const std::string& extraction_id) {
  auto request = client.ReleaseRequest("g1", extraction_id);
  request.add_proxy_ids("another");
  return client.Call(request);
}

// What the store was asked for, and what becomes of it.
std::function<grpc::Status(TestDaemon&)> Asked(
    std::function<void(TestDaemon&, PlayedStore&, const ExtractionRow&)> then) {
  return [then = std::move(then)](TestDaemon& daemon) {
    daemon.Import(2);
    PlayedStore store(daemon);
    store.Meet();
    TestClient client(daemon, "client-1");
    const auto call = client.Begin(client.Request("r1", 1));
    then(daemon, store, store.NextIntent());
    return call->End();
  };
}

void TimePasses(TestDaemon& daemon, PlayedStore&, const ExtractionRow&) { daemon.Advance(seconds(3)); }
void NoneIsMoved(TestDaemon&, PlayedStore& store, const ExtractionRow& intent) { store.Move(intent, {}); }
void TheDaemonStops(TestDaemon& daemon, PlayedStore&, const ExtractionRow&) { daemon.Stop(); }

grpc::Status FullDisk(TestDaemon& daemon) {
  daemon.daemon().admission().SetDisk(1, 2);
  return Met(One)(daemon);
}

TestDaemon::Options NewLog() {
  TestDaemon::Options options;
  options.bootstrap = false;
  return options;
}

std::vector<RejectionCase> Cases() {
  using Code = grpc::StatusCode;
  return {
      // clang-format off
      {REJECT_REASON_MALFORMED, "Client", kInvalid, Met(BadClientId), "client_id"},
      {REJECT_REASON_MALFORMED, "Hold", kInvalid, Met(EmptyHold), "hold"},
      {REJECT_REASON_MALFORMED, "Release", kInvalid, Met(ReleaseOfNothing), "extraction_id"},
      {REJECT_REASON_LIMIT_EXCEEDED, "TooMany", kExhausted, Met(TooMany), "count", {"limit"}},
      {REJECT_REASON_LIMIT_EXCEEDED, "TooManyReleased", kExhausted, Met(TooManyReleased), "proxy_ids", {"limit"}},
      {REJECT_REASON_OVERLOADED, "FullDisk", kExhausted, FullDisk},
      {REJECT_REASON_NOT_READY, "NewLog", kUnavailable, Met(One), "", {}, NewLog()},
      {REJECT_REASON_FAILED_CONDITION, "UnknownRouting", Code::FAILED_PRECONDITION, Met(UnknownRouting), "routing_id"},
      {REJECT_REASON_NOT_ENOUGH_PROXIES, "TooFew", kExhausted, Met(MoreThanThereAre), "", {"available", "requested"}},
      {REJECT_REASON_NOT_ENOUGH_PROXIES, "NoneMoved", kExhausted, Asked(NoneIsMoved), "", {"available", "requested"}},
      {REJECT_REASON_POOL_UNAVAILABLE, "Unmet", kUnavailable, Unmet(One)},
      {REJECT_REASON_POOL_UNAVAILABLE, "Unanswered", kUnavailable, Asked(TimePasses)},
      {REJECT_REASON_REQUEST_CONFLICT, "OtherContent", kExists, Holding(OtherContent), "request_id"},
      {REJECT_REASON_REQUEST_CONFLICT, "OtherRelease", kExists, Holding(OtherRelease), "request_id"},
      {REJECT_REASON_NOT_FOUND, "RequestThatIsOver", Code::NOT_FOUND, Holding(RequestThatIsOver), "request_id"},
      {REJECT_REASON_NOT_FOUND, "ReleaseOfAnother", Code::NOT_FOUND, Holding(ReleaseOfAnother), "extraction_id"},
      {REJECT_REASON_NOT_FOUND, "ReleaseOfOthers", Code::NOT_FOUND, Holding(ReleaseOfWhatItHasNot), "proxy_ids"},
      {REJECT_REASON_SHUTTING_DOWN, "StoppedDaemon", kUnavailable, Asked(TheDaemonStops)},
      // clang-format on
  };
}

class ClientRejectionOverTheWire : public ::testing::TestWithParam<RejectionCase> {};

TEST_P(ClientRejectionOverTheWire, HasItsCodeItsDetailAndItsMetadata) { ExpectRejection(GetParam()); }

INSTANTIATE_TEST_SUITE_P(AllReasons, ClientRejectionOverTheWire, ::testing::ValuesIn(Cases()),
                         [](const ::testing::TestParamInfo<RejectionCase>& info) { return info.param.name; });

// Reasons that no call of Distribution gives, and why.
const std::map<Reason, std::string>& ReasonsOfOthers() {
  static const std::map<Reason, std::string> reasons = {
      {REJECT_REASON_UNSPECIFIED, "never sent"},
      {REJECT_REASON_IDENTITY_MISMATCH, "needs certificates: plaintext callers have no identity to mismatch"},
      {REJECT_REASON_NOT_LEADER, "of a replicated log"},
      {REJECT_REASON_PROTOCOL_VERSION, "of members"},
      {REJECT_REASON_SESSION_UNKNOWN, "of members"},
      {REJECT_REASON_SESSION_SUPERSEDED, "of members"},
      {REJECT_REASON_SESSION_EXPIRED, "of members"},
      {REJECT_REASON_SESSION_CLOSED, "of members"},
      {REJECT_REASON_EPOCH_STALE, "of workers"},
      {REJECT_REASON_EPOCH_AHEAD, "of workers"},
      {REJECT_REASON_REFERENCE_NOT_ISSUED, "of workers"},
      {REJECT_REASON_REFERENCE_SUPERSEDED, "of workers"},
      {REJECT_REASON_CHECKSUM_MISMATCH, "of workers"},
      {REJECT_REASON_SNAPSHOT_EXPIRED, "of workers"},
      {REJECT_REASON_RUNTIME_FENCED, "of workers"},
      {REJECT_REASON_VERSION_NOT_ACKNOWLEDGED, "of workers"},
      {REJECT_REASON_SEQUENCE_REGRESSED, "of members"},
      {REJECT_REASON_SEQUENCE_CONFLICT, "of members"},
      {REJECT_REASON_STREAM_REPLACED, "of streams"},
      {REJECT_REASON_ACK_TIMEOUT, "of streams"},
      {REJECT_REASON_SLOW_READER, "of streams"},
      {REJECT_REASON_DRAINING, "of the framed link"},
      {REJECT_REASON_TASK_UNKNOWN, "of the framed link"},
      {REJECT_REASON_NO_LONGER_KEPT, "of ReadLog"},
  };
  return reasons;
}

TEST(RejectionsOfClients, EachReasonHasATestOverTheWireOrBelongsToAnotherCall) {
  ExpectEveryReason(Cases(), ReasonsOfOthers());
}

}  // namespace
}  // namespace holdfast::server
