#include "replay/replay.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <system_error>

#include "base/check.h"
#include "events/rocksdb_log.h"
#include "replay/command_info.h"
#include "replay/command_log.h"
#include "replay/command_ownership.h"
#include "replay/command_snapshot.h"
#include "replay/command_state.h"
#include "replay/command_verify.h"

namespace holdfast::replay {
namespace {

constexpr char kFooter[] =
    "DIR is the directory of a log, of a stopped daemon or of a running one; nothing in it is changed.\n"
    "Exit codes: 0 sound, 1 found wanting, 2 could not run.";

// What the command line says. One of the runs is set.
struct CommandLine {
  std::string directory;
  std::uint64_t from = 1;
  std::uint64_t to = 0;
  std::uint64_t version = 0;
  std::string at;
  InfoCommand info;
  LogCommand log;
  VerifyCommand verify;
  StateCommand state;
  SnapshotCommand snapshot;
  OwnershipCommand ownership;
  std::function<ReplayExit(RocksDbLog&)> run;
};

void AddInfo(CLI::App& app, CommandLine& line, const Environment& environment) {
  CLI::App* command = app.add_subcommand("info", "what the log is: id, range, times, counts, starts");
  command->add_option("DIR", line.directory, "the log")->required();
  command->add_flag("--json", line.info.json, "for programs");
  command->callback([&] {
    line.run = [&](RocksDbLog& log) {
      line.info.torn_end = log.torn_end();
      return RunInfo(log, line.info, environment);
    };
  });
}

void AddLog(CLI::App& app, CommandLine& line, const Environment& environment) {
  CLI::App* command = app.add_subcommand("log", "the entries, one a line");
  LogFilterSettings& filter = line.log.filter;
  command->add_option("DIR", line.directory, "the log")->required();
  command->add_option("--from", line.from, "first sequence")->check(CLI::PositiveNumber);
  command->add_option("--to", line.to, "last sequence")->check(CLI::PositiveNumber);
  command->add_option("--proxy", filter.proxy_id, "only what concerns this proxy");
  command->add_option("--worker", filter.member_id, "only what concerns this worker");
  command->add_option("--session", filter.session_id, "only what concerns this session");
  command->add_option("--kind", filter.kinds, "only these kinds of inputs (may be repeated)");
  command->add_flag("--follow", line.log.follow, "wait for more at the end");
  command->add_flag("--json", line.log.json, "an object a line");
  command->callback([&] {
    line.run = [&](RocksDbLog& log) {
      line.log.from = Sequence(line.from);
      if (line.to != 0) line.log.to = Sequence(line.to);
      line.log.refresh = [&log] { return log.Refresh(); };
      return RunLog(log, line.log, environment);
    };
  });
}

void AddVerify(CLI::App& app, CommandLine& line, const Environment& environment) {
  CLI::App* command = app.add_subcommand("verify", "decide all of it again, and compare");
  command->add_option("DIR", line.directory, "the log")->required();
  command->add_option("--from", line.from, "decide again from this sequence on; before, only fold")
      ->check(CLI::PositiveNumber);
  command->add_option("--jobs", line.verify.options.jobs, "threads; more than 3 are not used")
      ->check(CLI::PositiveNumber);
  command->add_flag("--json", line.verify.json, "for programs");
  command->callback([&] {
    line.run = [&](RocksDbLog& log) {
      line.verify.options.from = Sequence(line.from);
      return RunVerify(log, line.verify, environment);
    };
  });
}

void AddState(CLI::App& app, CommandLine& line, const Environment& environment) {
  CLI::App* command = app.add_subcommand("state", "sessions, ownership, pool and routings at one point");
  command->add_option("DIR", line.directory, "the log")->required();
  command->add_option("--at", line.at, "a sequence, or a time like 2026-09-01T12:00:00Z; else the end")
      ->check([](const std::string& text) {
        return ParseStatePoint(text) ? std::string() : "neither a sequence nor an RFC 3339 time: " + text;
      });
  command->add_flag("--json", line.state.json, "for programs");
  command->callback([&] {
    line.run = [&](RocksDbLog& log) {
      if (!line.at.empty()) line.state.at = ParseStatePoint(line.at);
      return RunState(log, line.state, environment);
    };
  });
}

void AddSnapshot(CLI::App& app, CommandLine& line, const Environment& environment) {
  CLI::App* command = app.add_subcommand("snapshot", "what a worker held after one update");
  command->add_option("DIR", line.directory, "the log")->required();
  command->add_option("--worker", line.snapshot.worker_id, "the worker's id")->required();
  command->add_option("--version", line.version, "the update's version")->required();
  command->add_flag("--json", line.snapshot.json, "as a WorkerSnapshot in protobuf's JSON");
  command->callback([&] {
    line.run = [&](RocksDbLog& log) {
      line.snapshot.version = Version(line.version);
      return RunSnapshot(log, line.snapshot, environment);
    };
  });
}

void AddOwnership(CLI::App& app, CommandLine& line, const Environment& environment) {
  CLI::App* command = app.add_subcommand("ownership", "who held what, from when to when, and how it ended");
  command->add_option("DIR", line.directory, "the log")->required();
  CLI::Option_group* which = command->add_option_group("which");
  which->add_option("--proxy", line.ownership.proxy_id, "of this proxy");
  which->add_option("--worker", line.ownership.worker_id, "by this worker");
  which->require_option(1, 2);
  command->add_flag("--json", line.ownership.json, "for programs");
  command->callback(
      [&] { line.run = [&](RocksDbLog& log) { return RunOwnership(log, line.ownership, environment); }; });
}

// The data directory of a daemon holds the log in `log`; either is meant.
std::string LogDirectory(const std::string& directory) {
  std::error_code error;
  const std::filesystem::path inner = std::filesystem::path(directory) / "log";
  const bool outer = std::filesystem::exists(std::filesystem::path(directory) / "CURRENT", error);
  return !outer && std::filesystem::exists(inner / "CURRENT", error) ? inner.string() : directory;
}

// For the hook of CHECK, which takes no context. Set while a command runs.
const CommandLine* running_line = nullptr;
const Environment* running_environment = nullptr;

// A logged event that the state cannot take ends the process, here with the exit code of a finding.
void OnBrokenInvariant(std::uint64_t sequence) {
  if (running_line == nullptr || sequence == 0) return;
  TellBrokenFold(sequence, running_line->verify, *running_environment);
  _exit(static_cast<int>(ReplayExit::kFoundWanting));
}

ReplayExit RunOn(CommandLine& line, const Environment& environment) {
  absl::StatusOr<std::unique_ptr<RocksDbLog>> log = RocksDbLog::OpenReadOnly(LogDirectory(line.directory));
  if (!log.ok()) {
    environment.errors << "holdfast-replay: " << log.status().message() << '\n';
    return ExitOf(log.status());
  }
  running_line = &line;
  running_environment = &environment;
  SetCheckHook(OnBrokenInvariant);
  const ReplayExit exit = line.run(**log);
  SetCheckHook(nullptr);
  running_line = nullptr;
  environment.out.flush();
  return exit;
}

}  // namespace

ReplayExit RunReplay(const std::vector<std::string>& arguments, const Environment& environment) {
  CommandLine line;
  try {
    CLI::App app("Looks at a Holdfast log offline: verifies it, and shows what was so, when, and who held what.",
                 "holdfast-replay");
    app.require_subcommand(1);
    app.footer(kFooter);
    AddInfo(app, line, environment);
    AddLog(app, line, environment);
    AddVerify(app, line, environment);
    AddState(app, line, environment);
    AddSnapshot(app, line, environment);
    AddOwnership(app, line, environment);
    try {
      app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::ParseError& error) {
      const int code = app.exit(error, environment.out, environment.errors);
      return code == 0 ? ReplayExit::kSound : ReplayExit::kCouldNotRun;
    }
    return RunOn(line, environment);
  } catch (const std::exception& error) {
    environment.errors << "holdfast-replay: it had to stop: " << error.what() << '\n';
    return ReplayExit::kCouldNotRun;
  }
}

}  // namespace holdfast::replay
