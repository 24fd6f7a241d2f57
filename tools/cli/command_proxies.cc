#include "tools/cli/command_proxies.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/cli/call.h"
#include "tools/cli/command_options.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/proxy_ids.h"
#include "tools/cli/proxy_text.h"
#include "tools/cli/table.h"

namespace holdfast::cli {
namespace {

using admin::v1::ListProxiesRequest;
using admin::v1::ListProxiesResponse;
using admin::v1::RemoveProxiesRequest;
using admin::v1::RemoveProxiesResponse;

struct ListOptions {
  std::vector<std::string> proxy_ids;
  std::vector<std::string> states;
  std::vector<std::string> ownership;
  std::string owner;
  std::vector<std::string> labels;
  std::string source;
  std::uint64_t limit = 0;
};

struct RemoveOptions {
  std::vector<std::string> proxy_ids;
  std::string reason;
};

ListProxiesRequest ToRequest(const ListOptions& options) {
  ListProxiesRequest request;
  for (const auto& id : options.proxy_ids) request.add_proxy_ids(id);
  for (const auto& word : options.states) request.add_states(*ParseEnumWord<admin::v1::PoolState>(word));
  for (const auto& word : options.ownership) {
    request.add_ownership_states(*ParseEnumWord<admin::v1::OwnershipState>(word));
  }
  for (const auto& label : options.labels) {
    const auto [key, value] = SplitKeyAndValue(label);
    (*request.mutable_labels())[key] = value;
  }
  request.set_owner_worker_id(options.owner);
  request.set_source(options.source);
  request.set_limit(options.limit);
  return request;
}

template <class Consume>
Result ForEachProxy(Invocation& invocation, const ListOptions& options, Consume consume, std::uint64_t& sequence) {
  const ListProxiesRequest request = ToRequest(options);
  return CallStream<ListProxiesResponse>(
      invocation, "ListProxies",
      [&](grpc::ClientContext* context) { return invocation.server.pool().ListProxies(context, request); },
      [&](const ListProxiesResponse& response) {
        for (const auto& proxy : response.proxies()) consume(proxy);
        sequence = response.as_of_sequence();
        return invocation.environment.out.good();
      });
}

Result RunListProxies(Invocation& invocation, const ListOptions& options) {
  std::ostream& out = invocation.environment.out;
  std::uint64_t sequence = 0;
  if (invocation.json) {
    JsonList list(out, "proxies");
    const Result called = ForEachProxy(
        invocation, options, [&](const auto& proxy) { list.Add(ProxyJson(proxy)); }, sequence);
    if (called.ok()) list.Finish({{"as_of_sequence", sequence}});
    return called;
  }
  Table table(out, ProxyColumns());
  const std::int64_t now = invocation.environment.now_micros();
  const Result called = ForEachProxy(
      invocation, options, [&](const auto& proxy) { table.Add(ProxyCells(proxy, now)); }, sequence);
  table.Finish(called.ok());
  if (called.ok()) out << "\n" << table.rows() << " proxies, as of sequence " << sequence << '\n';
  return called;
}

void WriteRemoved(Invocation& invocation, const RemoveProxiesResponse& total) {
  std::ostream& out = invocation.environment.out;
  if (invocation.json) {
    Json json;
    json["removed"] = total.removed();
    json["draining"] = total.draining();
    json["unknown_proxy_ids"] = Json::array();
    for (const auto& id : total.unknown_proxy_ids()) json["unknown_proxy_ids"].push_back(id);
    json["log_sequence"] = total.log_sequence();
    out << JsonText(json) << '\n';
    return;
  }
  out << total.removed() << " removed, " << total.draining() << " draining (gone when given back), "
      << total.unknown_proxy_ids_size() << " unknown; log sequence " << total.log_sequence() << '\n';
  for (const auto& id : total.unknown_proxy_ids()) out << "unknown: " << PrintableText(id) << '\n';
}

Result RunRemoveProxies(Invocation& invocation, const RemoveOptions& options) {
  const std::vector<std::string> ids = GatherIds(invocation, options.proxy_ids);
  if (ids.empty()) return Result::CouldNotRun("proxies remove: standard input named no proxy. Give one id a line.");
  RemoveProxiesResponse total;
  const Result called = ForEachBatch<RemoveProxiesRequest>(ids, options.reason, [&](const auto& request) {
    RemoveProxiesResponse response;
    Result answered = CallOnce(invocation, "RemoveProxies", [&](grpc::ClientContext* context) {
      return invocation.server.pool().RemoveProxies(context, request, &response);
    });
    if (!answered.ok()) return answered;
    total.set_removed(total.removed() + response.removed());
    total.set_draining(total.draining() + response.draining());
    total.mutable_unknown_proxy_ids()->MergeFrom(response.unknown_proxy_ids());
    total.set_log_sequence(response.log_sequence());
    return answered;
  });
  // After a failure only what was done before it is worth a line.
  if (called.ok() || total.log_sequence() > 0) WriteRemoved(invocation, total);
  if (!called.ok() || total.unknown_proxy_ids().empty()) return called;
  return Result::Fail(ExitCode::kFoundWanting, std::to_string(total.unknown_proxy_ids_size()) +
                                                   " of the proxies are not in the pool: see the list above. "
                                                   "`holdfast proxies` shows the ids that are.");
}

}  // namespace

void AddProxiesCommand(CLI::App& app, Action& chosen) {
  CLI::App* list = app.add_subcommand("proxies", "List the pool, or remove proxies from it");
  auto options = std::make_shared<ListOptions>();
  list->add_option("ID", options->proxy_ids, "Only these proxies");
  AddEnumOption<admin::v1::PoolState>(*list, "--state", options->states, "Only in this state (may be given again)");
  AddEnumOption<admin::v1::OwnershipState>(*list, "--ownership", options->ownership,
                                           "Only in this ownership state (may be given again)");
  list->add_option("--owner", options->owner, "Only those of this worker")->type_name("WORKER");
  list->add_option("--label", options->labels, "Only with this label (may be given again)")
      ->type_name("KEY=VALUE")
      ->check(KeyAndValue());
  list->add_option("--source", options->source, "Only from this source")->type_name("SOURCE");
  list->add_option("--limit", options->limit, "At most so many; 0: all")->type_name("N");

  CLI::App* remove = list->add_subcommand("remove", "Remove proxies; held ones are drained first");
  auto removal = std::make_shared<RemoveOptions>();
  remove->add_option("ID", removal->proxy_ids, "Which; - reads ids from standard input, one a line")->required();
  remove->add_option("--reason", removal->reason, "Why, for the log")->type_name("TEXT");
  remove->callback([&chosen, removal] {
    chosen = [removal](Invocation& invocation) { return RunRemoveProxies(invocation, *removal); };
  });
  list->callback([&chosen, list, options] {
    if (!list->get_subcommands().empty()) return;
    chosen = [options](Invocation& invocation) { return RunListProxies(invocation, *options); };
  });
}

}  // namespace holdfast::cli
