#include "tools/cli/drain_text.h"

#include "tools/cli/enum_word.h"
#include "tools/cli/session_text.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using admin::v1::DrainProgress;
using admin::v1::DrainSessionResponse;
using admin::v1::SessionStatus;

bool IsProven(const DrainProgress& progress) {
  return progress.done() && progress.session().close_reason() == admin::v1::CLOSE_REASON_DRAINED;
}

bool IsChecker(const SessionStatus& session) { return session.kind() == controlplane::v1::SESSION_KIND_CHECKER; }

// Of a checker the tasks are what it has.
std::string LeftText(const DrainProgress& progress) {
  if (IsChecker(progress.session())) return CountOf(progress.requests_left(), "task", "tasks") + " left";
  return CountOf(progress.proxies_left(), "proxy", "proxies") + " and " +
         CountOf(progress.requests_left(), "request", "requests") + " left";
}

// What becomes of what was left, and where to look.
std::string AftermathText(const SessionStatus& session) {
  if (IsChecker(session)) {
    return "; the tasks that it still had are cancelled, and their checks are due again. `holdfast checkers` shows who "
           "takes them.";
  }
  const std::string& worker = session.member_id();
  return "; what it still had lapses when its time is over. `holdfast proxies --owner " + worker +
         "` shows until when, `holdfast sessions --member " + worker + "` who is there now.";
}

}  // namespace

std::string DrainAnswerText(const DrainSessionResponse& response, std::int64_t now_micros) {
  const SessionStatus& session = response.session();
  std::string text = session.member_id() + (response.already_draining() ? " was draining already" : " drains");
  if (response.already_draining() && session.has_drain_started_at()) {
    text += ", since " + TimeWithAge(ToMicros(session.drain_started_at()), now_micros);
  }
  text += session.has_drain_deadline_at()
              ? "; the deadline that stands is " + TimeWithAge(ToMicros(session.drain_deadline_at()), now_micros)
              : "; there is no deadline";
  return text + ". Session " + session.session_id() + ", log sequence " + std::to_string(response.log_sequence());
}

std::string DrainProgressText(const DrainProgress& progress) {
  std::string text = LeftText(progress);
  const SessionStatus& session = progress.session();
  text += session.has_drain_deadline_at() ? ", deadline " + TimeText(ToMicros(session.drain_deadline_at()))
                                          : ", no deadline";
  for (int i = 0; i < progress.holding_up_size(); ++i) {
    text += (i == 0 ? "; held up by " : ", ") + progress.holding_up(i);
  }
  return text;
}

std::string DrainEndText(const DrainProgress& end) {
  const SessionStatus& session = end.session();
  if (IsProven(end)) {
    return session.member_id() + (IsChecker(session) ? " is drained: it has no task left"
                                                     : " is drained: all that it had was proven released");
  }
  return session.member_id() + " is closed (" + EnumWord(session.close_reason()) + "), " + LeftText(end);
}

Result DrainVerdict(const DrainProgress& end) {
  if (IsProven(end)) return Result::Done();
  const bool forced = end.session().close_reason() == admin::v1::CLOSE_REASON_DRAIN_DEADLINE;
  const std::string how = forced ? "closed by its deadline" : "over before its drain was";
  return Result::Fail(ExitCode::kFoundWanting,
                      "the session of " + end.session().member_id() + " is " + how + AftermathText(end.session()));
}

Json DrainJson(const std::optional<DrainSessionResponse>& answer, const DrainProgress& progress) {
  Json json;
  json["session"] = SessionJson(progress.session());
  json["already_draining"] = answer ? Json(answer->already_draining()) : Json(nullptr);
  json["log_sequence"] = answer ? Json(answer->log_sequence()) : Json(nullptr);
  json["proxies_left"] = progress.proxies_left();
  json["requests_left"] = progress.requests_left();
  json["holding_up"] = Json::array();
  for (const std::string& id : progress.holding_up()) json["holding_up"].push_back(id);
  json["done"] = progress.done();
  json["proven"] = IsProven(progress);
  return json;
}

Json DrainAnswerJson(const DrainSessionResponse& answer) {
  Json json;
  json["session"] = SessionJson(answer.session());
  json["already_draining"] = answer.already_draining();
  json["log_sequence"] = answer.log_sequence();
  return json;
}

}  // namespace holdfast::cli
