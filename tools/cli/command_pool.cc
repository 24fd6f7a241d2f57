#include "tools/cli/command_pool.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/cli/call.h"
#include "tools/cli/elapsed_line.h"
#include "tools/cli/pool_text.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/progress_line.h"
#include "tools/cli/table.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using admin::v1::AdoptPoolResponse;
using admin::v1::DiffPoolResponse;
using admin::v1::PoolDifference;
using admin::v1::RebuildPoolResponse;

// The store may be slow, or catch up first.
constexpr std::chrono::seconds kUsualSilence{60};
// It writes each row of the pool, and there may be millions.
constexpr std::chrono::minutes kUsualRebuild{30};

// What a comparison has said so far.
struct Comparison {
  DiffPoolResponse latest;
  std::uint64_t differences = 0;
};

template <class Consume>
Result Compare(Invocation& invocation, Comparison& comparison, Consume consume) {
  Environment& environment = invocation.environment;
  ProgressLine line(environment);
  line.Show("comparing the pool store with the log");
  return CallStream<DiffPoolResponse>(
      invocation, "DiffPool",
      [&](grpc::ClientContext* context) {
        return invocation.server.pool().DiffPool(context, admin::v1::DiffPoolRequest());
      },
      [&](const DiffPoolResponse& response) {
        line.Clear();  // both streams may be one terminal
        for (const PoolDifference& difference : response.differences()) consume(difference);
        environment.out.flush();
        comparison.differences += static_cast<std::uint64_t>(response.differences_size());
        comparison.latest = response;
        line.Show(DiffProgressText(response, comparison.differences));
        return environment.out.good();
      });
}

Result DiffVerdict(const Comparison& comparison) {
  if (comparison.differences == 0 && !comparison.latest.truncated()) return Result::Done();
  return Result::Fail(ExitCode::kFoundWanting,
                      "the pool store is not what the log says: see the list above. `holdfast pool rebuild` writes it "
                      "anew; if it differs again after that, somebody else writes there.");
}

Result RunDiff(Invocation& invocation) {
  invocation.AllowUnlessGiven(kUsualSilence);
  std::ostream& out = invocation.environment.out;
  Comparison comparison;
  if (invocation.json) {
    JsonList list(out, "differences");
    const Result called =
        Compare(invocation, comparison, [&](const auto& difference) { list.Add(DifferenceJson(difference)); });
    if (!called.ok()) return called;
    list.Finish(DiffEndJson(comparison.latest));
    return DiffVerdict(comparison);
  }
  Table table(out, DifferenceColumns());
  const Result called =
      Compare(invocation, comparison, [&](const auto& difference) { table.Add(DifferenceCells(difference)); });
  table.Finish(called.ok() && comparison.differences > 0);
  if (!called.ok()) return called;
  out << (comparison.differences > 0 ? "\n" : "") << DiffEndText(comparison.latest, comparison.differences) << '\n';
  return DiffVerdict(comparison);
}

Result RunRebuild(Invocation& invocation, bool dry_run) {
  invocation.AllowUnlessGiven(kUsualRebuild);
  admin::v1::RebuildPoolRequest request;
  request.set_dry_run(dry_run);
  RebuildPoolResponse answer;
  const auto call = [&] {
    const ElapsedLine line(invocation.environment,
                           dry_run ? "counting what a rebuild would write" : "writing the pool store anew");
    return CallOnce(invocation, "RebuildPool", [&](grpc::ClientContext* context) {
      return invocation.server.pool().RebuildPool(context, request, &answer);
    });
  };
  Result called = call();
  if (!called.ok()) {
    const bool left = !dry_run && (called.code == ExitCode::kCouldNotRun || called.code == ExitCode::kDeadline);
    if (left) called.error += " What was begun may go on: `holdfast status` shows the store's condition.";
    return called;
  }
  std::ostream& out = invocation.environment.out;
  if (invocation.json) {
    out << JsonText(RebuildJson(answer, dry_run)) << '\n';
  } else {
    out << RebuildText(answer, dry_run) << '\n';
  }
  return Result::Done();
}

Result RunAdopt(Invocation& invocation, const std::string& reason) {
  invocation.AllowUnlessGiven(kUsualSilence);
  admin::v1::AdoptPoolRequest request;
  request.set_reason(reason);
  AdoptPoolResponse answer;
  const Result called = CallOnce(invocation, "AdoptPool", [&](grpc::ClientContext* context) {
    return invocation.server.pool().AdoptPool(context, request, &answer);
  });
  if (!called.ok()) return called;
  std::ostream& out = invocation.environment.out;
  if (invocation.json) {
    out << JsonText(AdoptJson(answer)) << '\n';
  } else {
    out << PrintableText(AdoptText(answer)) << '\n'
        << "It is written anew before anything is extracted (`holdfast status` shows how far that is). What it showed "
           "as extracted stays so until its end.\n";
  }
  return Result::Done();
}

}  // namespace

void AddPoolCommand(CLI::App& app, Action& chosen) {
  CLI::App* pool = app.add_subcommand("pool", "The pool store: compare it with the log, write it anew, adopt it");
  pool->require_subcommand(1);
  CLI::App* diff = pool->add_subcommand("diff", "Compare the store with the log; ends with 1 where they differ");
  diff->callback([&chosen] { chosen = [](Invocation& invocation) { return RunDiff(invocation); }; });

  CLI::App* rebuild = pool->add_subcommand(
      "rebuild", "Write the store anew from the log; waits for up to 30m unless --deadline says otherwise");
  auto dry_run = std::make_shared<bool>(false);
  rebuild->add_flag("--dry-run", *dry_run, "Only say what would be written");
  rebuild->callback(
      [&chosen, dry_run] { chosen = [dry_run](Invocation& invocation) { return RunRebuild(invocation, *dry_run); }; });

  CLI::App* adopt = pool->add_subcommand("adopt", "Take over a store that is another log's, or ahead of this one");
  auto reason = std::make_shared<std::string>();
  adopt->add_option("--reason", *reason, "Why, for the log")->required()->type_name("TEXT");
  adopt->callback(
      [&chosen, reason] { chosen = [reason](Invocation& invocation) { return RunAdopt(invocation, *reason); }; });
}

}  // namespace holdfast::cli
