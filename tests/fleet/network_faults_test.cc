// A checker's network and its faults: what the client meets, and what the other side sees of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/client/fake_checker_transport.h"
#include "tests/client/manual_scheduler.h"
#include "tools/fleet/faulty_checker_transport.h"

namespace holdfast::fleet {
namespace {

namespace wire = controlplane::v1;
using client::CallResult;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class NetworkFaultsTest : public ::testing::Test {
 protected:
  void Report() {
    transport_->ReportObservations({}, seconds(3),
                                   [this](const CallResult& result, const auto&) { answers_.push_back(result.code); });
  }
  void AnswerReport() {
    const auto call = wire_->reports.front();
    wire_->reports.pop_front();
    call.done(CallResult(), {});
  }
  void Watch() {
    stream_ =
        transport_->Watch({}, {[this](const wire::TaskUpdate& update) { tasks_.push_back(update.task().task_id()); },
                               [this](const CallResult& result) { ends_.push_back(result.code); }});
  }
  void Push(const std::string& task_id) {
    wire::TaskUpdate update;
    update.mutable_task()->set_task_id(task_id);
    wire_->streams.back()->events.on_update(update);
  }

  std::shared_ptr<client::ManualScheduler> scheduler_ = std::make_shared<client::ManualScheduler>();
  std::shared_ptr<client::FakeCheckerWire> wire_ = std::make_shared<client::FakeCheckerWire>();
  NetworkFaults faults_{scheduler_};
  std::vector<std::string> lost_;
  std::unique_ptr<FaultyCheckerTransport> transport_ = std::make_unique<FaultyCheckerTransport>(
      faults_, std::make_unique<client::FakeCheckerTransport>(wire_),
      [this](const wire::CheckTask& task) { lost_.push_back(task.task_id()); });
  std::vector<absl::StatusCode> answers_;
  std::vector<std::string> tasks_;
  std::vector<absl::StatusCode> ends_;
  std::unique_ptr<client::UpdateStream> stream_;
};

TEST_F(NetworkFaultsTest, WithoutFaultsEverythingGetsThrough) {
  Watch();
  Report();
  Push("t1");
  AnswerReport();

  EXPECT_THAT(tasks_, ElementsAre("t1"));
  EXPECT_THAT(answers_, ElementsAre(absl::StatusCode::kOk));
}

TEST_F(NetworkFaultsTest, ACallIntoAVanishedNetworkHasNoAnswerInTime) {
  faults_.SetVanished(true);
  Report();
  EXPECT_TRUE(wire_->reports.empty());
  scheduler_->Advance(seconds(2));
  EXPECT_THAT(answers_, IsEmpty());

  scheduler_->Advance(seconds(1));

  EXPECT_THAT(answers_, ElementsAre(absl::StatusCode::kDeadlineExceeded));
}

TEST_F(NetworkFaultsTest, AnAnswerThatComesWhileTheNetworkIsGoneIsLost) {
  Report();
  faults_.SetVanished(true);
  AnswerReport();

  EXPECT_THAT(answers_, ElementsAre(absl::StatusCode::kUnavailable));
}

TEST_F(NetworkFaultsTest, TasksOfAVanishedNetworkAreLostAndSaidToBe) {
  Watch();
  faults_.SetVanished(true);

  Push("t1");

  EXPECT_THAT(tasks_, IsEmpty());
  EXPECT_THAT(lost_, ElementsAre("t1"));
}

TEST_F(NetworkFaultsTest, AStreamIsFoundBrokenWhenTheNetworkIsBack) {
  Watch();
  faults_.SetVanished(true);
  scheduler_->RunPosted();
  EXPECT_THAT(ends_, IsEmpty());

  faults_.SetVanished(false);
  scheduler_->RunPosted();

  EXPECT_THAT(ends_, ElementsAre(absl::StatusCode::kUnavailable));
  EXPECT_FALSE(wire_->streams.back()->alive) << "the other side finds it cancelled";
}

TEST_F(NetworkFaultsTest, AStreamOpenedIntoAVanishedNetworkNeverReachesTheOtherSide) {
  faults_.SetVanished(true);

  Watch();

  EXPECT_TRUE(wire_->streams.empty());
}

TEST_F(NetworkFaultsTest, AStreamThatBreaksIsOverOnBothSidesOnce) {
  Watch();

  faults_.BreakStream();
  faults_.BreakStream();
  scheduler_->RunPosted();

  EXPECT_THAT(ends_, ElementsAre(absl::StatusCode::kUnavailable));
  EXPECT_FALSE(wire_->streams.back()->alive);
}

TEST_F(NetworkFaultsTest, WhileNothingIsReadNothingIsAskedFor) {
  Watch();
  faults_.SetReading(false);
  const int reads = wire_->streams.back()->reads;

  stream_->ReadNext();
  EXPECT_EQ(wire_->streams.back()->reads, reads);
  faults_.SetReading(true);

  EXPECT_EQ(wire_->streams.back()->reads, reads + 1);
}

TEST_F(NetworkFaultsTest, OneAnswerIsLostAndTheNextIsNot) {
  faults_.LoseNextAnswer();
  Report();
  Report();
  AnswerReport();
  AnswerReport();

  EXPECT_THAT(answers_, ElementsAre(absl::StatusCode::kUnavailable, absl::StatusCode::kOk));
}

}  // namespace
}  // namespace holdfast::fleet
