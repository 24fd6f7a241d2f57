// More than can be queued: who is turned away, with what, and who is not.

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <set>

#include "tests/server/call_detail.h"
#include "tests/server/test_checker.h"
#include "tests/server/test_worker.h"

namespace holdfast::server {
namespace {

using namespace controlplane::v1;
using log::v1::Input;

// A batch of about 60 KB.
ReportOutcomesRequest BatchOf(const TestWorker& worker, std::uint64_t sequence) {
  ReportOutcomesRequest request = worker.OutcomesRequest(sequence);
  for (int i = 0; i < 1'000; ++i) {
    Outcome* outcome = request.add_outcomes();
    outcome->set_proxy_id(std::to_string(10'000 + i) + std::string(44, 'p'));
    outcome->set_phase(OUTCOME_PHASE_DIAL);
    outcome->set_error(OUTCOME_ERROR_NONE);
  }
  return request;
}

ReportObservationsRequest BatchOf(const TestChecker& checker, std::uint64_t sequence) {
  ReportObservationsRequest request = checker.ReportRequest(sequence);
  for (int i = 0; i < 900; ++i) {
    HealthObservation* seen = request.add_observations();
    seen->set_task_id(std::to_string(10'000 + i));
    seen->set_proxy_id(std::string(44, 'p'));
    seen->set_level(CHECK_LEVEL_BASIC);
    seen->set_verdict(VERDICT_PASS);
  }
  return request;
}

// Large batches, sent without waiting for their answers. In whatever order they are decided, each is an entry, and
// answered only when that is durable.
template <class Member, class Request, class Response>
class FloodOf {
 public:
  explicit FloodOf(Member& member) : member_(member) {}

  void Send(std::uint64_t sequence) {
    Call& call = calls_.emplace_back();
    call.request = BatchOf(member_, sequence);
    const auto done = [this](grpc::Status status) {
      const std::lock_guard<std::mutex> lock(mutex_);
      statuses_.push_back(std::move(status));
      changed_.notify_all();
    };
    if constexpr (std::is_same_v<Member, TestChecker>) {
      member_.stub().async()->ReportObservations(&call.context, &call.request, &call.response, done);
    } else {
      member_.stub().async()->ReportOutcomes(&call.context, &call.request, &call.response, done);
    }
  }
  // Waits for that many answers, whichever they are.
  std::vector<grpc::Status> Wait(std::size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return statuses_.size() >= count; });
    return statuses_;
  }
  std::size_t sent() const { return calls_.size(); }

 private:
  struct Call {
    grpc::ClientContext context;
    Request request;
    Response response;
  };
  Member& member_;
  std::deque<Call> calls_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<grpc::Status> statuses_;
};
using Flood = FloodOf<TestWorker, ReportOutcomesRequest, ReportOutcomesResponse>;
using CheckerFlood = FloodOf<TestChecker, ReportObservationsRequest, ReportObservationsResponse>;

TestDaemon::Options SmallQueue() {
  TestDaemon::Options options;
  options.config.max_receive = 64 * 1024;
  options.config.command_queue_bytes = 1024 * 1024;
  return options;
}

TEST(Overload, WhenTheQueueIsFullCallsAreTurnedAwayWithRetryAfterAndAcknowledgementsGoThrough) {
  TestDaemon daemon(SmallQueue());
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  Flood flood(worker);
  daemon.log().Hold();

  for (std::uint64_t sequence = 1; sequence <= 400; ++sequence) flood.Send(sequence);
  const std::vector<grpc::Status> turned_away = flood.Wait(1);
  std::promise<grpc::Status> acknowledged;
  grpc::ClientContext context;
  const AcknowledgeSnapshotRequest request = worker.AckRequest(worker.last());
  AcknowledgeSnapshotResponse response;
  worker.stub().async()->AcknowledgeSnapshot(&context, &request, &response,
                                             [&](grpc::Status status) { acknowledged.set_value(std::move(status)); });
  daemon.log().Release();

  EXPECT_EQ(turned_away[0].error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  const auto detail = DetailOf(turned_away[0]);
  ASSERT_TRUE(detail);
  EXPECT_EQ(detail->detail.reason(), REJECT_REASON_OVERLOADED);
  EXPECT_TRUE(detail->detail.has_retry_after());
  EXPECT_TRUE(acknowledged.get_future().get().ok());
  std::size_t accepted = 0;
  for (const grpc::Status& status : flood.Wait(flood.sent())) accepted += status.ok();
  EXPECT_GT(accepted, 0u);
  EXPECT_LT(accepted, flood.sent());
}

TEST(Overload, SessionsWhoseCallsWereShedAreToldAsOneInput) {
  TestDaemon daemon(SmallQueue());
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();
  Flood flood(worker);
  daemon.log().Hold();
  for (std::uint64_t sequence = 1; sequence <= 400; ++sequence) flood.Send(sequence);
  flood.Wait(1);

  daemon.log().Release();
  flood.Wait(flood.sent());
  daemon.daemon().LookAround();
  daemon.Settle();

  const auto shed = daemon.Entries(Input::kCallsShed);
  ASSERT_GE(shed.size(), 1u);
  ASSERT_EQ(shed[0].input.calls_shed().sessions_size(), 1);
  EXPECT_EQ(shed[0].input.calls_shed().sessions(0).session_id(), worker.session().session_id());
}

TEST(Overload, ACheckerWhoseReportsWereShedIsToldOfInTheSameInput) {
  TestDaemon daemon(SmallQueue());
  TestChecker checker(daemon, "checker-1");
  checker.Register();
  CheckerFlood flood(checker);
  daemon.log().Hold();
  for (std::uint64_t sequence = 1; sequence <= 400; ++sequence) flood.Send(sequence);
  const std::vector<grpc::Status> turned_away = flood.Wait(1);

  daemon.log().Release();
  flood.Wait(flood.sent());
  daemon.daemon().LookAround();
  daemon.Settle();

  EXPECT_EQ(ReasonOf(turned_away[0]), REJECT_REASON_OVERLOADED);
  const auto shed = daemon.Entries(Input::kCallsShed);
  ASSERT_GE(shed.size(), 1u);
  ASSERT_EQ(shed[0].input.calls_shed().sessions_size(), 1);
  EXPECT_EQ(shed[0].input.calls_shed().sessions(0).checker_id(), "checker-1");
  EXPECT_EQ(shed[0].input.calls_shed().sessions(0).session_id(), checker.session().session_id());
  EXPECT_TRUE(shed[0].input.calls_shed().sessions(0).worker_id().empty());
}

TEST(Overload, ACheckerWhoseReportWasShedIsNotHeldToHaveBeenSilent) {
  TestDaemon daemon;
  TestChecker checker(daemon, "checker-1");
  checker.Register();

  daemon.Advance(std::chrono::seconds(14));
  daemon.daemon().shed().Note(MemberKind::kChecker, "checker-1", checker.session().session_id());
  daemon.daemon().LookAround();
  daemon.Advance(std::chrono::seconds(14));

  EXPECT_TRUE(checker.Call(checker.ReportRequest(1)).ok());
}

TEST(Overload, RegistrationsBeyondTheirOwnBoundAreTurnedAwayAndThoseThatWaitAreServed) {
  TestDaemon::Options options;
  options.config.max_waiting_registrations = 3;
  TestDaemon daemon(options);
  TestWorker worker(daemon, "worker");
  daemon.log().Hold();
  struct Call {
    grpc::ClientContext context;
    RegisterWorkerRequest request;
    RegisterWorkerResponse response;
    std::promise<grpc::Status> status;
  };
  std::deque<Call> calls;
  for (int i = 0; i < 10; ++i) {
    Call& call = calls.emplace_back();
    call.request = worker.RegisterRequest();
    call.request.set_worker_id("worker-" + std::to_string(i));
    worker.stub().async()->RegisterWorker(&call.context, &call.request, &call.response,
                                          [&call](grpc::Status status) { call.status.set_value(std::move(status)); });
  }
  const auto queued = [&] { return daemon.daemon().admission().waiting_registrations(); };
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock<std::mutex> lock(mutex);
  while (queued() < 3) never.wait_for(lock, std::chrono::milliseconds(1));

  std::size_t refused = 0;
  std::set<std::int64_t> waits;
  std::vector<std::future<grpc::Status>> futures;
  for (Call& call : calls) futures.push_back(call.status.get_future());
  while (refused < 7) {
    refused = 0;
    for (auto& future : futures) refused += future.wait_for(std::chrono::milliseconds(1)) == std::future_status::ready;
  }
  daemon.log().Release();
  std::size_t served = 0;
  for (auto& future : futures) {
    const grpc::Status status = future.get();
    served += status.ok();
    if (status.ok()) continue;
    const auto detail = DetailOf(status);
    ASSERT_TRUE(detail);
    EXPECT_EQ(detail->detail.reason(), REJECT_REASON_OVERLOADED);
    waits.insert(detail->detail.retry_after().seconds() * 1'000'000'000 + detail->detail.retry_after().nanos());
  }

  EXPECT_EQ(served, 3u);
  EXPECT_EQ(waits.size(), 7u) << "they would all come back at once";
}

// What was submitted before is decided.
bool HasDiskAlarm(TestDaemon& daemon) {
  daemon.Settle();
  std::promise<bool> found;
  daemon.loop().follower().Read([&](const ControllerState& state) {
    found.set_value(state.run().alarms().contains({AlarmKind::kDiskLow, ""}));
  });
  return found.get_future().get();
}

TEST(Overload, ALowDiskRefusesRegistrationsAndOutcomesAndLetsTheRestGoOn) {
  std::atomic<std::uint64_t> free_bytes = 1ull << 40;
  TestDaemon::Options options;
  options.free_disk_bytes = [&free_bytes] { return absl::StatusOr<std::uint64_t>(free_bytes.load()); };
  TestDaemon daemon(options);
  TestWorker worker(daemon, "worker-1");
  auto watch = worker.Activate();

  free_bytes = 100 * 1024 * 1024;
  daemon.daemon().LookAround();

  TestWorker other(daemon, "worker-2");
  EXPECT_EQ(ReasonOf(other.Call(other.RegisterRequest())), REJECT_REASON_OVERLOADED);
  EXPECT_EQ(ReasonOf(worker.Call(worker.OutcomesRequest(1))), REJECT_REASON_OVERLOADED);
  EXPECT_TRUE(worker.Call(worker.ReportRequest(1)).ok());
  EXPECT_TRUE(worker.Call(worker.AckRequest(worker.last())).ok());
  EXPECT_TRUE(HasDiskAlarm(daemon));
  free_bytes = 1ull << 40;
  daemon.daemon().LookAround();
  EXPECT_TRUE(other.Call(other.RegisterRequest()).ok());
  EXPECT_FALSE(HasDiskAlarm(daemon));
}

}  // namespace
}  // namespace holdfast::server
