#include "tools/cli/command_alarms.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/cli/alarm_text.h"
#include "tools/cli/call.h"
#include "tools/cli/command_options.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/table.h"

namespace holdfast::cli {
namespace {

using admin::v1::ListAlarmsResponse;

struct ClearOptions {
  std::string kind;
  std::string subject;
  std::string reason;
};

Result RunListAlarms(Invocation& invocation) {
  ListAlarmsResponse response;
  const Result called = CallOnce(invocation, "ListAlarms", [&](grpc::ClientContext* context) {
    return invocation.server.fleet().ListAlarms(context, admin::v1::ListAlarmsRequest(), &response);
  });
  if (!called.ok()) return called;
  std::ostream& out = invocation.environment.out;
  if (invocation.json) {
    JsonList list(out, "alarms");
    for (const auto& alarm : response.alarms()) list.Add(AlarmJson(alarm));
    list.Finish(Json::object());
    return Result::Done();
  }
  if (response.alarms().empty()) {
    out << "no alarm stands\n";
    return Result::Done();
  }
  Table table(out, AlarmColumns());
  for (const auto& alarm : response.alarms()) table.Add(AlarmCells(alarm, invocation.environment.now_micros()));
  table.Finish(true);
  out << "\n" << table.rows() << " alarm(s)\n";
  return Result::Done();
}

Result RunClearAlarm(Invocation& invocation, const ClearOptions& options) {
  admin::v1::ClearAlarmRequest request;
  request.set_kind(*ParseEnumWord<admin::v1::AlarmKind>(options.kind));
  request.set_subject(options.subject);
  request.set_reason(options.reason);
  admin::v1::ClearAlarmResponse response;
  const Result called = CallOnce(invocation, "ClearAlarm", [&](grpc::ClientContext* context) {
    return invocation.server.fleet().ClearAlarm(context, request, &response);
  });
  if (!called.ok()) return called;
  const std::string of = options.subject.empty() ? "" : " of " + PrintableText(options.subject);
  const std::string alarm = "alarm " + EnumWord(request.kind()) + of;
  if (invocation.json) {
    const Json json = {{"cleared", response.cleared()}, {"log_sequence", response.log_sequence()}};
    invocation.environment.out << JsonText(json) << '\n';
  } else if (response.cleared()) {
    invocation.environment.out << alarm << " is cleared; log sequence " << response.log_sequence() << '\n';
  }
  if (response.cleared()) return Result::Done();
  return Result::Fail(ExitCode::kFoundWanting,
                      "no " + alarm +
                          " stands: nothing was cleared. `holdfast alarms` shows those that do, each with "
                          "its subject.");
}

}  // namespace

void AddAlarmsCommand(CLI::App& app, Action& chosen) {
  CLI::App* list = app.add_subcommand("alarms", "The alarms that stand, or clear one");
  CLI::App* clear = list->add_subcommand("clear", "End an alarm; that mends nothing by itself");
  auto options = std::make_shared<ClearOptions>();
  AddEnumOption<admin::v1::AlarmKind>(*clear, "KIND", options->kind, "Which kind")->required();
  clear->add_option("SUBJECT", options->subject,
                    "Of whom or what, where the kind has one: as `holdfast alarms` shows it");
  clear->add_option("--reason", options->reason, "Why, for the log")->required()->type_name("TEXT");
  clear->callback([&chosen, options] {
    chosen = [options](Invocation& invocation) { return RunClearAlarm(invocation, *options); };
  });
  list->callback([&chosen, list] {
    if (list->get_subcommands().empty()) chosen = RunListAlarms;
  });
}

}  // namespace holdfast::cli
