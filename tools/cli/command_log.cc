#include "tools/cli/command_log.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>

#include "client/call_result.h"
#include "tools/cli/call.h"
#include "tools/cli/log_text.h"
#include "tools/cli/retry_wait.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using audit::v1::ReadLogRequest;
using audit::v1::ReadLogResponse;

struct LogOptions {
  std::uint64_t from = 0;
  bool follow = false;
  std::string proxy;
  std::string member;
  std::string session;
  std::vector<std::string> kinds;
};

ReadLogRequest ToRequest(const LogOptions& options) {
  ReadLogRequest request;
  request.set_from_sequence(options.from);
  request.set_follow(options.follow);
  request.set_proxy_id(options.proxy);
  request.set_member_id(options.member);
  request.set_session_id(options.session);
  for (const std::string& kind : options.kinds) request.add_kinds(kind);
  return request;
}

void WriteLines(Invocation& invocation, const ReadLogResponse& response) {
  std::ostream& out = invocation.environment.out;
  for (const audit::v1::LogLine& line : response.lines()) {
    out << (invocation.json ? JsonText(LogLineJson(line)) : LogLineText(line)) << '\n';
  }
  out.flush();  // whoever follows waits for each line
}

bool WasCutOff(const grpc::Status& status) {
  const auto detail = client::ParseErrorDetail(status.error_details());
  return detail && detail->reason() == controlplane::v1::REJECT_REASON_SLOW_READER;
}

// One stream, to its end. Moves `next` to the sequence that would come next.
StreamEnd ReadOnce(Invocation& invocation, ReadLogRequest request, std::uint64_t& next, RetryWait& retry) {
  if (next > 0) request.set_from_sequence(next);
  const std::optional<std::chrono::microseconds> silence =
      request.follow() ? std::nullopt : std::optional(invocation.deadline);
  return ReadStream<ReadLogResponse>(
      invocation, silence,
      [&](grpc::ClientContext* context) { return invocation.server.audit().ReadLog(context, request); },
      [&](const ReadLogResponse& response) {
        WriteLines(invocation, response);
        for (const auto& line : response.lines()) next = std::max(next, line.sequence() + 1);
        next = std::max(next, response.next_sequence());
        retry.Progress();
        return invocation.environment.out.good();
      });
}

Result RunLog(Invocation& invocation, const LogOptions& options) {
  RetryWait retry(invocation.environment, std::nullopt);
  std::uint64_t next = 0;
  while (true) {
    const StreamEnd ended = ReadOnce(invocation, ToRequest(options), next, retry);
    if (ended.enough) return Result::Done();
    if (ended.end == CallEnd::kInterrupted && options.follow) return Result::Done();
    if (ended.status.ok() && !options.follow) return Result::Done();
    // A stream that never brought anything is worth no waiting: the person should hear why.
    const bool go_on =
        next > 0 && ended.end == CallEnd::kByItself &&
        (WasCutOff(ended.status) || (options.follow && (ended.status.ok() || MayHelpToRetry(ended.status))));
    if (!go_on) {
      if (ended.status.ok()) return Result::Done();
      return CallFailure(invocation, "ReadLog", ended.status, ended.end);
    }
    invocation.environment.error << "holdfast: the log stream ended; going on at sequence " << next << '\n';
    if (!retry.Wait()) return Result::Done();
    invocation.server.Reconnect();
  }
}

}  // namespace

void AddLogCommand(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("log", "What was heard and what was decided, entry by entry");
  auto options = std::make_shared<LogOptions>();
  command->add_option("--from", options->from, "Begin at this sequence; 0: the first kept")->type_name("SEQUENCE");
  command->add_flag("--follow", options->follow, "Go on with new entries until Ctrl-C");
  command->add_option("--proxy", options->proxy, "Only what concerns this proxy")->type_name("ID");
  command->add_option("--member", options->member, "Only what concerns this member")->type_name("ID");
  command->add_option("--session", options->session, "Only what concerns this session")->type_name("ID");
  command->add_option("--kind", options->kinds, "Only this kind: register_worker, tick, ... (may be given again)")
      ->type_name("KIND");
  command->callback(
      [&chosen, options] { chosen = [options](Invocation& invocation) { return RunLog(invocation, *options); }; });
}

}  // namespace holdfast::cli
