#include "tools/cli/command_status.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/cli/call.h"
#include "tools/cli/status_text.h"

namespace holdfast::cli {
namespace {

Result RunStatus(Invocation& invocation, bool check) {
  audit::v1::GetStatusResponse status;
  const Result called = CallOnce(invocation, "GetStatus", [&](grpc::ClientContext* context) {
    return invocation.server.audit().GetStatus(context, audit::v1::GetStatusRequest(), &status);
  });
  if (!called.ok()) return called;
  std::ostream& out = invocation.environment.out;
  const std::string& server = invocation.server.address().text();
  if (invocation.json) {
    out << JsonText(StatusJson(server, status)) << '\n';
  } else {
    WriteStatus(out, server, status);
  }
  const std::string fault = check ? StatusFault(status) : "";
  if (fault.empty()) return Result::Done();
  return Result::Fail(ExitCode::kFoundWanting, "holdfastd at " + server + " is not well: " + fault +
                                                   ". `holdfast status` shows more, `holdfast log` what led to it.");
}

}  // namespace

void AddStatusCommand(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("status", "One screen: whether it serves, and how it is");
  auto check = std::make_shared<bool>(false);
  command->add_flag("--check", *check,
                    "End with 1 when it does not serve, holds off, has an alarm, or its pool store is away");
  command->callback(
      [&chosen, check] { chosen = [check](Invocation& invocation) { return RunStatus(invocation, *check); }; });
}

}  // namespace holdfast::cli
