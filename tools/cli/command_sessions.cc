#include "tools/cli/command_sessions.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "tools/cli/call.h"
#include "tools/cli/command_options.h"
#include "tools/cli/enum_word.h"
#include "tools/cli/session_text.h"

namespace holdfast::cli {
namespace {

using admin::v1::ListSessionsRequest;
using admin::v1::ListSessionsResponse;
using admin::v1::SessionStatus;

struct Options {
  std::string kind;
  std::vector<std::string> members;
  bool closed = false;
  bool wide = false;
};

// Every page, in order. `sequence` is set to that of the last.
Result ForEachSession(Invocation& invocation, ListSessionsRequest request,
                      const std::function<void(const SessionStatus&)>& consume, std::uint64_t& sequence) {
  do {
    ListSessionsResponse page;
    const Result called = CallOnce(invocation, "ListSessions", [&](grpc::ClientContext* context) {
      return invocation.server.fleet().ListSessions(context, request, &page);
    });
    if (!called.ok()) return called;
    for (const SessionStatus& session : page.sessions()) consume(session);
    sequence = page.as_of_sequence();
    if (page.next_page_token() == request.page_token()) break;
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return Result::Done();
}

Result RunSessions(Invocation& invocation, const Options& options) {
  ListSessionsRequest request;
  if (!options.kind.empty()) request.set_kind(*ParseEnumWord<controlplane::v1::SessionKind>(options.kind));
  request.set_include_closed(options.closed);
  for (const std::string& member : options.members) request.add_member_ids(member);

  std::ostream& out = invocation.environment.out;
  std::uint64_t sequence = 0;
  if (invocation.json) {
    JsonList list(out, "sessions");
    const auto add = [&list](const SessionStatus& session) { list.Add(SessionJson(session)); };
    const Result called = ForEachSession(invocation, std::move(request), add, sequence);
    if (called.ok()) list.Finish({{"as_of_sequence", sequence}});
    return called;
  }
  Table table(out, SessionColumns(options.wide));
  const std::int64_t now = invocation.environment.now_micros();
  const auto add = [&](const SessionStatus& session) { table.Add(SessionCells(session, options.wide, now)); };
  const Result called = ForEachSession(invocation, std::move(request), add, sequence);
  table.Finish(called.ok());
  if (called.ok()) out << "\n" << table.rows() << " session(s), as of sequence " << sequence << '\n';
  return called;
}

}  // namespace

void AddSessionsCommand(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("sessions", "Who is registered, in which state, with how many proxies");
  auto options = std::make_shared<Options>();
  AddEnumOption<controlplane::v1::SessionKind>(*command, "--kind", options->kind, "Only this kind of member");
  command->add_option("--member", options->members, "Only this member (may be given again)")->type_name("ID");
  command->add_flag("--closed", options->closed, "The closed ones that are remembered as well");
  command->add_flag("--wide", options->wide, "More columns than a usual terminal has room for");
  command->callback(
      [&chosen, options] { chosen = [options](Invocation& invocation) { return RunSessions(invocation, *options); }; });
}

}  // namespace holdfast::cli
