#include "tools/cli/command_audit.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "tools/cli/call.h"
#include "tools/cli/period_text.h"
#include "tools/cli/table.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using audit::v1::HolderKind;
using audit::v1::OwnershipHistoryRequest;
using audit::v1::OwnershipHistoryResponse;

struct AuditOptions {
  std::string proxy;
  std::string worker;
  std::string client;  // or a worker
  std::string from;
  std::string to;
};

// Absent: `error` says why.
std::optional<OwnershipHistoryRequest> ToRequest(const AuditOptions& options, std::int64_t now_micros,
                                                 std::string& error) {
  OwnershipHistoryRequest request;
  request.set_proxy_id(options.proxy);
  request.set_holder_id(options.worker.empty() ? options.client : options.worker);
  const std::optional<std::int64_t> from = ParseTime(options.from, now_micros);
  const std::optional<std::int64_t> to = ParseTime(options.to, now_micros);
  for (const auto& [name, text, time] :
       {std::tuple("--from", options.from, from), std::tuple("--to", options.to, to)}) {
    if (text.empty() || time) continue;
    error = std::string("audit ownership: ") + name + ": \"" + text +
            "\" is not a time. Write 2026-09-01T12:00:00Z, now, or an age: -15m.";
    return std::nullopt;
  }
  if (from && to && *from >= *to) {
    error = "audit ownership: --from is not before --to, so nothing lies between. Swap them.";
    return std::nullopt;
  }
  if (from) *request.mutable_from() = ToTimestamp(*from);
  if (to) *request.mutable_to() = ToTimestamp(*to);
  return request;
}

// Absent: of either. The contract's holder_id does not say of which kind; a worker and a client may have one name.
std::optional<HolderKind> KindAsked(const AuditOptions& options) {
  if (!options.worker.empty()) return audit::v1::HOLDER_KIND_WORKER;
  if (!options.client.empty()) return audit::v1::HOLDER_KIND_CLIENT;
  return std::nullopt;
}

template <class Consume>
Result ForEachPeriod(Invocation& invocation, const OwnershipHistoryRequest& request, std::optional<HolderKind> kind,
                     Consume consume) {
  return CallStream<OwnershipHistoryResponse>(
      invocation, "OwnershipHistory",
      [&](grpc::ClientContext* context) { return invocation.server.audit().OwnershipHistory(context, request); },
      [&](const OwnershipHistoryResponse& response) {
        for (const auto& period : response.periods()) {
          if (!kind || period.holder_kind() == *kind) consume(period);
        }
        return invocation.environment.out.good();
      });
}

Result RunOwnership(Invocation& invocation, const AuditOptions& options) {
  if (options.proxy.empty() && options.worker.empty() && options.client.empty()) {
    return Result::CouldNotRun(
        "audit ownership: of what? Name a proxy (--proxy ID), who held it (--worker ID, --client ID), or both.");
  }
  const std::int64_t now = invocation.environment.now_micros();
  std::string error;
  const std::optional<OwnershipHistoryRequest> request = ToRequest(options, now, error);
  if (!request) return Result::CouldNotRun(error);
  const std::optional<HolderKind> kind = KindAsked(options);
  std::ostream& out = invocation.environment.out;
  if (invocation.json) {
    JsonList list(out, "periods");
    const Result called =
        ForEachPeriod(invocation, *request, kind, [&](const auto& period) { list.Add(PeriodJson(period)); });
    if (called.ok()) list.Finish(Json::object());
    return called;
  }
  Table table(out, PeriodColumns());
  const Result called =
      ForEachPeriod(invocation, *request, kind, [&](const auto& period) { table.Add(PeriodCells(period, now)); });
  table.Finish(called.ok());
  if (called.ok()) out << "\n" << table.rows() << " period(s); # is the sequence of the entry in the log\n";
  return called;
}

}  // namespace

void AddAuditCommand(CLI::App& app, Action& chosen) {
  CLI::App* audit = app.add_subcommand("audit", "Who owned what, when, and by which entries of the log");
  audit->require_subcommand(1);
  CLI::App* ownership = audit->add_subcommand("ownership", "Periods of ownership of a proxy, a worker or a client");
  auto options = std::make_shared<AuditOptions>();
  ownership->add_option("--proxy", options->proxy, "Who held this proxy")->type_name("ID");
  CLI::Option* worker = ownership->add_option("--worker", options->worker, "What this worker held")->type_name("ID");
  ownership->add_option("--client", options->client, "What this client held")->type_name("ID")->excludes(worker);
  ownership->add_option("--from", options->from, "Only what ended after this time")->type_name("TIME");
  ownership->add_option("--to", options->to, "Only what began before this time")->type_name("TIME");
  ownership->callback([&chosen, options] {
    chosen = [options](Invocation& invocation) { return RunOwnership(invocation, *options); };
  });
}

}  // namespace holdfast::cli
