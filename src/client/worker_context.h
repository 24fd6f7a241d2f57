// What the parts of one WorkerClient share: its settings, its process-wide memory, the session in force, and how a
// call is made and its answer looked at.
//
// Internal to src/client, on the scheduler's thread but for gate and outcomes. Owned by WorkerClient, outlives its
// links. Counts and clocks every answer in one place; decides nothing about sessions: it tells the client.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "client/outcome_queue.h"
#include "client/reject_reaction.h"
#include "client/scheduler.h"
#include "client/session_terms.h"
#include "client/slot_registry.h"
#include "client/traffic_gate.h"
#include "client/use_bounds.h"
#include "client/worker_observer.h"
#include "client/worker_settings.h"
#include "client/worker_transport.h"
#include "session/session_event.h"

namespace holdfast::client {

// One registered life, as the registration's answer says.
struct WorkerSession : SessionTerms {
  std::uint64_t ownership_epoch = 0;
  Duration lapse_grace{};
  Duration max_stale_age{};
  std::shared_ptr<ValidityClock> clock;
};

// What a worker keeps of its outcomes over sessions: a batch keeps its number until it is answered.
struct OutcomeMemory {
  std::uint64_t last_sequence = 0;
  std::optional<controlplane::v1::ReportOutcomesRequest> unanswered;
};

struct WorkerContext {
  WorkerContext(WorkerSettings worker_settings, std::shared_ptr<Scheduler> worker_scheduler,
                std::unique_ptr<WorkerTransport> worker_transport, WorkerObserver& worker_observer)
      : settings(std::move(worker_settings)),
        scheduler(std::move(worker_scheduler)),
        transport(std::move(worker_transport)),
        observer(worker_observer),
        gate([clock = scheduler] { return clock->Now(); }) {}

  // Wraps `done` so that the answer is recorded, timed, and used as a sample of the session's clock.
  template <class Request, class Response>
  Done<Response> Recorded(CallName name, const Request& request, Done<Response> done) {
    Done<Response> timed = [clock = session ? session->clock : nullptr, sent_at = scheduler->Now(),
                            done = std::move(done)](const CallResult& result, const Response& response) {
      if (result.ok() && clock) AddSample(*clock, response, sent_at);
      done(result, response);
    };
    return client::Recorded(observer, scheduler, name, request, std::move(timed));
  }

  template <class Response>
  static void AddSample(ValidityClock& clock, const Response& response, BootTime sent_at) {
    if (!response.has_server_time()) return;
    if (const std::optional<LogTime> time = LogTimeFrom(response.server_time())) clock.AddSample(*time, sent_at);
  }

  const WorkerSettings settings;
  const std::shared_ptr<Scheduler> scheduler;
  std::unique_ptr<WorkerTransport> transport;
  WorkerObserver& observer;
  std::function<void(session::SessionEvent)> tell;  // the session machine; may end the session that is in force
  // The same for a call that was refused, so that the reason is kept.
  std::function<void(session::SessionEventKind kind, const CallResult& result)> tell_refused;

  // Of the process, over all its sessions.
  SlotRegistry slots;
  UseBounds bounds;
  HighWater high_water;
  OutcomeMemory outcome_memory;
  TrafficGate gate;
  OutcomeQueue outcomes;
  session::Backoff::Generator random;

  // Of the session in force.
  std::optional<WorkerSession> session;
  bool leaving = false;  // this worker drains: every report says so
};

}  // namespace holdfast::client
