#include "tools/cli/session_list.h"

#include <ostream>

#include "tools/cli/call.h"
#include "tools/cli/session_text.h"

namespace holdfast::cli {
namespace {

using admin::v1::ListSessionsRequest;
using admin::v1::ListSessionsResponse;
using admin::v1::SessionStatus;

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

}  // namespace

Result ListSessions(Invocation& invocation, const ListSessionsRequest& request, const SessionListForm& form) {
  std::ostream& out = invocation.environment.out;
  std::uint64_t sequence = 0;
  if (invocation.json) {
    JsonList list(out, form.json_name);
    const auto add = [&list](const SessionStatus& session) { list.Add(SessionJson(session)); };
    const Result called = ForEachSession(invocation, request, add, sequence);
    if (called.ok()) list.Finish({{"as_of_sequence", sequence}});
    return called;
  }
  Table table(out, form.columns);
  const std::int64_t now = invocation.environment.now_micros();
  const auto add = [&](const SessionStatus& session) { table.Add(form.cells(session, now)); };
  const Result called = ForEachSession(invocation, request, add, sequence);
  table.Finish(called.ok());
  if (called.ok()) out << "\n" << table.rows() << " " << form.noun << ", as of sequence " << sequence << '\n';
  return called;
}

}  // namespace holdfast::cli
