#include "tools/cli/session_text.h"

#include <utility>

#include "tools/cli/enum_word.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using admin::v1::SessionStatus;

// The state, and what a person must know beside it.
std::string StateText(const SessionStatus& session) {
  std::string text = EnumWord(session.state());
  if (session.draining() && session.state() != controlplane::v1::SESSION_STATE_DRAINING) text += ", draining";
  if (session.close_reason() != admin::v1::CLOSE_REASON_UNSPECIFIED) text += ": " + EnumWord(session.close_reason());
  if (session.runtime_fenced()) text += ", fenced";
  return text;
}

std::string EligibleText(const SessionStatus& session) { return session.eligible() ? "yes" : "cordoned"; }

std::string StreamText(const SessionStatus& session) { return session.attached() ? "open" : "none"; }

std::string HeardText(const SessionStatus& session, std::int64_t now_micros) {
  return session.has_last_heartbeat_at() ? AgeText(ToMicros(session.last_heartbeat_at()), now_micros) : "";
}

// Proxies, epochs and versions of snapshots: only a worker has them.
std::string OfWorker(const SessionStatus& session, std::string text) {
  return session.kind() == controlplane::v1::SESSION_KIND_WORKER ? std::move(text) : "";
}

std::string VersionText(const SessionStatus& session) {
  std::string text = std::to_string(session.accepted_version());
  if (session.issued_version() != session.accepted_version()) text += " of " + std::to_string(session.issued_version());
  return text;
}

// "started 5s ago, ends in 25s"; of one that never drained nothing.
std::string DrainText(const SessionStatus& session, std::int64_t now_micros) {
  if (!session.has_drain_started_at()) return "";
  std::string text = "started " + AgeText(ToMicros(session.drain_started_at()), now_micros);
  if (session.state() == controlplane::v1::SESSION_STATE_CLOSED) return text;
  return text + (session.has_drain_deadline_at()
                     ? ", ends " + AgeText(ToMicros(session.drain_deadline_at()), now_micros)
                     : ", no deadline");
}

template <class Time>
std::string TimeCell(bool present, const Time& time, std::int64_t now_micros) {
  return present ? TimeWithAge(ToMicros(time), now_micros) : "";
}

template <class Enum>
std::string WordCell(Enum value) {
  return static_cast<int>(value) == 0 ? "" : EnumWord(value);
}

std::vector<std::string> WideCells(const SessionStatus& session, std::int64_t now_micros) {
  return {OfWorker(session, std::to_string(session.ownership_epoch())),
          OfWorker(session, VersionText(session)),
          CountText(session.queued_request_count()),
          session.zone(),
          session.has_expires_at() ? AgeText(ToMicros(session.expires_at()), now_micros) : "",
          TimeCell(session.has_opened_at(), session.opened_at(), now_micros),
          TimeCell(session.has_drain_started_at(), session.drain_started_at(), now_micros),
          TimeCell(session.has_drain_deadline_at(), session.drain_deadline_at(), now_micros),
          WordCell(session.drain_reason()),
          session.instance_id(),
          session.peer(),
          session.software_version()};
}

}  // namespace

std::vector<std::string> SessionColumns(bool wide) {
  std::vector<std::string> columns = {"KIND",       "MEMBER", "STATE",      "ELIGIBLE", "STREAM", "#PROXIES",
                                      "#IN FLIGHT", "SYNC",   "LAST HEARD", "DRAIN",    "SESSION"};
  if (!wide) return columns;
  for (const char* more : {"EPOCH", "VERSION", "#QUEUED", "ZONE", "EXPIRES", "OPENED", "DRAIN STARTED",
                           "DRAIN DEADLINE", "DRAIN REASON", "INSTANCE", "PEER", "SOFTWARE"}) {
    columns.emplace_back(more);
  }
  return columns;
}

std::vector<std::string> SessionCells(const SessionStatus& session, bool wide, std::int64_t now_micros) {
  std::vector<std::string> cells = {EnumWord(session.kind()),
                                    session.member_id(),
                                    StateText(session),
                                    EligibleText(session),
                                    StreamText(session),
                                    OfWorker(session, CountText(session.owned_proxies())),
                                    CountText(session.inflight_count()),
                                    WordCell(session.sync()),
                                    HeardText(session, now_micros),
                                    DrainText(session, now_micros),
                                    session.session_id()};
  if (!wide) return cells;
  for (std::string& cell : WideCells(session, now_micros)) cells.push_back(std::move(cell));
  return cells;
}

std::vector<std::string> CheckerColumns() {
  return {"CHECKER", "ZONE",       "STATE", "ELIGIBLE", "STREAM", "#TASKS",
          "#QUEUED", "LAST HEARD", "DRAIN", "SOFTWARE", "SESSION"};
}

std::vector<std::string> CheckerCells(const SessionStatus& session, std::int64_t now_micros) {
  return {session.member_id(),
          session.zone(),
          StateText(session),
          EligibleText(session),
          StreamText(session),
          CountText(session.inflight_count()),
          CountText(session.queued_request_count()),
          HeardText(session, now_micros),
          DrainText(session, now_micros),
          session.software_version(),
          session.session_id()};
}

Json SessionJson(const SessionStatus& session) {
  const auto word = [](auto value) { return static_cast<int>(value) == 0 ? Json(nullptr) : Json(EnumWord(value)); };
  Json json;
  json["kind"] = EnumWord(session.kind());
  json["member_id"] = session.member_id();
  json["instance_id"] = session.instance_id();
  json["session_id"] = session.session_id();
  json["zone"] = TextJson(session.zone());
  json["state"] = EnumWord(session.state());
  json["draining"] = session.draining();
  json["eligible"] = session.eligible();
  json["attached"] = session.attached();
  json["runtime_fenced"] = session.runtime_fenced();
  json["inflight_count"] = session.inflight_count();
  json["queued_request_count"] = session.queued_request_count();
  json["owned_proxies"] = session.owned_proxies();
  json["ownership_epoch"] = session.ownership_epoch();
  json["accepted_version"] = session.accepted_version();
  json["issued_version"] = session.issued_version();
  json["sync"] = word(session.sync());
  json["opened_at"] = TimeJson(session.has_opened_at(), session.opened_at());
  json["last_heartbeat_at"] = TimeJson(session.has_last_heartbeat_at(), session.last_heartbeat_at());
  json["expires_at"] = TimeJson(session.has_expires_at(), session.expires_at());
  json["drain_started_at"] = TimeJson(session.has_drain_started_at(), session.drain_started_at());
  json["drain_deadline_at"] = TimeJson(session.has_drain_deadline_at(), session.drain_deadline_at());
  json["drain_reason"] = word(session.drain_reason());
  json["close_reason"] = word(session.close_reason());
  json["reconnect_attempt"] = session.reconnect_attempt();
  json["peer"] = TextJson(session.peer());
  json["software_version"] = TextJson(session.software_version());
  json["outcomes_dropped"] = session.outcomes_dropped();
  return json;
}

}  // namespace holdfast::cli
