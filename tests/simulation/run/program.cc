#include "tests/simulation/run/program.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>

#include "base/boot_clock.h"
#include "base/check.h"
#include "base/random.h"
#include "tests/simulation/run/report.h"

namespace holdfast::simulation {
namespace {

constexpr int kExitSound = 0, kExitWanting = 1, kExitCouldNotRun = 2;

struct Arguments {
  std::uint64_t seed = 0;
  bool seed_given = false;
  std::string seeds;
  std::uint64_t first = 0, last = 0;  // of `seeds`
  std::uint64_t steps = 1'500;
  std::uint64_t seconds = 0;  // 0: not bounded in time
  std::string log;
  bool json = false;
  bool no_verify = false;
};

// A CHECK that breaks ends the process: what is needed to look at it is said and written first.
Arguments* arguments_for_hook = nullptr;
RunOptions run_for_hook;

std::string LogFolder(const Arguments& arguments, std::uint64_t seed) {
  if (!arguments.log.empty()) return arguments.log;
  std::error_code error;
  std::filesystem::path base = std::filesystem::temp_directory_path(error);
  for (int i = 0; i < 10'000; ++i) {
    std::filesystem::path path =
        base / ("holdfast-sim-" + std::to_string(seed) + (i == 0 ? "" : "-" + std::to_string(i)));
    if (!std::filesystem::exists(path, error)) return path.string();
  }
  return (base / "holdfast-sim").string();
}

void WriteLog(const Arguments& arguments, std::uint64_t seed, const Disk& disk) {
  const std::string folder = LogFolder(arguments, seed);
  const absl::Status status = disk.WriteTo(folder);
  if (status.ok()) {
    std::cerr << "the log stands in " << folder << "; look at it with: holdfast-replay log " << folder << "\n";
  } else {
    std::cerr << "the log could not be written to " << folder << ": " << status.ToString() << "\n";
  }
}

void OnBrokenCheck(std::uint64_t) {
  std::cerr << "repeat it: " << RepeatCommand(run_for_hook) << "\n";
  if (const Simulation* run = CurrentSimulation()) WriteLog(*arguments_for_hook, run_for_hook.seed, run->disk());
}

std::optional<std::string> ReadSeeds(Arguments& arguments) {
  const std::size_t dots = arguments.seeds.find("..");
  const char* begin = arguments.seeds.data();
  const char* end = begin + arguments.seeds.size();
  if (dots != std::string::npos) {
    const auto first = std::from_chars(begin, begin + dots, arguments.first);
    const auto last = std::from_chars(begin + dots + 2, end, arguments.last);
    const bool whole =
        first.ec == std::errc() && first.ptr == begin + dots && last.ec == std::errc() && last.ptr == end;
    if (whole && arguments.first <= arguments.last) return std::nullopt;
  }
  return "--seeds '" + arguments.seeds + "' is no range; write it as 1..200";
}

void Describe(CLI::App& app, Arguments& arguments) {
  auto* seed =
      app.add_option("--seed", arguments.seed, "of everything that happens by chance; absent: drawn, and printed");
  auto* seeds = app.add_option("--seeds", arguments.seeds, "many, as in 1..200: sums up")->excludes(seed);
  app.add_option("--steps", arguments.steps, "of each run; after them it comes to rest")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}))
      ->capture_default_str();
  app.add_option("--seconds", arguments.seconds, "run after run from a drawn seed on, for so long by the real clock")
      ->excludes(seed)
      ->excludes(seeds);
  app.add_option("--log", arguments.log,
                 "a folder for the log; absent: a new one beside the temporary files, when something is found");
  app.add_flag("--json", arguments.json, "the result as JSON, one object a run or one for all");
  app.add_flag("--no-verify", arguments.no_verify, "do not decide the whole log again at the end of a run");
}

RunResult RunSeed(const Arguments& arguments, std::uint64_t seed, bool write_log) {
  RunOptions options;
  options.seed = seed;
  options.steps = arguments.steps;
  options.verify = !arguments.no_verify;
  run_for_hook = options;
  Simulation simulation(options);
  RunResult result = simulation.Run();
  if (write_log || result.violation) WriteLog(arguments, seed, simulation.disk());
  return result;
}

int RunOneSeed(const Arguments& arguments) {
  if (!arguments.json) std::cout << "seed " << arguments.seed << ", " << arguments.steps << " steps\n" << std::flush;
  const RunResult result = RunSeed(arguments, arguments.seed, !arguments.log.empty());
  if (arguments.json) {
    std::cout << JsonOf(result).dump(2) << "\n";
    return result.violation ? kExitWanting : kExitSound;
  }
  PrintRates(result, std::cout);
  PrintReached(result.reached, std::cout);
  std::cout << result.entries << " entries, " << result.starts << " starts of the controller, "
            << result.simulated / kSecond << " s simulated, at rest after " << result.quiet_for / kSecond
            << " s; chain " << result.chain_hash << "\n";
  if (result.violation) {
    PrintViolation(result, std::cout);
    return kExitWanting;
  }
  std::cout << "sound\n";
  return kExitSound;
}

