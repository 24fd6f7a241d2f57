// A CheckerClient on a clock that stands still, against a controller that the test plays by hand; what is run is only
// written down.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/checker_client.h"
#include "tests/client/fake_checker_transport.h"
#include "tests/client/manual_scheduler.h"
#include "tests/client/wire_builders.h"

namespace holdfast::client {

using std::chrono::milliseconds;
using std::chrono::seconds;

class CheckerClientTest : public ::testing::Test, public CheckHandler, public CheckerObserver {
 protected:
  using Fates = std::vector<std::pair<std::string, TaskFate>>;
  using Losses = std::vector<std::pair<std::string, ObservationLoss>>;
  using Ids = std::vector<std::string>;

  CheckerClientTest() {
    settings_.checker_id = "c1";
    settings_.max_concurrency = 10;
    settings_.levels = {wire::CHECK_LEVEL_BASIC, wire::CHECK_LEVEL_TARGET};
    NewClient();
  }

  void NewClient() {
    client_.reset();
    client_ = std::make_unique<CheckerClient>(settings_, scheduler_, std::make_unique<FakeCheckerTransport>(wire_),
                                              *this, *this, random_);
  }

  // ---- the controller's side
  wire::RegisterCheckerResponse Registration(const std::string& session_id) const {
    wire::RegisterCheckerResponse answer;
    answer.set_session_id(session_id);
    answer.set_protocol_version(1);
    answer.set_log_id("log-1");
    answer.set_max_batch(max_batch_);
    answer.set_session_state(wire::SESSION_STATE_HANDSHAKING);
    answer.mutable_session_ttl()->set_seconds(15);
    answer.mutable_report_interval()->set_seconds(1);
    SetTime(*answer.mutable_server_time(), At(0));
    return answer;
  }

  template <class Calls, class Response>
  void Answer(Calls& calls, const CallResult& result, const Response& response) {
    ASSERT_FALSE(calls.empty());
    const auto call = std::move(calls.front());
    calls.pop_front();
    call.done(result, response);
    scheduler_->RunPosted();
  }
  template <class Calls>
  void Refuse(Calls& calls, const CallResult& result) {
    ASSERT_FALSE(calls.empty());
    const auto call = std::move(calls.front());
    calls.pop_front();
    call.done(result, {});
    scheduler_->RunPosted();
  }
  void AnswerRegister(const std::string& session_id) {
    Answer(wire_->registers, CallResult(), Registration(session_id));
  }
  void AnswerReport(wire::SessionState state = wire::SESSION_STATE_ACTIVE, const Ids& unknown = {}) {
    ASSERT_FALSE(wire_->reports.empty());
    wire::ReportObservationsResponse answer;
    answer.set_session_state(state);
    answer.set_accepted_sequence(Report().sequence());
    for (const std::string& id : unknown) answer.add_unknown_task_ids(id);
    Answer(wire_->reports, CallResult(), answer);
  }
  void Push(const wire::TaskUpdate& update) {
    ASSERT_TRUE(Stream().alive);
    Stream().events.on_update(update);
    scheduler_->RunPosted();
  }
  void PushTask(const std::string& task_id, wire::CheckLevel level = wire::CHECK_LEVEL_BASIC,
                std::int64_t timeout_seconds = 10) {
    wire::TaskUpdate update;
    wire::CheckTask& task = *update.mutable_task();
    task.set_task_id(task_id);
    task.set_proxy_id("proxy-" + task_id);
    task.set_level(level);
    task.mutable_timeout()->set_seconds(timeout_seconds);
    Push(update);
  }
  void PushCancel(const std::string& task_id) {
    wire::TaskUpdate update;
    update.mutable_cancel()->set_task_id(task_id);
    Push(update);
  }
  void PushDrain() {
    wire::TaskUpdate update;
    update.mutable_drain()->set_reason(wire::DRAIN_REASON_OPERATOR);
    Push(update);
  }
  void EndStream(const CallResult& result) {
    const auto stream = wire_->streams.back();
    stream->events.on_end(result);
    scheduler_->RunPosted();
  }
  FakeTaskStream& Stream() { return *wire_->streams.back(); }
  // The report that waits for its answer.
  const wire::ReportObservationsRequest& Report() { return wire_->reports.front().request; }

  // ---- stories
  // Registered as s1 and active; nothing is in flight.
  void BringUp() {
    client_->Start();
    AnswerRegister("s1");
    scheduler_->Advance(seconds(1));
    AnswerReport();
  }
  // The check comes to its end.
  void Observe(const std::string& task_id, wire::Verdict verdict = wire::VERDICT_PASS) {
    wire::HealthObservation observation;
    observation.set_task_id(task_id);
    observation.set_verdict(verdict);
    client_->Report(observation);
    scheduler_->RunPosted();
  }
  // Time passes, and every report is answered.
  void Live(std::int64_t for_seconds) {
    for (std::int64_t i = 0; i < for_seconds; ++i) {
      scheduler_->Advance(seconds(1));
      while (!wire_->reports.empty()) AnswerReport();
    }
  }
  static Ids TasksOf(const wire::ReportObservationsRequest& report) {
    Ids ids;
    for (const wire::HealthObservation& observation : report.observations()) ids.push_back(observation.task_id());
    return ids;
  }

  // ---- CheckHandler
  void Run(const wire::CheckTask& task) override { run_.push_back(task.task_id()); }
  void Cancel(const std::string& task_id) override { cancelled_.push_back(task_id); }

  // ---- CheckerObserver
  void OnCall(const CallRecord& record) override { calls_.push_back(record.name); }
  void OnState(LifecycleState state) override { states_.push_back(state); }
  void OnReport(const wire::ReportObservationsRequest&, const wire::ReportObservationsResponse&) override {
    ++accepted_reports_;
  }
  void OnTask(const std::string& task_id, TaskFate fate) override { fates_.emplace_back(task_id, fate); }
  void OnObservationLost(const std::string& task_id, ObservationLoss loss) override {
    losses_.emplace_back(task_id, loss);
  }
  void OnFinished(session::SessionEnd end, const std::string& why) override {
    end_ = end;
    why_ = why;
  }

  CheckerSettings settings_;
  std::uint32_t max_batch_ = 10'000;
  std::shared_ptr<ManualScheduler> scheduler_ = std::make_shared<ManualScheduler>();
  std::shared_ptr<FakeCheckerWire> wire_ = std::make_shared<FakeCheckerWire>();
  CountingRandom random_;
  Ids run_;
  Ids cancelled_;
  std::uint64_t accepted_reports_ = 0;
  Fates fates_;
  Losses losses_;
  std::vector<LifecycleState> states_;
  std::vector<CallName> calls_;
  std::optional<session::SessionEnd> end_;
  std::string why_;
  std::unique_ptr<CheckerClient> client_;
};

}  // namespace holdfast::client
