#include "tools/cli/command_clock.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/cli/alarm_text.h"
#include "tools/cli/call.h"
#include "tools/cli/clock_text.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using admin::v1::Alarm;
using audit::v1::GetStatusResponse;

Result FindAlarm(Invocation& invocation, std::optional<Alarm>& found) {
  admin::v1::ListAlarmsResponse alarms;
  const Result called = CallOnce(invocation, "ListAlarms", [&](grpc::ClientContext* context) {
    return invocation.server.fleet().ListAlarms(context, admin::v1::ListAlarmsRequest(), &alarms);
  });
  for (const Alarm& alarm : alarms.alarms()) {
    if (alarm.kind() == admin::v1::ALARM_KIND_CLOCK_JUMPED) found = alarm;
  }
  return called;
}

void WriteClock(std::ostream& out, const GetStatusResponse& status, const std::optional<Alarm>& alarm) {
  const std::int64_t log_time = ToMicros(status.log_time());
  out << "log clock  " << TimeText(log_time) << ", " << ClockText(ToMicros(status.clock_offset())) << '\n';
  if (!alarm) {
    out << "alarm      none\n";
    return;
  }
  out << "alarm      since " << TimeWithAge(ToMicros(alarm->raised_at()), log_time) << ": "
      << PrintableText(alarm->detail()) << " (" << PrintableText(alarm->runbook()) << ")\n";
}

Result RunStatus(Invocation& invocation) {
  GetStatusResponse status;
  const Result called = CallOnce(invocation, "GetStatus", [&](grpc::ClientContext* context) {
    return invocation.server.audit().GetStatus(context, audit::v1::GetStatusRequest(), &status);
  });
  if (!called.ok()) return called;
  std::optional<Alarm> alarm;
  if (const Result listed = FindAlarm(invocation, alarm); !listed.ok()) return listed;
  std::ostream& out = invocation.environment.out;
  if (!invocation.json) {
    WriteClock(out, status, alarm);
    return Result::Done();
  }
  Json json;
  json["log_time"] = TimeJson(status.has_log_time(), status.log_time());
  json["clock_offset_ms"] = ToMicros(status.clock_offset()) / 1000;
  json["alarm"] = alarm ? AlarmJson(*alarm) : Json(nullptr);
  out << JsonText(json) << '\n';
  return Result::Done();
}

Result RunAccept(Invocation& invocation, const std::string& reason) {
  admin::v1::AcceptClockRequest request;
  request.set_reason(reason);
  admin::v1::AcceptClockResponse response;
  const Result called = CallOnce(invocation, "AcceptClock", [&](grpc::ClientContext* context) {
    return invocation.server.fleet().AcceptClock(context, request, &response);
  });
  if (!called.ok()) return called;
  const std::int64_t moved = ToMicros(response.moved());
  if (invocation.json) {
    const Json json = {{"moved_ms", moved / 1000}, {"log_sequence", response.log_sequence()}};
    invocation.environment.out << JsonText(json) << '\n';
  } else {
    invocation.environment.out << "the log clock moved forward by " << DurationText(moved)
                               << ", and every deadline of members with it; log sequence " << response.log_sequence()
                               << '\n';
  }
  return Result::Done();
}

}  // namespace

void AddClockCommand(CLI::App& app, Action& chosen) {
  CLI::App* clock = app.add_subcommand("clock", "The log's clock beside the wall clock: status, accept");
  clock->require_subcommand(1);
  CLI::App* status = clock->add_subcommand("status", "How far the two are apart, and whether that is an alarm");
  status->callback([&chosen] { chosen = RunStatus; });

  CLI::App* accept =
      clock->add_subcommand("accept", "Move the log's clock forward to the wall clock, deadlines and all");
  auto reason = std::make_shared<std::string>();
  accept->add_option("--reason", *reason, "Why, for the log")->required()->type_name("TEXT");
  accept->callback(
      [&chosen, reason] { chosen = [reason](Invocation& invocation) { return RunAccept(invocation, *reason); }; });
}

}  // namespace holdfast::cli
