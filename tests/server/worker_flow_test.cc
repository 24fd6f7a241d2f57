// A worker's life over real gRPC: register, watch, acknowledge, report, renew; and what the log keeps of it.

#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <future>

#include "tests/server/call_detail.h"
#include "tests/server/content_checksum.h"
#include "tests/server/test_worker.h"

namespace holdfast::server {
namespace {

using namespace controlplane::v1;
using log::v1::Input;
using std::chrono::seconds;

void ApplyRoutings(TestDaemon& daemon) {
  Input input;
  for (const char* zone : {"zone-a", "zone-b"}) {
    auto* routing = input.mutable_apply_routings()->add_routings()->mutable_routing();
    routing->set_routing_id(std::string("for-") + zone);
    routing->add_host_patterns("*.example.com");
    routing->add_ports(443);
    (*routing->mutable_proxy_labels())["tier"] = "gold";
    routing->add_zones(zone);
  }
  const Reply reply = daemon.Decide(input);
  ASSERT_TRUE(std::holds_alternative<admin::v1::ApplyRoutingsResponse>(reply));
}

// Sends bytes as they are, as the request of a unary call.
grpc::Status CallRaw(const std::shared_ptr<grpc::Channel>& channel, const std::string& method,
                     const std::string& bytes) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  const grpc::Slice slice(bytes);
  const grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer response;
  std::promise<grpc::Status> done;
  stub.UnaryCall(&context, method, grpc::StubOptions(), &request, &response,
                 [&done](grpc::Status status) { done.set_value(std::move(status)); });
  return done.get_future().get();
}

TEST(WorkerFlow, TheFirstUpdateIsAFullSnapshotWhoseChecksumCoversExactlyWhatItCarries) {
  TestDaemon daemon;
  daemon.Import(300);
  ApplyRoutings(daemon);
  TestWorker worker(daemon, "worker-1");
  worker.Register();

  auto watch = worker.Watch();
  const auto first = watch->Read();

  ASSERT_TRUE(first && first->has_full());
  HeldContent held;
  held.Take(*first);
  EXPECT_EQ(held.Checksum(), first->full().checksum());
  EXPECT_EQ(first->full().ownership_epoch(), worker.session().ownership_epoch());
  ASSERT_EQ(held.routings.size(), 1u);
  EXPECT_EQ(held.routings[0].routing_id(), "for-zone-a");
}

TEST(WorkerFlow, GrantsComeAfterTheFirstAckAsADeltaInTheOrderOfTheirIds) {
  TestDaemon daemon;
  daemon.Import(300);
  TestWorker worker(daemon, "worker-1");
  worker.Register();
  auto watch = worker.Watch();
  HeldContent held;
  const auto first = watch->Read();
  ASSERT_TRUE(first);
  held.Take(*first);
  ASSERT_TRUE(worker.Call(worker.AckRequest(HeadOf(*first))).ok());

  const auto second = watch->Read();

  ASSERT_TRUE(second && second->has_delta());
  held.Take(*second);
  EXPECT_EQ(held.proxies.size(), 300u);
  EXPECT_EQ(held.Checksum(), second->delta().checksum());
  EXPECT_EQ(second->delta().base_version(), first->full().version());
  const auto& upserted = second->delta().upserted();
  EXPECT_TRUE(std::is_sorted(upserted.begin(), upserted.end(),
                             [](const ProxyGrant& a, const ProxyGrant& b) { return a.proxy_id() < b.proxy_id(); }));
}

TEST(WorkerFlow, AReportIsAnsweredAndItsVeryBytesStandInTheLog) {
  TestDaemon daemon;
  daemon.Import(3);
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  worker.ReadAndAcknowledge(*watch);
  ReportRuntimeRequest request = worker.ReportRequest(7);
  ProxyRuntime* counter = request.add_counters();
  counter->set_proxy_id("proxy-1");
  counter->set_active(2);
  // Not the bytes that any library would write: the last field first, a field twice, one that nobody knows.
  const std::string bytes =
      std::string("\x48\x05", 2) + request.SerializeAsString() + std::string("\x48\x09\xa0\x3f\x01", 5);

  const grpc::Status status = CallRaw(worker.channel(), "/controlplane.v1.WorkerControlPlane/ReportRuntime", bytes);

  ASSERT_TRUE(status.ok()) << status.error_message();
  const auto entries = daemon.Entries(Input::kReportRuntime);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].principal, "loopback");
  EXPECT_NE(entries[0].input_bytes.find(bytes), std::string::npos);
  EXPECT_EQ(entries[0].input_bytes.size(), bytes.size() + 5);  // two tags, two lengths
  EXPECT_EQ(entries[0].input.report_runtime().request().queued_request_count(), 9u);
}

