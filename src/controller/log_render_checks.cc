// Events of checkers, checks and health in a few words.

#include "controller/log_render_words.h"

namespace holdfast::log_words {
namespace {

using StoredEvent = log::v1::Event;

// "proxy #7 basic", "proxy #7 target of routing #2".
template <class E>
std::string Key(const E& event) {
  return absl::StrCat("proxy #", event.proxy(), " ", Words(event.level()),
                      event.routing() == 0 ? "" : absl::StrCat(" of routing #", event.routing()));
}

// "task 12 of checker #1, proxy #7 basic".
template <class E>
std::string Task(const E& event) {
  return absl::StrCat("task ", event.task(), " of checker #", event.checker(), ", ", Key(event));
}

// On whose word.
std::string By(std::uint32_t checker) { return checker == 0 ? "outcomes" : absl::StrCat("checker #", checker); }

std::string Seen(const log::v1::CheckObserved& observed) {
  std::string text = absl::StrCat(Task(observed), ": ", Words(observed.verdict()));
  if (observed.phase() != controlplane::v1::OUTCOME_PHASE_UNSPECIFIED) {
    absl::StrAppend(&text, " at ", Words(observed.phase()));
  }
  if (observed.error() > controlplane::v1::OUTCOME_ERROR_NONE) absl::StrAppend(&text, ", ", Words(observed.error()));
  if (observed.http_status() != 0) absl::StrAppend(&text, ", status ", observed.http_status());
  if (observed.anonymity() != 0) absl::StrAppend(&text, ", ", Words(observed.anonymity()));
  if (!observed.egress_ip().empty()) absl::StrAppend(&text, " from ", observed.egress_ip());
  absl::StrAppend(&text, " in ", Span(observed.latency()), "; ");
  return observed.failures() > 0 ? absl::StrCat(text, observed.failures(), " failures in a row")
                                 : absl::StrCat(text, observed.passes(), " passes in a row");
}

// "basic", "egress", "target of routing #2"; "on the word of checker #1" or of all.
template <class E>
std::string Scope(const E& event) {
  return absl::StrCat(Words(event.level()), event.routing() == 0 ? "" : absl::StrCat(" of routing #", event.routing()),
                      event.checker() == 0 ? "" : absl::StrCat(" on the word of checker #", event.checker()));
}

std::string DescribeHealth(const StoredEvent& event) {
  switch (event.event_case()) {
    case StoredEvent::kHealthChanged:
      return absl::StrCat(Key(event.health_changed()), " is ", Words(event.health_changed().state()), ", by ",
                          By(event.health_changed().checker()));
    case StoredEvent::kProxyStateChanged:
      return absl::StrCat("proxy #", event.proxy_state_changed().proxy(), " is ",
                          Words(event.proxy_state_changed().state()), " in the pool, by ",
                          By(event.proxy_state_changed().checker()));
    case StoredEvent::kRoutingsMarked:
      return absl::StrCat("proxy #", event.routings_marked().proxy(), " does not serve ",
                          event.routings_marked().routing_ids_size(), " routings");
    case StoredEvent::kHealthFrozen:
      return absl::StrCat("nothing more turns unhealthy at ", Scope(event.health_frozen()), ": ",
                          event.health_frozen().demoted(), " of ", event.health_frozen().of(),
                          " would have: the checks are suspected");
    case StoredEvent::kHealthForgotten:
      return absl::StrCat("what was said of ", event.health_forgotten().proxies_size(),
                          " proxies before a client had them counts no more");
    case StoredEvent::kHealthThawed:
      return absl::StrCat("checks count again at ", Scope(event.health_thawed()));
    default:
      return {};
  }
}

}  // namespace

std::string DescribeChecker(const StoredEvent& event) {
  switch (event.event_case()) {
    case StoredEvent::kCheckerOpened:
      return absl::StrCat("session ", event.checker_opened().session_id(), " opened, up to ",
                          event.checker_opened().max_concurrency(), " tasks at once");
    case StoredEvent::kCheckerAttached:
      return "task stream attached";
    case StoredEvent::kCheckerDetached:
      if (event.checker_detached().reason() == controlplane::v1::REJECT_REASON_UNSPECIFIED) return "task stream over";
      return absl::StrCat("task stream ended, ", Words(event.checker_detached().reason()));
    case StoredEvent::kCheckerHeard:
      if (event.checker_heard().sequence() == 0) return "checker heard";
      return absl::StrCat("report ", event.checker_heard().sequence(), " accepted, ", event.checker_heard().running(),
                          " tasks running, ", event.checker_heard().ignored_task_ids_size(), " observations ignored");
    case StoredEvent::kCheckerDraining:
      return absl::StrCat("session draining, ", Words(event.checker_draining().reason()),
                          Until(event.checker_draining().deadline()));
    case StoredEvent::kCheckerClosed:
      return absl::StrCat("session ", event.checker_closed().session_id(), " closed, ",
                          Words(event.checker_closed().reason()));
    default:
      return {};
  }
}

std::string DescribeCheck(const StoredEvent& event) {
  switch (event.event_case()) {
    case StoredEvent::kChecksPlanned:
      return absl::StrCat("proxy #", event.checks_planned().proxy(), " is checked at basic",
                          event.checks_planned().egress() ? ", egress" : "", " and for ",
                          event.checks_planned().routings_size(), " routings");
    case StoredEvent::kCheckRequested:
      return absl::StrCat(Key(event.check_requested()), " is to be checked at once",
                          event.check_requested().by_operator() ? ", by an operator" : "");
    case StoredEvent::kCheckIssued:
      return absl::StrCat(Task(event.check_issued()), " issued", Until(event.check_issued().deadline()));
    case StoredEvent::kCheckObserved:
      return Seen(event.check_observed());
    case StoredEvent::kCheckExpired:
      return absl::StrCat(Task(event.check_expired()), ": no observation came in time");
    case StoredEvent::kCheckCancelled:
      return absl::StrCat(Task(event.check_cancelled()), " cancelled",
                          event.check_cancelled().told() ? ", the checker is told" : "");
    default:
      return DescribeHealth(event);
  }
}

}  // namespace holdfast::log_words
