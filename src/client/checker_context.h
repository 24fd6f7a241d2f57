// What the parts of one CheckerClient share: its settings, the session in force, and how a call is made.
//
// Internal to src/client, on the scheduler's thread. Owned by CheckerClient, outlives its links. Decides nothing about
// sessions: it tells the client.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "client/checker_observer.h"
#include "client/checker_settings.h"
#include "client/checker_transport.h"
#include "client/session_terms.h"
#include "session/session_event.h"

namespace holdfast::client {

struct CheckerContext {
  CheckerContext(CheckerSettings checker_settings, std::shared_ptr<Scheduler> checker_scheduler,
                 std::unique_ptr<CheckerTransport> checker_transport, CheckerObserver& checker_observer)
      : settings(std::move(checker_settings)),
        scheduler(std::move(checker_scheduler)),
        transport(std::move(checker_transport)),
        observer(checker_observer) {}

  // Wraps `done` so that the answer is recorded.
  template <class Request, class Response>
  Done<Response> Recorded(CallName name, const Request& request, Done<Response> done) {
    return client::Recorded(observer, scheduler, name, request, std::move(done));
  }

  const CheckerSettings settings;
  const std::shared_ptr<Scheduler> scheduler;
  std::unique_ptr<CheckerTransport> transport;
  CheckerObserver& observer;
  std::function<void(session::SessionEvent)> tell;  // the session machine; may end the session that is in force
  // The same for a call that was refused, so that the reason is kept.
  std::function<void(session::SessionEventKind kind, const CallResult& result)> tell_refused;
  session::Backoff::Generator random;

  // Of the session in force.
  std::optional<SessionTerms> session;
  bool leaving = false;  // this checker drains: every report says so
};

}  // namespace holdfast::client
