#include "tools/cli/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <optional>
#include <ostream>

#include "tools/cli/command_alarms.h"
#include "tools/cli/command_audit.h"
#include "tools/cli/command_check.h"
#include "tools/cli/command_checkers.h"
#include "tools/cli/command_checks.h"
#include "tools/cli/command_clock.h"
#include "tools/cli/command_completion.h"
#include "tools/cli/command_cordon.h"
#include "tools/cli/command_drain.h"
#include "tools/cli/command_extract.h"
#include "tools/cli/command_fence.h"
#include "tools/cli/command_import.h"
#include "tools/cli/command_log.h"
#include "tools/cli/command_pool.h"
#include "tools/cli/command_proxies.h"
#include "tools/cli/command_reclaim.h"
#include "tools/cli/command_release.h"
#include "tools/cli/command_routings.h"
#include "tools/cli/command_sessions.h"
#include "tools/cli/command_status.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/time_text.h"
#include "tools/cli/version.h"

namespace holdfast::cli {
namespace {

constexpr const char* kServerVariable = "HOLDFAST_SERVER";
constexpr const char* kDefaultServer = "127.0.0.1:7443";

constexpr const char* kFooter =
    "\nExit codes, the same for every program of the house:\n"
    "  0 done    1 found wanting, or with rejections    2 usage, or could not run\n"
    "  3 unreachable    4 refused    5 deadline\n"
    "\nholdfast COMMAND --help says more about each. Tables are for people; --json is for programs, and its forms\n"
    "stand in docs/schemas.";

struct GlobalOptions {
  std::optional<std::string> server;
  bool json = false;
  std::string deadline = "10s";
  const CLI::Option* deadline_option = nullptr;  // whether it was given
};

void AddGlobalOptions(CLI::App& app, GlobalOptions& options) {
  app.add_option_function<std::string>(
         "--server", [&options](const std::string& server) { options.server = server; },
         std::string("Where the daemon listens; else ") + kServerVariable + ", else " + kDefaultServer)
      ->type_name("HOST:PORT");
  app.add_flag("--json", options.json, "JSON for programs in place of a table for people");
  options.deadline_option = app.add_option("--deadline", options.deadline,
                                           "How long an answer may take; of a stream, how long it may be silent")
                                ->type_name("TIME")
                                ->capture_default_str();
  app.set_version_flag("--version", std::string("holdfast ") + kVersion, "Print the version and exit");
}

void AddCommands(CLI::App& app, Action& chosen) {
  AddStatusCommand(app, chosen);
  AddImportCommand(app, chosen);
  AddProxiesCommand(app, chosen);
  AddRoutingsCommand(app, chosen);
  AddSessionsCommand(app, chosen);
  AddCheckersCommand(app, chosen);
  AddChecksCommand(app, chosen);
  AddCheckCommand(app, chosen);
  AddDrainCommand(app, chosen);
  AddFenceCommand(app, chosen);
  AddReclaimCommand(app, chosen);
  AddCordonCommands(app, chosen);
  AddExtractCommand(app, chosen);
  AddReleaseCommand(app, chosen);
  AddPoolCommand(app, chosen);
  AddAlarmsCommand(app, chosen);
  AddClockCommand(app, chosen);
  AddLogCommand(app, chosen);
  AddAuditCommand(app, chosen);
  AddCompletionCommand(app, chosen);
}

// "proxies remove: ", as far as the command line was understood.
std::string Where(const CLI::App& app) {
  std::string path;
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    path += (path.empty() ? "" : " ") + at->get_name();
  }
  return path.empty() ? "" : path + ": ";
}

// Help, version, or a mistake: CLI11 tells all three by an exception.
Result EndOfParsing(const CLI::App& app, const CLI::ParseError& end, std::ostream& out) {
  if (dynamic_cast<const CLI::CallForHelp*>(&end) != nullptr) {
    out << app.help();
    return Result::Done();
  }
  if (dynamic_cast<const CLI::CallForVersion*>(&end) != nullptr) {
    out << end.what() << '\n';
    return Result::Done();
  }
  const std::vector<std::string> unknown = app.remaining();
  if (app.get_subcommands().empty() && !unknown.empty()) {
    return Result::CouldNotRun("\"" + PrintableText(unknown.front()) + "\" is no command and no option of holdfast." +
                               "\nRun `holdfast --help`, or `holdfast COMMAND --help`.");
  }
  return Result::CouldNotRun(Where(app) + end.what() + "\nRun `holdfast --help`, or `holdfast COMMAND --help`.");
}

Result RunChosen(const GlobalOptions& options, const Action& chosen, Environment& environment) {
  const std::string server =
      options.server.value_or(environment.variable(kServerVariable).value_or(std::string(kDefaultServer)));
  std::string error;
  const std::optional<ServerAddress> address = ServerAddress::Parse(server, error);
  if (!address)
    return Result::CouldNotRun((options.server ? "--server: " : std::string(kServerVariable) + ": ") + error);
  const std::optional<std::int64_t> deadline = ParseDuration(options.deadline);
  if (!deadline) {
    return Result::CouldNotRun("--deadline: \"" + options.deadline + "\" is no time. Write 500ms, 10s or 2m.");
  }
  ServerConnection connection(*address);
  Invocation invocation{environment, connection, options.json, std::chrono::microseconds(*deadline),
                        options.deadline_option->count() > 0};
  return chosen(invocation);
}

Result ParseAndRun(const std::vector<std::string>& arguments, Environment& environment) {
  CLI::App app("holdfast: the command line of the Holdfast controller, for operators and clients", "holdfast");
  GlobalOptions options;
  Action chosen;
  app.fallthrough();
  app.require_subcommand(1);
  app.footer(kFooter);
  AddGlobalOptions(app, options);
  AddCommands(app, chosen);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 reads from the back
  } catch (const CLI::ParseError& end) {
    return EndOfParsing(app, end, environment.out);
  }
  return RunChosen(options, chosen, environment);
}

}  // namespace

ExitCode RunCli(const std::vector<std::string>& arguments, Environment& environment) {
  Result result;
  try {
    result = ParseAndRun(arguments, environment);
  } catch (const std::exception& fault) {
    result = Result::CouldNotRun(std::string("failed inside: ") + fault.what() +
                                 ". This is a fault of the program; what it had printed before stands.");
  }
  environment.out.flush();
  if (!result.error.empty()) environment.error << "holdfast: " << result.error << '\n';
  environment.error.flush();
  return result.code;
}

}  // namespace holdfast::cli
