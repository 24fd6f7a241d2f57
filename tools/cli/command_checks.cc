#include "tools/cli/command_checks.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/cli/call.h"
#include "tools/cli/checks_text.h"
#include "tools/cli/command_options.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/table.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using admin::v1::ListChecksRequest;
using admin::v1::ListChecksResponse;
using admin::v1::ProxyHealth;

constexpr std::chrono::hours kLongestUnchecked{24 * 365};

struct ChecksOptions {
  std::vector<std::string> proxy_ids;
  std::string level;
  std::string state;
  std::string unchecked_for;
  std::uint64_t limit = 0;
};

ListChecksRequest ToRequest(const ChecksOptions& options) {
  ListChecksRequest request;
  for (const auto& id : options.proxy_ids) request.add_proxy_ids(id);
  if (!options.level.empty()) request.set_level(*ParseEnumWord<controlplane::v1::CheckLevel>(options.level));
  if (!options.state.empty()) request.set_state(*ParseEnumWord<admin::v1::HealthState>(options.state));
  if (!options.unchecked_for.empty()) {
    *request.mutable_unchecked_for() = ToDuration(*ParseDurationOrZero(options.unchecked_for));
  }
  request.set_limit(options.limit);
  return request;
}

template <class Consume>
Result ForEachProxy(Invocation& invocation, const ChecksOptions& options, Consume consume, std::uint64_t& sequence) {
  const ListChecksRequest request = ToRequest(options);
  return CallStream<ListChecksResponse>(
      invocation, "ListChecks",
      [&](grpc::ClientContext* context) { return invocation.server.pool().ListChecks(context, request); },
      [&](const ListChecksResponse& response) {
        for (const ProxyHealth& proxy : response.proxies()) consume(proxy);
        sequence = response.as_of_sequence();
        return invocation.environment.out.good();
      });
}

Result RunChecks(Invocation& invocation, const ChecksOptions& options) {
  std::ostream& out = invocation.environment.out;
  std::uint64_t sequence = 0;
  if (invocation.json) {
    JsonList list(out, "proxies");
    const Result called = ForEachProxy(
        invocation, options, [&](const ProxyHealth& proxy) { list.Add(ProxyHealthJson(proxy)); }, sequence);
    if (called.ok()) list.Finish({{"as_of_sequence", sequence}});
    return called;
  }
  Table table(out, CheckColumns());
  CheckTally tally;
  const std::int64_t now = invocation.environment.now_micros();
  const auto add = [&](const ProxyHealth& proxy) {
    tally.AddProxy();
    for (const auto& check : proxy.health()) {
      tally.AddCheck(proxy.proxy_id(), check);
      table.Add(CheckCells(proxy.proxy_id(), check, now));
    }
  };
  const Result called = ForEachProxy(invocation, options, add, sequence);
  table.Finish(called.ok());
  if (called.ok()) out << "\n" << PrintableText(tally.Summary(now)) << "; as of sequence " << sequence << '\n';
  return called;
}

}  // namespace

void AddChecksCommand(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("checks", "What checks have found of each proxy, level by level, and when");
  auto options = std::make_shared<ChecksOptions>();
  command->add_option("--proxy", options->proxy_ids, "Only this proxy (may be given again)")->type_name("ID");
  AddEnumOption<controlplane::v1::CheckLevel>(*command, "--level", options->level, "Only this level");
  AddEnumOption<admin::v1::HealthState>(*command, "--state", options->state, "Only checks in this state");
  command->add_option("--unchecked-for", options->unchecked_for, "Only what was not observed for so long")
      ->type_name("TIME")
      ->check(TimeUpTo(kLongestUnchecked));
  command->add_option("--limit", options->limit, "At most so many; 0: all")->type_name("N");
  command->callback(
      [&chosen, options] { chosen = [options](Invocation& invocation) { return RunChecks(invocation, *options); }; });
}

}  // namespace holdfast::cli
