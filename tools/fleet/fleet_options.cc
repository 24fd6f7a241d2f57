#include "tools/fleet/fleet_options.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>

#include "tools/fleet/duration_text.h"

namespace holdfast::fleet {
namespace {

constexpr std::uint32_t kWorkersMax = 100'000;

// What CLI11 fills before it is looked at closer.
struct RawOptions {
  FleetOptions options;
  std::string duration = "60s";
  std::string report_interval;
  std::string drain = "0";
  std::string faults = "none";
  RawCheckOptions checks;
  RawClientOptions clients;
};

void Describe(CLI::App& app, RawOptions& raw) {
  FleetOptions& options = raw.options;
  auto* server = app.add_option("--server", options.server, "HOST:PORT of the controller")->capture_default_str();
  app.add_option("--port-file", options.port_file, "a file with HOST:PORT, read again at each reconnect")
      ->excludes(server);
  app.add_option("--workers", options.workers, "simulated workers")
      ->check(CLI::Range(0U, kWorkersMax))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of everything that happens by chance")->capture_default_str();
  app.add_option("--duration", raw.duration, "how long, as in 60s or 250ms; 0: until stopped")->capture_default_str();
  app.add_option("--faults", raw.faults, "none, light or heavy")
      ->check(CLI::IsMember({"none", "light", "heavy"}))
      ->capture_default_str();
  app.add_option("--name", options.name, "ids are NAME-0001, NAME-checker-0001, NAME-client-0001")
      ->capture_default_str();
  app.add_option("--ack-log", options.ack_log,
                 "a directory: every acknowledged answer, one synced file a worker and client");
  app.add_option("--report-interval", raw.report_interval, "instead of what the controller asks for");
  app.add_option("--drain", raw.drain, "how long to drain at the end; 0: leave at once")->capture_default_str();
  app.add_flag("--routings", options.routings, "requests follow the snapshot's routings");
  app.add_flag("--json", options.json, "the result as one JSON object");
  DescribeCheckOptions(app, raw.checks);
  DescribeClientOptions(app, raw.clients);
}

// What is wrong with the texts, or nothing.
std::optional<std::string> Read(RawOptions& raw) {
  static const std::map<std::string, Faults> kFaults = {
      {"none", Faults::kNone}, {"light", Faults::kLight}, {"heavy", Faults::kHeavy}};
  FleetOptions& options = raw.options;
  options.faults = kFaults.at(raw.faults);
  if (const auto wrong = ReadCheckOptions(raw.checks)) return wrong;
  if (const auto wrong = ReadClientOptions(raw.clients)) return wrong;
  options.checks = raw.checks.options;
  options.clients = raw.clients.options;
  if (options.workers == 0 && options.checks.checkers == 0 && options.clients.clients == 0) {
    return "--workers 0, --checkers 0 and --clients 0: there is nobody to simulate; ask for one of any";
  }
  const auto duration = ParseDurationText(raw.duration);
  if (!duration) return "--duration '" + raw.duration + "' is no duration; write it as 60s, 250ms, 2m or 0";
  options.duration = *duration;
  const auto drain = ParseDurationText(raw.drain);
  if (!drain) return "--drain '" + raw.drain + "' is no duration; write it as 10s, 250ms or 0";
  options.drain = *drain;
  if (!raw.report_interval.empty()) {
    options.report_interval = ParseDurationText(raw.report_interval);
    if (!options.report_interval || options.report_interval->count() == 0) {
      return "--report-interval '" + raw.report_interval + "' is no duration above zero; write it as 1s or 250ms";
    }
  }
  return std::nullopt;
}

}  // namespace

Parsed ParseOptions(int argc, char** argv) {
  CLI::App app(
      "Simulated workers, checkers and clients over real gRPC that behave as the contract asks, and a judge that "
      "watches.");
  RawOptions raw;
  Describe(app, raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return {std::nullopt, app.exit(error) == 0 ? kExitDone : kExitCouldNotRun};
  }
  if (const auto wrong = Read(raw)) {
    std::cerr << "holdfast-fleet: " << *wrong << "\n";
    return {std::nullopt, kExitCouldNotRun};
  }
  return {raw.options, kExitDone};
}

}  // namespace holdfast::fleet
