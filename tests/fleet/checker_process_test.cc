// One process of a simulated checker, on a clock that stands still: how long its checks take, and which proxies it says
// that it has let down. It is never started: what its client would tell it, the test does.

#include "tools/fleet/checker_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "tests/client/manual_scheduler.h"
#include "tests/client/wire_builders.h"

namespace holdfast::fleet {
namespace {

namespace wire = controlplane::v1;
using client::ObservationLoss;
using client::TaskFate;
using std::chrono::microseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Duration kTimeout = seconds(10);

class CheckerProcessTest : public ::testing::Test {
 protected:
  CheckerProcessTest() { NewProcess(); }

  void NewProcess() { process_.emplace(environment_, scheduler_, 0, "c1", 1); }

  // The first proxy of which this holds.
  template <class Holds>
  std::string Find(const Holds& holds) const {
    for (int i = 0; i < 1'000; ++i) {
      const std::string proxy_id = "proxy-" + std::to_string(i);
      if (holds(proxy_id)) return proxy_id;
    }
    ADD_FAILURE() << "no such proxy";
    return "";
  }
  std::string LivingProxy() const {
    return Find([&](const std::string& id) { return truth_.At(id, 0).alive; });
  }

  static wire::CheckTask Task(const std::string& task_id, const std::string& proxy_id) {
    wire::CheckTask task;
    task.set_task_id(task_id);
    task.set_proxy_id(proxy_id);
    task.set_level(wire::CHECK_LEVEL_BASIC);
    task.mutable_timeout()->set_seconds(10);
    return task;
  }
  // It came on the stream.
  void Receive(const std::string& task_id, const std::string& proxy_id) {
    wire::TaskUpdate update;
    *update.mutable_task() = Task(task_id, proxy_id);
    process_->OnUpdate(update);
  }
  // It was in an accepted report.
  void Accept(const std::string& task_id, bool unknown) {
    wire::ReportObservationsRequest request;
    request.add_observations()->set_task_id(task_id);
    wire::ReportObservationsResponse response;
    if (unknown) response.add_unknown_task_ids(task_id);
    process_->OnReport(request, response);
  }
  // Checks that have come to their end.
  std::uint64_t Finished() const {
    std::uint64_t finished = 0;
    const auto said = statistics_.Json(seconds(1));
    for (const auto& [verdict, count] : said["observations"]["verdicts"].items()) {
      finished += count.get<std::uint64_t>();
    }
    return finished;
  }
  // Moves the clock just short of `length` from now and then to it; the check must end with the second step.
  void ExpectCheckEndsAfter(Duration length) {
    const std::uint64_t before = Finished();
    scheduler_->Advance(length - microseconds(1));
    EXPECT_EQ(Finished(), before);
    scheduler_->Advance(microseconds(1));
    EXPECT_EQ(Finished(), before + 1);
  }

