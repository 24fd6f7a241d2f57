#include "tools/cli/command_sessions.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/cli/command_options.h"
#include "tools/cli/session_list.h"
#include "tools/cli/session_text.h"

namespace holdfast::cli {
namespace {

struct SessionsOptions {
  std::string kind;
  std::vector<std::string> members;
  bool closed = false;
  bool wide = false;
};

Result RunSessions(Invocation& invocation, const SessionsOptions& options) {
  admin::v1::ListSessionsRequest request;
  if (!options.kind.empty()) request.set_kind(*ParseEnumWord<controlplane::v1::SessionKind>(options.kind));
  request.set_include_closed(options.closed);
  for (const std::string& member : options.members) request.add_member_ids(member);
  const bool wide = options.wide;
  return ListSessions(invocation, request,
                      {.json_name = "sessions",
                       .noun = "session(s)",
                       .columns = SessionColumns(wide),
                       .cells = [wide](const admin::v1::SessionStatus& session, std::int64_t now_micros) {
                         return SessionCells(session, wide, now_micros);
                       }});
}

}  // namespace

void AddSessionsCommand(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("sessions", "Who is registered, in which state, with how many proxies");
  auto options = std::make_shared<SessionsOptions>();
  AddEnumOption<controlplane::v1::SessionKind>(*command, "--kind", options->kind, "Only this kind of member");
  command->add_option("--member", options->members, "Only this member (may be given again)")->type_name("ID");
  command->add_flag("--closed", options->closed, "The closed ones that are remembered as well");
  command->add_flag("--wide", options->wide, "More columns than a usual terminal has room for");
  command->callback(
      [&chosen, options] { chosen = [options](Invocation& invocation) { return RunSessions(invocation, *options); }; });
}

}  // namespace holdfast::cli