TEST(WorkerFlow, EveryCallOfAWorkerStandsInTheLogOnceAndInItsOwnWords) {
  TestDaemon daemon;
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  ASSERT_TRUE(worker.Call(worker.ReportRequest(1)).ok());
  ASSERT_TRUE(worker.Call(worker.OutcomesRequest(4)).ok());

  const auto registered = daemon.Entries(Input::kRegisterWorker);
  const auto watched = daemon.Entries(Input::kWatchSnapshots);
  const auto outcomes = daemon.Entries(Input::kReportOutcomes);

  ASSERT_EQ(registered.size(), 1u);
  EXPECT_EQ(registered[0].input.register_worker().session_id(), worker.session().session_id());
  EXPECT_EQ(registered[0].input.register_worker().request().zone(), "zone-a");
  ASSERT_EQ(watched.size(), 1u);
  EXPECT_NE(watched[0].input.watch_snapshots().stream(), 0u);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(worker.outcomes().accepted_sequence(), 4u);
  EXPECT_EQ(worker.reported().accepted_sequence(), 1u);
  EXPECT_EQ(worker.acknowledged().session_state(), SESSION_STATE_ACTIVE);
}

TEST(WorkerFlow, ASnapshotIsRenewedWhileReportsComeAndKeepsItsChecksum) {
  TestDaemon daemon;
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  const UpdateHead before = worker.last();

  for (std::uint64_t second = 1; second <= 10; ++second) {
    ASSERT_TRUE(worker.Call(worker.ReportRequest(second)).ok());
    daemon.Advance(seconds(1));
  }
  const auto renewal = watch->Read();

  ASSERT_TRUE(renewal && renewal->has_delta());
  EXPECT_EQ(renewal->delta().upserted_size(), 0);
  EXPECT_EQ(renewal->delta().checksum(), before.checksum);
  EXPECT_GT(HeadOf(*renewal).valid_until_micros, before.valid_until_micros);
}

TEST(WorkerFlow, ALargeUpdateIsBuiltAsideAndArrivesWhole) {
  TestDaemon daemon;
  daemon.Import(5'000);
  TestWorker worker(daemon, "worker-1");
  worker.Register();
  auto watch = worker.Watch();
  HeldContent held;
  const auto first = watch->Read();
  ASSERT_TRUE(first);
  held.Take(*first);
  ASSERT_TRUE(worker.Call(worker.AckRequest(HeadOf(*first))).ok());

  std::string last_checksum;
  while (held.proxies.size() < 5'000) {
    const auto update = watch->Read();
    ASSERT_TRUE(update);
    held.Take(*update);
    last_checksum = HeadOf(*update).checksum;
    ASSERT_EQ(held.Checksum(), last_checksum);
    ASSERT_TRUE(worker.Call(worker.AckRequest(HeadOf(*update))).ok());
  }

  EXPECT_EQ(held.proxies.size(), 5'000u);
}

TEST(WorkerFlow, AfterARestartOfTheDaemonTheSameSessionGoesOn) {
  TestDaemon daemon;
  daemon.Import(5);
  const std::string session_id = [&] {
    TestWorker worker(daemon, "worker-1");
    auto watch = worker.Activate();
    return worker.session().session_id();
  }();

  daemon.Restart();
  TestWorker again(daemon, "worker-1");
  WatchSnapshotsRequest request = again.WatchRequest();
  request.set_session_id(session_id);
  request.set_ownership_epoch(
      daemon.Entries(Input::kAcknowledgeSnapshot).front().input.acknowledge_snapshot().ownership_epoch());
  auto watch = again.Watch(request);
  const auto update = watch->Read();

  ASSERT_TRUE(update && update->has_full());
  HeldContent held;
  held.Take(*update);
  EXPECT_EQ(held.Checksum(), update->full().checksum());
}

}  // namespace
}  // namespace holdfast::server
