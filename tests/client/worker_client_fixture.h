// A WorkerClient on a clock that stands still, against a controller that the test plays by hand.

#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "client/worker_client.h"
#include "tests/client/fake_transport.h"
#include "tests/client/manual_scheduler.h"
#include "tests/client/wire_builders.h"

namespace holdfast::client {

using std::chrono::milliseconds;
using std::chrono::seconds;

class WorkerClientTest : public ::testing::Test, public WorkerObserver {
 protected:
  static constexpr std::uint64_t kEpoch = 7;

  WorkerClientTest() {
    settings_.worker_id = "w1";
    NewClient();
  }

  void NewClient() {
    client_.reset();
    client_ =
        std::make_unique<WorkerClient>(settings_, scheduler_, std::make_unique<FakeTransport>(wire_), *this, random_);
  }

  // ---- the controller's side
  wire::RegisterWorkerResponse Registration(const std::string& session_id, std::uint64_t epoch = kEpoch) const {
    wire::RegisterWorkerResponse answer;
    answer.set_session_id(session_id);
    answer.set_ownership_epoch(epoch);
    answer.set_protocol_version(1);
    answer.set_log_id("log-1");
    answer.set_max_batch(10'000);
    answer.set_session_state(wire::SESSION_STATE_HANDSHAKING);
    answer.mutable_session_ttl()->set_seconds(15);
    answer.mutable_report_interval()->set_seconds(1);
    answer.mutable_lapse_grace()->set_seconds(10);
    answer.mutable_max_stale_age()->set_seconds(max_stale_seconds_);
    SetTime(*answer.mutable_server_time(), LogNow());
    return answer;
  }

  // Log time runs with the scheduler's clock, from At(0) at its start.
  LogTime LogNow() const { return At(0) + (scheduler_->Now() - start_); }

  template <class Calls, class Response>
  void Answer(Calls& calls, const CallResult& result, const Response& response) {
    ASSERT_FALSE(calls.empty());
    const auto call = std::move(calls.front());
    calls.pop_front();
    call.done(result, response);
    scheduler_->RunPosted();
  }

  void AnswerRegister(const std::string& session_id, std::uint64_t epoch = kEpoch) {
    Answer(wire_->registers, CallResult(), Registration(session_id, epoch));
  }
  void AnswerAck(wire::SessionState state = wire::SESSION_STATE_ACTIVE) {
    ASSERT_FALSE(wire_->acks.empty());
    wire::AcknowledgeSnapshotResponse answer;
    answer.set_session_state(state);
    answer.set_accepted_version(wire_->acks.front().request.version());
    answer.set_runtime_fenced(!wire_->acks.front().request.accepted());
    SetTime(*answer.mutable_server_time(), LogNow());
    Answer(wire_->acks, CallResult(), answer);
  }
  void AnswerReport(wire::SessionState state = wire::SESSION_STATE_ACTIVE,
                    const std::vector<std::string>& revoke = {}) {
    ASSERT_FALSE(wire_->reports.empty());
    wire::ReportRuntimeResponse answer;
    answer.set_session_state(state);
    answer.set_accepted_sequence(wire_->reports.front().request.report_sequence());
    for (const std::string& id : revoke) answer.add_revoke_proxy_ids(id);
    SetTime(*answer.mutable_server_time(), LogNow());
    Answer(wire_->reports, CallResult(), answer);
  }
  template <class Calls>
  void Refuse(Calls& calls, const CallResult& result) {
    ASSERT_FALSE(calls.empty());
    const auto call = std::move(calls.front());
    calls.pop_front();
    call.done(result, {});
    scheduler_->RunPosted();
  }
  void Push(const wire::SnapshotUpdate& update) {
    ASSERT_TRUE(Stream().alive);
    Stream().events.on_update(update);
    scheduler_->RunPosted();
  }
  void EndStream(const CallResult& result) {
    const auto stream = wire_->streams.back();
    stream->events.on_end(result);
    scheduler_->RunPosted();
  }
  FakeStream& Stream() { return *wire_->streams.back(); }

  // ---- stories
  // Registered as s1, one full snapshot taken and acknowledged; nothing is in flight.
  void BringUp(const std::vector<wire::ProxyGrant>& grants, std::uint64_t version = 10, std::int64_t valid_until = 30) {
    client_->Start();
    AnswerRegister("s1");
    Push(Full(kEpoch, version, valid_until, grants));
    AnswerAck();
    while (!wire_->reports.empty()) AnswerReport();
  }

  // Time passes, and every report is answered.
  void Live(std::int64_t for_seconds) {
    for (std::int64_t i = 0; i < for_seconds; ++i) {
      scheduler_->Advance(seconds(1));
      while (!wire_->reports.empty()) AnswerReport();
    }
  }

  std::optional<Lease> Reserve() {
    return client_->traffic().Reserve(0, [](const GrantRow&) { return true; });
  }

  // ---- what the client told
  void OnUpdateTaken(const UpdateTaken& taken) override { taken_.push_back(taken.view->version); }
  void OnUpdateRefused(const UpdateRefused& refused) override { refused_.push_back(refused); }
  void OnCut(const std::vector<std::string>& ids) override { cut_.insert(cut_.end(), ids.begin(), ids.end()); }
  void OnState(LifecycleState state) override { states_.push_back(state); }
  void OnFinished(session::SessionEnd end, const std::string&) override { end_ = end; }
  void OnCall(const CallRecord& record) override { calls_.push_back(record.name); }

  WorkerSettings settings_;
  std::int64_t max_stale_seconds_ = 600;
  std::shared_ptr<ManualScheduler> scheduler_ = std::make_shared<ManualScheduler>();
  const BootTime start_ = scheduler_->Now();
  std::shared_ptr<FakeWire> wire_ = std::make_shared<FakeWire>();
  CountingRandom random_;
  std::vector<std::uint64_t> taken_;
  std::vector<UpdateRefused> refused_;
  std::vector<std::string> cut_;
  std::vector<LifecycleState> states_;
  std::vector<CallName> calls_;
  std::optional<session::SessionEnd> end_;
  std::unique_ptr<WorkerClient> client_;
};

}  // namespace holdfast::client
