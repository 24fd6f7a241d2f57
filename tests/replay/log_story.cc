// The lives of logs that tests verify: one that meets every rule, one of many small entries.

#include <string>
#include <vector>

#include "tests/replay/log_maker.h"
#include "tests/replay/log_story_checkers.h"
#include "tests/replay/log_story_clients.h"

namespace holdfast::testing {
namespace {

using std::chrono::seconds;

log::v1::Input Stalled(std::int64_t micros) {
  log::v1::Input input;
  input.mutable_sync_stalled()->set_stalled_micros(micros);
  return input;
}

log::v1::Input Diverged() {
  log::v1::Input input;
  input.mutable_audit_diverged()->set_sequence(3);
  input.mutable_audit_diverged()->set_finding("sequence 3: told by the test");
  return input;
}

log::v1::Input DiskWith(std::uint64_t free_bytes) {
  log::v1::Input input;
  input.mutable_disk_watched()->set_free_bytes(free_bytes);
  input.mutable_disk_watched()->set_least_bytes(2);
  return input;
}

log::v1::Input WallIsOff(std::int64_t micros) {
  log::v1::Input input;
  input.mutable_observe_clock()->set_wall_micros(1'900'000'000'000'000 + micros);
  input.mutable_observe_clock()->set_offset_micros(micros);
  return input;
}

// The pool, two workers, the first grants, reports and outcomes.
void Begin(LogMaker& maker) {
  maker.Start();
  maker.Send(maker.Routings({"shop.example", "only-a.example"}));
  maker.Send(maker.Import("alpha", "8.8.1", 12));
  maker.Send(maker.Import("alpha-socks", "8.8.1", 2, {.scheme = controlplane::v1::PROXY_SCHEME_SOCKS5}));
  maker.Send(maker.Import("beta", "8.8.2", 4, {.secret_ref = "account-7", .source = "list-b"}));
  maker.Send(maker.Import("brief", "8.8.3", 5, {.lifetime = seconds(100)}));
  maker.Join("gw-1");
  maker.Join("gw-2", {.zone = "zone-b", .deltas = false, .secrets = false});
  maker.Live({"gw-1", "gw-2"}, 3);
  maker.Send(maker.RuntimeReport("gw-1", 10));
  maker.SendTogether({maker.Outcomes("gw-1", 5), maker.RuntimeReport("gw-2"), maker.Outcomes("gw-1", 6)});
}

// A worker that cannot take its update, and calls that are refused.
void BeRefused(LogMaker& maker) {
  maker.Send(maker.Routings({"shop.example", "only-a.example", "*.late.example"}));
  maker.Refuse("gw-2", "the checksum of this update is not what was computed here: " + std::string(300, 'x'));
  maker.Send(maker.RuntimeReport("gw-2"));  // behind the fence
  maker.Watch("gw-2");
  maker.Acknowledge("gw-2");
  log::v1::Input stranger = maker.RuntimeReport("gw-2");
  stranger.mutable_report_runtime()->mutable_request()->set_session_id("nobody's");
  for (int i = 0; i < 30; ++i) maker.Send(stranger);  // beyond what is told one by one
  maker.Live({"gw-1", "gw-2"}, 12);                   // renewals
}

// Changes of the pool under workers that hold it, and what expires.
void ChangeThePool(LogMaker& maker) {
  maker.Send(maker.Import("alpha", "8.8.1", 12));
  maker.Send(maker.Import("alpha", "8.8.1", 3, {.label = "gold"}));
  maker.Send(maker.Import("alpha", "8.8.9", 1));  // another endpoint
  maker.Live({"gw-1", "gw-2"}, 3);
  maker.Send(maker.Remove({"alpha11", "alpha12", "never-there"}));
  maker.Live({"gw-1", "gw-2"}, 2);
  log::v1::Input replace = maker.Import("beta", "8.8.2", 2, {.secret_ref = "account-7", .source = "list-b"});
  replace.mutable_import_proxies()->mutable_request()->set_replace_source("list-b");
  maker.Send(replace);
  log::v1::Input unnamed;
  unnamed.mutable_remove_unnamed()->set_source("list-b");
  unnamed.mutable_remove_unnamed()->set_import(maker.state().run().last().sequence.value());
  unnamed.mutable_remove_unnamed()->set_limit(100);
  maker.Send(unnamed);
  maker.Live({"gw-1", "gw-2"}, 110);  // the brief ones go
}

// Silence, lapses of all that one worker held, takeover, drain.
void LoseWorkers(LogMaker& maker) {
  maker.Live({"gw-1"}, 70);  // gw-2 is not heard of any more
  maker.Join("gw-2", {.zone = "zone-b", .instance_id = "gw-2-instance-2"});
  maker.Live({"gw-1", "gw-2"}, 3);
  const std::string session = maker.session_of("gw-1");
  maker.Join("gw-1", {.previous_session = session});  // the same process
  maker.Live({"gw-1", "gw-2"}, 3);
  maker.Join("gw-1", {.instance_id = "gw-1-instance-2"});  // another one
  maker.Live({"gw-1", "gw-2"}, 60);
  maker.Join("gw-3");
  maker.Send(maker.Import("gamma", "8.8.4", 6));
  maker.Live({"gw-1", "gw-2", "gw-3"}, 3);
  maker.Send(maker.RuntimeReport("gw-3", 1, true));  // drains itself
  maker.Live({"gw-1", "gw-2"}, 100);
}

log::v1::Input Shed(LogMaker& maker, const std::string& worker) {
  log::v1::Input input;
  auto& session = *input.mutable_calls_shed()->add_sessions();
  session.set_worker_id(worker);
  session.set_session_id(maker.session_of(worker));
  return input;
}

log::v1::Input StreamEnded(LogMaker& maker, const std::string& worker) {
  log::v1::Input input;
  input.mutable_stream_ended()->set_worker_id(worker);
  input.mutable_stream_ended()->set_session_id(maker.session_of(worker));
  input.mutable_stream_ended()->set_stream(maker.snapshots_of(worker).stream.value());
  return input;
}

std::string LongReason() { return "because of " + std::string(2'000, 'y'); }

log::v1::Input DrainOf(const std::string& worker) {
  log::v1::Input input;
  input.mutable_drain_session()->set_kind(controlplane::v1::SESSION_KIND_WORKER);
  input.mutable_drain_session()->set_member_id(worker);
  input.mutable_drain_session()->set_reason(LongReason());
  return input;
}

log::v1::Input FenceOf(const std::string& worker) {
  log::v1::Input input;
  input.mutable_fence_session()->set_kind(controlplane::v1::SESSION_KIND_WORKER);
  input.mutable_fence_session()->set_member_id(worker);
  input.mutable_fence_session()->set_reason("it answers nobody");
  return input;
}

log::v1::Input Eligible(const std::string& worker) {
  log::v1::Input input;
  input.mutable_set_eligibility()->set_kind(controlplane::v1::SESSION_KIND_WORKER);
  input.mutable_set_eligibility()->set_member_id(worker);
  input.mutable_set_eligibility()->set_eligible(true);
  return input;
}

// Two processes of a worker, each of which is heard again after the other took its place: twice, no conflict yet.
void TakeTurns(LogMaker& maker, const std::string& worker) {
  for (const char* instance : {"a", "b"}) {
    const log::v1::Input late = maker.RuntimeReport(worker);
    maker.Join(worker, {.instance_id = worker + "-" + instance});
    maker.Send(late);
  }
}

// Operators take back, drain, fence; workers join and share; two processes take turns; the clock is set right.
void BeOperated(LogMaker& maker) {
  maker.Send(maker.Import("delta", "8.8.5", 40));
  maker.Live({"gw-1", "gw-2"}, 3);
  maker.Join("gw-5");
  maker.Live({"gw-1", "gw-2", "gw-5"}, 20);  // moves to its share
  log::v1::Input reclaim;
  for (const char* id : {"delta1", "delta2"}) reclaim.mutable_reclaim_proxies()->add_proxy_ids(id);
  reclaim.mutable_reclaim_proxies()->set_reason("wanted elsewhere");
  maker.Send(reclaim);
  maker.Live({"gw-1", "gw-2", "gw-5"}, 5);
  maker.Send(DrainOf("gw-5"));
  maker.Live({"gw-1", "gw-2", "gw-5"}, 10);
  maker.Send(Eligible("gw-5"));
  maker.Join("gw-6");
  maker.Live({"gw-1", "gw-2", "gw-6"}, 20);
  maker.Send(FenceOf("gw-6"));
  TakeTurns(maker, "gw-2");
  log::v1::Input clear;
  clear.mutable_clear_alarm()->set_kind(admin::v1::ALARM_KIND_DRAIN_FORCED);
  clear.mutable_clear_alarm()->set_subject("gw-5");
  clear.mutable_clear_alarm()->set_reason("seen");
  maker.Send(clear);
  log::v1::Input accept;
  accept.mutable_accept_clock()->mutable_request()->set_reason("the wall is right");
  accept.mutable_accept_clock()->set_move_micros(30'000'000);
  maker.Send(accept);
  for (const char* worker : {"gw-1", "gw-2"}) maker.Join(worker, {.previous_session = maker.session_of(worker)});
  maker.Live({"gw-1", "gw-2"}, 60);
}

// The controller's own troubles: stalls, a wall clock that jumps, restarts, a worker that remembers more.
void HaveTrouble(LogMaker& maker) {
  maker.Send(Stalled(6'000'000), "controller");
  maker.Send(Diverged());
  for (const std::uint64_t free : {1u, 3u}) maker.Send(DiskWith(free), "controller");
  maker.Send(WallIsOff(9'000'000), "controller");
  maker.Send(WallIsOff(0), "controller");
  maker.Send(Shed(maker, "gw-1"), "controller");
  maker.Send(StreamEnded(maker, "gw-2"), "controller");
  maker.Watch("gw-2");
  maker.Live({"gw-1", "gw-2"}, 2);
  maker.Start();
  maker.Pass(seconds(3));
  for (const char* worker : {"gw-1", "gw-2"}) maker.Watch(worker);
  maker.Live({"gw-1", "gw-2"}, 5);
  maker.StartOnAnotherBoot();
  maker.Pass(seconds(2));
  maker.Join("gw-1", {.instance_id = "gw-1-instance-2", .previous_session = maker.session_of("gw-1")});
  maker.Live({"gw-1"}, 60);
  maker.Join("gw-4", {.last_version = std::uint64_t{1} << 52});  // of a history that is not here
  maker.Live({"gw-1", "gw-4"}, 60);
}

}  // namespace

void WriteStory(LogMaker& maker) {
  Begin(maker);
  BeRefused(maker);
  ChangeThePool(maker);
  LoseWorkers(maker);
  BeOperated(maker);
  CheckThePool(maker, {"gw-1", "gw-2"});
  ServeClients(maker, {"gw-1", "gw-2"});
  HaveTrouble(maker);
  ChangeTheStore(maker, {"gw-1", "gw-4"});
}

void WriteReports(LogMaker& maker, std::uint64_t entries) {
  std::vector<std::string> workers;
  maker.Start();
  maker.Send(maker.Import("alpha", "8.8.1", 200));
  for (int i = 1; i <= 8; ++i) {
    workers.push_back("gw-" + std::to_string(i));
    maker.Join(workers.back());
  }
  maker.Live(workers, 2);
  while (maker.state().run().last().sequence.value() < entries) {
    maker.Pass(std::chrono::milliseconds(500));
    for (const std::string& worker : workers) maker.Acknowledge(worker);
    std::vector<log::v1::Input> inputs;
    for (int round = 0; round < 64; ++round) {
      for (const std::string& worker : workers) inputs.push_back(maker.RuntimeReport(worker));
    }
    maker.SendTogether(inputs);
  }
}

}  // namespace holdfast::testing