struct Totals {
  std::uint64_t runs = 0, steps = 0, entries = 0;
  Micros simulated = 0, longest_quiet = 0;
  Reached reached;

  void Add(const RunResult& result) {
    ++runs;
    steps += result.steps_done;
    entries += result.entries;
    simulated += result.simulated;
    longest_quiet = std::max(longest_quiet, result.quiet_for);
    reached.Add(result.reached);
  }
};

void PrintTotals(const Arguments& arguments, const Totals& totals, const std::optional<RunResult>& wanting,
                 double seconds) {
  if (arguments.json) {
    nlohmann::ordered_json json;
    json["runs"] = totals.runs;
    json["steps"] = totals.steps;
    json["sound"] = !wanting.has_value();
    json["entries"] = totals.entries;
    json["simulated_seconds"] = totals.simulated / kSecond;
    json["longest_quiet_seconds"] = static_cast<double>(totals.longest_quiet) / kSecond;
    json["seconds"] = seconds;
    json["reached"] = JsonOf(totals.reached);
    if (wanting) json["wanting"] = JsonOf(*wanting);
    std::cout << json.dump(2) << "\n";
    return;
  }
  PrintReached(totals.reached, std::cout);
  std::cout << totals.runs << " runs, " << totals.steps << " steps, " << totals.entries << " entries, "
            << totals.simulated / kSecond << " s simulated, at rest after " << totals.longest_quiet / kSecond
            << " s at most; "
            << static_cast<std::uint64_t>(static_cast<double>(totals.steps) / std::max(seconds, 0.001)) << " steps/s\n";
  if (wanting) PrintViolation(*wanting, std::cout);
  if (!wanting) std::cout << "sound\n";
}

// From `first` on, to `last` or until the time is over; ends at the first that is found wanting.
int RunMany(const Arguments& arguments, std::uint64_t first, std::uint64_t last, const BootClock& clock) {
  const std::int64_t began = clock.Micros();
  const bool terminal = isatty(STDERR_FILENO) != 0;
  Totals totals;
  std::optional<RunResult> wanting;
  for (std::uint64_t seed = first; seed <= last && !wanting; ++seed) {
    RunResult result = RunSeed(arguments, seed, false);
    totals.Add(result);
    if (result.violation) wanting = std::move(result);
    const std::int64_t passed = clock.Micros() - began;
    if (terminal)
      std::cerr << "\rseed " << seed << ", " << totals.steps * kSecond / std::max<std::int64_t>(passed, 1)
                << " steps/s  " << std::flush;
    if (arguments.seconds > 0 && passed >= static_cast<std::int64_t>(arguments.seconds) * kSecond) break;
  }
  if (terminal) std::cerr << "\n";
  PrintTotals(arguments, totals, wanting, static_cast<double>(clock.Micros() - began) / kSecond);
  return wanting ? kExitWanting : kExitSound;
}

std::uint64_t DrawSeed() {
  std::uint8_t bytes[6] = {};
  SystemRandomSource()->Fill(bytes);
  std::uint64_t seed = 0;
  for (const std::uint8_t byte : bytes) seed = seed << 8 | byte;
  return seed;
}

}  // namespace

int RunProgram(int argc, char** argv) {
  CLI::App app("Simulated worlds: the real rules, sequencer and codec under faults, watched by checkers.");
  Arguments arguments;
  Describe(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitSound : kExitCouldNotRun;
  }
  if (!arguments.seeds.empty()) {
    if (const auto wrong = ReadSeeds(arguments)) {
      std::cerr << "holdfast-sim: " << *wrong << "\n";
      return kExitCouldNotRun;
    }
  }
  arguments_for_hook = &arguments;
  SetCheckHook(OnBrokenCheck);
  const auto clock = SystemBootClock();
  if (!clock.ok()) {
    std::cerr << "holdfast-sim: " << clock.status().message() << "\n";
    return kExitCouldNotRun;
  }
  if (!arguments.seeds.empty()) return RunMany(arguments, arguments.first, arguments.last, **clock);
  if (app.count("--seed") == 0) arguments.seed = DrawSeed();
  if (arguments.seconds == 0) return RunOneSeed(arguments);
  if (!arguments.json)
    std::cout << "from seed " << arguments.seed << " on, for " << arguments.seconds << " s\n" << std::flush;
  return RunMany(arguments, arguments.seed, UINT64_MAX, **clock);
}

}  // namespace holdfast::simulation