  FleetOptions options_;
  client::CountingRandom random_;
  ChannelPool channels_{"127.0.0.1:1", ""};
  CheckerStatistics statistics_;
  const ProxyTruth truth_{{.seed = 1, .dead_share = 0.5, .flip_every_us = 0, .egress_is_checked = true}};
  std::shared_ptr<client::ManualScheduler> scheduler_ = std::make_shared<client::ManualScheduler>();
  std::vector<std::string> excused_;
  CheckerEnvironment environment_{
      options_, random_, channels_, statistics_, truth_, scheduler_->Now(), [this](const std::string& proxy_id) {
        excused_.push_back(proxy_id);
      }};
  std::optional<CheckerProcess> process_;
};

TEST_F(CheckerProcessTest, ACheckTakesAsLongAsItsProxyIsAway) {
  const std::string proxy = LivingProxy();

  process_->Run(Task("t1", proxy));

  ExpectCheckEndsAfter(Duration(truth_.LatencyUs(proxy)));
}

TEST_F(CheckerProcessTest, AProxyThatDoesNotAnswerTakesNearlyTheWholeTimeout) {
  const std::string proxy = Find(
      [&](const std::string& id) { return !truth_.Passes(id, wire::CHECK_LEVEL_BASIC, "", 0) && !truth_.Refuses(id); });

  process_->Run(Task("t1", proxy));

  ExpectCheckEndsAfter(kTimeout * 9 / 10);
}

TEST_F(CheckerProcessTest, ASlowOneTakesTenTimesAsLong) {
  const std::string proxy = LivingProxy();
  process_->SetPace(CheckPace::kSlow);

  process_->Run(Task("t1", proxy));

  ExpectCheckEndsAfter(Duration(truth_.LatencyUs(proxy) * 10));
}

TEST_F(CheckerProcessTest, ACheckThatIsTakenBackEndsThere) {
  process_->Run(Task("t1", LivingProxy()));

  process_->Cancel("t1");
  scheduler_->Advance(kTimeout * 2);

  EXPECT_EQ(Finished(), 0U);
}

TEST_F(CheckerProcessTest, ALateOneAnswersAroundItsTimeoutWhetherOrNotAnybodyWaits) {
  process_->SetPace(CheckPace::kLate);
  process_->Run(Task("t1", LivingProxy()));

  process_->Cancel("t1");
  scheduler_->Advance(kTimeout * 9 / 10 - microseconds(1));
  EXPECT_EQ(Finished(), 0U);
  scheduler_->Advance(kTimeout * 4 / 10 + microseconds(1));

  EXPECT_EQ(Finished(), 1U);
}

TEST_F(CheckerProcessTest, ATaskThatItDidNotAnswerLetsItsProxyDownOnce) {
  for (const TaskFate fate :
       {TaskFate::kNotTaken, TaskFate::kTimedOut, TaskFate::kSessionOver, TaskFate::kInconclusive}) {
    excused_.clear();
    Receive("t1", "p1");

    process_->OnTask("t1", fate);
    process_->OnTask("t1", fate);

    EXPECT_THAT(excused_, ElementsAre("p1")) << client::TaskFateText(fate);
  }
}

TEST_F(CheckerProcessTest, AnObservationThatNeverArrivedLetsItsProxyDown) {
  for (const ObservationLoss loss : {ObservationLoss::kSessionOver, ObservationLoss::kRefused}) {
    excused_.clear();
    Receive("t1", "p1");
    process_->OnTask("t1", TaskFate::kAnswered);

    process_->OnObservationLost("t1", loss);

    EXPECT_THAT(excused_, ElementsAre("p1")) << client::ObservationLossText(loss);
  }
}

TEST_F(CheckerProcessTest, WhatWasAcceptedOrTakenBackLetsNobodyDown) {
  Receive("t1", "p1");
  Receive("t2", "p2");
  process_->OnTask("t1", TaskFate::kAnswered);

  Accept("t1", false);
  process_->OnTask("t2", TaskFate::kCancelled);
  process_.reset();

  EXPECT_THAT(excused_, IsEmpty());
}

TEST_F(CheckerProcessTest, ATaskThatTheControllerLostIsTheControllersFault) {
  Receive("t1", "p1");

  Accept("t1", true);
  process_.reset();

  EXPECT_THAT(excused_, IsEmpty());
}

TEST_F(CheckerProcessTest, UnderFaultsATaskThatTheControllerDoesNotKnowWasLate) {
  options_.faults = Faults::kLight;
  Receive("t1", "p1");

  Accept("t1", true);

  EXPECT_THAT(excused_, ElementsAre("p1"));
}

TEST_F(CheckerProcessTest, AKilledProcessLetsDownAllThatItOwes) {
  Receive("t1", "p1");
  Receive("t2", "p2");
  process_->Run(Task("t1", LivingProxy()));

  process_.reset();
  scheduler_->Advance(kTimeout * 2);

  EXPECT_THAT(excused_, ElementsAre("p1", "p2"));
  EXPECT_EQ(Finished(), 0U) << "nothing of it goes on";
}

}  // namespace
}  // namespace holdfast::fleet
