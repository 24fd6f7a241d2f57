#include "tools/cli/command_checkers.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/cli/session_list.h"
#include "tools/cli/session_text.h"

namespace holdfast::cli {
namespace {

Result RunCheckers(Invocation& invocation, bool all) {
  admin::v1::ListSessionsRequest request;
  request.set_kind(controlplane::v1::SESSION_KIND_CHECKER);
  request.set_include_closed(all);
  return ListSessions(
      invocation, request,
      {.json_name = "checkers", .noun = "checker(s)", .columns = CheckerColumns(), .cells = CheckerCells});
}

}  // namespace

void AddCheckersCommand(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("checkers", "Who checks proxies, in which state, with how many tasks");
  auto all = std::make_shared<bool>(false);
  command->add_flag("--all", *all, "Those whose session is closed as well");
  command->callback(
      [&chosen, all] { chosen = [all](Invocation& invocation) { return RunCheckers(invocation, *all); }; });
}

}  // namespace holdfast::cli
