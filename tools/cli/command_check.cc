#include "tools/cli/command_check.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/cli/call.h"
#include "tools/cli/check_text.h"
#include "tools/cli/command_options.h"
#include "tools/cli/status_line.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

// A task may take 12 s by the usual settings, and waits for a free slot before that.
constexpr std::chrono::seconds kCheckDeadline{60};

struct CheckOptions {
  std::string proxy_id;
  std::string level;
  std::string routing_id;
};

Result RunCheck(Invocation& invocation, const CheckOptions& options) {
  admin::v1::CheckProxyRequest request;
  request.set_proxy_id(options.proxy_id);
  request.set_level(*ParseEnumWord<controlplane::v1::CheckLevel>(options.level));
  request.set_routing_id(options.routing_id);
  const bool is_target = request.level() == controlplane::v1::CHECK_LEVEL_TARGET;
  if (is_target == options.routing_id.empty()) {
    return Result::CouldNotRun(
        is_target ? "check: --level target asks for the target of a routing. Name it with "
                    "--routing; `holdfast routings list` shows them."
                  : "check: --routing goes with --level target only. Leave it out, or ask for target.");
  }
  invocation.AllowUnlessGiven(kCheckDeadline);
  StatusLine line(invocation.environment);
  if (!invocation.json) {
    line.Show("waiting for the " + CheckName(request) + ", at most " + DurationText(invocation.deadline.count()));
  }
  admin::v1::CheckProxyResponse answer;
  const Result called = CallOnce(invocation, "CheckProxy", [&](grpc::ClientContext* context) {
    return invocation.server.pool().CheckProxy(context, request, &answer);
  });
  line.End();
  if (!called.ok()) return called;
  std::ostream& out = invocation.environment.out;
  if (invocation.json) {
    out << JsonText(CheckJson(request, answer)) << '\n';
  } else {
    WriteCheck(out, request, answer, invocation.environment.now_micros());
  }
  return CheckVerdict(request, answer);
}

}  // namespace

void AddCheckCommand(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("check", "Have one proxy checked now; waits for up to 60s unless --deadline says otherwise");
  auto options = std::make_shared<CheckOptions>();
  command->add_option("PROXY", options->proxy_id, "Which")->required();
  AddEnumOption<controlplane::v1::CheckLevel>(*command, "--level", options->level, "What is asked of it")->required();
  command->add_option("--routing", options->routing_id, "Whose target; with --level target")->type_name("ROUTING");
  command->callback(
      [&chosen, options] { chosen = [options](Invocation& invocation) { return RunCheck(invocation, *options); }; });
}

}  // namespace holdfast::cli
