#include "tools/cli/command_reclaim.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/cli/call.h"
#include "tools/cli/json_text.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/proxy_ids.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using admin::v1::ReclaimProxiesRequest;
using admin::v1::ReclaimProxiesResponse;

struct ReclaimOptions {
  std::vector<std::string> proxy_ids;
  std::string reason;
};

void WriteReclaimed(Invocation& invocation, const ReclaimProxiesResponse& total) {
  std::ostream& out = invocation.environment.out;
  if (invocation.json) {
    Json json;
    json["draining"] = total.draining();
    json["already_unowned"] = total.already_unowned();
    json["unknown_proxy_ids"] = Json::array();
    for (const auto& id : total.unknown_proxy_ids()) json["unknown_proxy_ids"].push_back(id);
    json["log_sequence"] = total.log_sequence();
    out << JsonText(json) << '\n';
    return;
  }
  out << CountText(total.draining()) << " draining, " << CountText(total.already_unowned()) << " unowned already, "
      << total.unknown_proxy_ids_size() << " unknown; log sequence " << total.log_sequence() << '\n';
  for (const auto& id : total.unknown_proxy_ids()) out << "unknown: " << PrintableText(id) << '\n';
}

Result RunReclaim(Invocation& invocation, const ReclaimOptions& options) {
  const std::vector<std::string> ids = GatherIds(invocation, options.proxy_ids);
  if (ids.empty()) return Result::CouldNotRun("reclaim: standard input named no proxy. Give one id a line.");
  ReclaimProxiesResponse total;
  const Result called = ForEachBatch<ReclaimProxiesRequest>(ids, options.reason, [&](const auto& request) {
    ReclaimProxiesResponse response;
    Result answered = CallOnce(invocation, "ReclaimProxies", [&](grpc::ClientContext* context) {
      return invocation.server.fleet().ReclaimProxies(context, request, &response);
    });
    if (!answered.ok()) return answered;
    total.set_draining(total.draining() + response.draining());
    total.set_already_unowned(total.already_unowned() + response.already_unowned());
    total.mutable_unknown_proxy_ids()->MergeFrom(response.unknown_proxy_ids());
    total.set_log_sequence(response.log_sequence());
    return answered;
  });
  // After a failure only what was done before it is worth a line.
  if (called.ok() || total.log_sequence() > 0) WriteReclaimed(invocation, total);
  if (!called.ok() || total.unknown_proxy_ids().empty()) return called;
  return Result::Fail(ExitCode::kFoundWanting, std::to_string(total.unknown_proxy_ids_size()) +
                                                   " of the proxies are not in the pool: see the list above. "
                                                   "`holdfast proxies` shows the ids that are.");
}

}  // namespace

void AddReclaimCommand(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("reclaim", "Ask back proxies from whoever owns them");
  auto options = std::make_shared<ReclaimOptions>();
  command->add_option("ID", options->proxy_ids, "Which; - reads ids from standard input, one a line")->required();
  command->add_option("--reason", options->reason, "Why, for the log")->required()->type_name("TEXT");
  command->callback(
      [&chosen, options] { chosen = [options](Invocation& invocation) { return RunReclaim(invocation, *options); }; });
}

}  // namespace holdfast::cli
