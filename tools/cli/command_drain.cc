#include "tools/cli/command_drain.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "tools/cli/call.h"
#include "tools/cli/command_options.h"
#include "tools/cli/drain_monitor.h"
#include "tools/cli/drain_text.h"
#include "tools/cli/enum_word.h"
#include "tools/cli/member_option.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using admin::v1::DrainProgress;
using admin::v1::DrainSessionRequest;
using admin::v1::DrainSessionResponse;

struct DrainOptions {
  MemberOption member;
  std::string grace;  // empty: the configured one
  bool no_deadline = false;
  bool keep_eligible = false;
  bool detach = false;
  bool watch = false;
  std::string reason;
  std::string session;
};

DrainSessionRequest ToRequest(const DrainOptions& options) {
  DrainSessionRequest request;
  request.set_kind(options.member.session_kind());
  request.set_member_id(options.member.id);
  if (!options.grace.empty()) *request.mutable_grace() = ToDuration(*ParseDurationOrZero(options.grace));
  request.set_reason(options.reason);
  request.set_keep_eligible(options.keep_eligible);
  request.set_expected_session_id(options.session);
  request.set_no_deadline(options.no_deadline);
  return request;
}

bool IsClosed(const admin::v1::SessionStatus& session) {
  return session.state() == controlplane::v1::SESSION_STATE_CLOSED;
}

// What the answer says of the drain, before anybody looked on.
DrainProgress BeginOf(const DrainSessionResponse& answer) {
  DrainProgress progress;
  *progress.mutable_session() = answer.session();
  progress.set_proxies_left(answer.session().owned_proxies());
  progress.set_requests_left(answer.session().inflight_count());
  progress.set_done(IsClosed(answer.session()));
  return progress;
}

void WriteAnswer(Invocation& invocation, const DrainOptions& options, const DrainSessionResponse& answer) {
  std::ostream& out = invocation.environment.out;
  const std::string& member = answer.session().member_id();
  if (IsClosed(answer.session())) {
    out << PrintableText(member)
        << " has no open session; its last one was closed: " << EnumWord(answer.session().close_reason()) << '\n';
  } else {
    out << PrintableText(DrainAnswerText(answer, invocation.environment.now_micros())) << '\n';
  }
  if (!options.keep_eligible) {
    out << "Later sessions of it are given nothing until `holdfast uncordon "
        << PrintableText(MemberWords(options.member.session_kind(), member)) << "`.\n";
  }
  out.flush();
}

Result Detach(Invocation& invocation, const DrainOptions& options, const DrainSessionResponse& answer) {
  std::ostream& out = invocation.environment.out;
  if (invocation.json) {
    out << JsonText(DrainAnswerJson(answer)) << '\n';
  } else if (!IsClosed(answer.session())) {
    out << "`holdfast drain " << PrintableText(MemberWords(options.member.session_kind(), answer.session().member_id()))
        << " --watch` shows how far it is.\n";
  }
  return Result::Done();
}

// To the end, or until nobody looks any more; the object of --json is printed in either case.
Result LookOn(Invocation& invocation, const DrainOptions& options, const std::optional<DrainSessionResponse>& answer) {
  const DrainProgress begin = answer ? BeginOf(*answer) : DrainProgress();
  DrainMonitor monitor(invocation, options.member, answer ? answer->session().session_id() : options.session, begin);
  const Result watched = monitor.Watch();
  const DrainProgress& end = monitor.progress();
  if (invocation.json && (answer || end.has_session())) {
    invocation.environment.out << JsonText(DrainJson(answer, end)) << '\n';
  }
  if (!watched.ok()) return watched;
  if (!invocation.json) invocation.environment.out << PrintableText(DrainEndText(end)) << '\n';
  return DrainVerdict(end);
}

Result RunDrain(Invocation& invocation, const DrainOptions& options) {
  if (options.watch) return LookOn(invocation, options, std::nullopt);
  const DrainSessionRequest request = ToRequest(options);
  DrainSessionResponse answer;
  const Result called = CallOnce(invocation, "DrainSession", [&](grpc::ClientContext* context) {
    return invocation.server.fleet().DrainSession(context, request, &answer);
  });
  if (!called.ok()) return called;
  if (!invocation.json) WriteAnswer(invocation, options, answer);
  return options.detach ? Detach(invocation, options, answer) : LookOn(invocation, options, answer);
}

}  // namespace

void AddDrainCommand(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("drain", "Have a worker or a checker give back what it has, and look on until it has");
  auto options = std::make_shared<DrainOptions>();
  AddMemberOption(*command, options->member, "Which");
  CLI::Option* grace = command->add_option("--grace", options->grace, "How long it may take; 0: at once");
  grace->type_name("TIME")->check(TimeUpTo(std::chrono::hours(24)));
  command->add_flag("--no-deadline", options->no_deadline, "It may take for ever")->excludes(grace);
  command->add_flag("--keep-eligible", options->keep_eligible, "Do not cordon it: a later session is given work");
  CLI::Option* detach = command->add_flag("--detach", options->detach, "Do not look on");
  command->add_option("--reason", options->reason, "Why, for the log")->type_name("TEXT");
  command->add_option("--session", options->session, "Only if this is its session")->type_name("SESSION");
  CLI::Option* watch =
      command->add_flag("--watch", options->watch, "Look on at a drain that is under way; ask nothing");
  for (const char* name : {"--grace", "--no-deadline", "--keep-eligible", "--reason"}) {
    watch->excludes(command->get_option(name));
  }
  watch->excludes(detach);
  command->callback(
      [&chosen, options] { chosen = [options](Invocation& invocation) { return RunDrain(invocation, *options); }; });
}

}  // namespace holdfast::cli
