#include "tools/checker/checker_options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "tools/checker/check_plan.h"
#include "tools/cli/server_address.h"
#include "tools/cli/time_text.h"

namespace holdfast::checker {
namespace {

using controlplane::v1::CheckLevel;

constexpr std::uint32_t kConcurrencyMax = 10'000;
constexpr std::size_t kIdBytesMax = 128;

// What CLI11 fills before it is looked at closer.
struct RawOptions {
  CheckerOptions options;
  std::string server = "127.0.0.1:7443";
  std::string levels = "basic,egress,target";
  std::string echo;
  std::string summary = "60s";
  std::string drain = "20s";
  std::vector<std::string> labels;
};

// What is wrong, or nothing.
using Complaint = std::optional<std::string>;

void Describe(CLI::App& app, RawOptions& raw) {
  CheckerOptions& options = raw.options;
  app.add_option("--server", raw.server, "HOST:PORT of the controller")->capture_default_str();
  app.add_option("--checker-id", options.checker_id, "of this checker, one for each process")->required();
  app.add_option("--zone", options.zone, "where it stands; proxies of its zone come to it first");
  app.add_option("--label", raw.labels, "KEY=VALUE, as often as needed");
  app.add_option("--max-concurrency", options.max_concurrency, "checks at once")
      ->check(CLI::Range(1U, kConcurrencyMax))
      ->capture_default_str();
  app.add_option("--levels", raw.levels, "of basic, egress and target, with commas")->capture_default_str();
  app.add_option("--echo", raw.echo, "HOST:PORT that basic has a proxy connect to; else the judge's");
  app.add_option("--judge", options.checks.judge_url, "URL of a holdfast-judge: egress asks it");
  app.add_option("--secrets", options.secrets_file, "a file of `holdfast import --secrets-out`, mode 0600");
  app.add_option("--ca", options.checks.ca_file, "PEM file of the certificates to trust, instead of the system's");
  app.add_flag("--allow-private", options.checks.allow_private, "also loopback, private and shared addresses");
  app.add_flag("--loopback-only", options.checks.loopback_only,
               "nothing but loopback addresses: what else it is given it cannot conclude anything about");
  app.add_option("--summary", raw.summary, "how often to say what was checked, as in 10s; 0: never")
      ->capture_default_str();
  app.add_option("--drain", raw.drain, "how long what runs may take to end after a signal")->capture_default_str();
  app.add_flag("--json", options.json, "what is printed, as one JSON object a line");
}

Complaint ReadServer(RawOptions& raw) {
  std::string error;
  const std::optional<cli::ServerAddress> address = cli::ServerAddress::Parse(raw.server, error);
  if (!address) return "--server: " + error;
  raw.options.server = address->text();
  raw.options.server_target = address->target();
  return std::nullopt;
}

Complaint ReadIdentity(RawOptions& raw) {
  const std::string& id = raw.options.checker_id;
  const auto fits = [](unsigned char c) { return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-'; };
  if (id.empty() || id.size() > kIdBytesMax || !std::all_of(id.begin(), id.end(), fits)) {
    return "--checker-id '" + id + "' is no id: 1 to 128 letters, digits, dots, hyphens and underscores";
  }
  for (const std::string& label : raw.labels) {
    const std::size_t mark = label.find('=');
    if (mark == std::string::npos || mark == 0) return "--label '" + label + "' is no label; write it as KEY=VALUE";
    raw.options.labels[label.substr(0, mark)] = label.substr(mark + 1);
  }
  return std::nullopt;
}

Complaint ReadLevels(RawOptions& raw) {
  static const std::map<std::string, CheckLevel> kLevels = {{"basic", controlplane::v1::CHECK_LEVEL_BASIC},
                                                            {"egress", controlplane::v1::CHECK_LEVEL_EGRESS},
                                                            {"target", controlplane::v1::CHECK_LEVEL_TARGET}};
  const std::vector<std::string> words = absl::StrSplit(raw.levels, ',');
  for (const std::string& word : words) {
    const auto found = kLevels.find(word);
    if (found == kLevels.end()) return "--levels: '" + word + "' is none of basic, egress and target";
    auto& levels = raw.options.levels;
    if (std::find(levels.begin(), levels.end(), found->second) == levels.end()) levels.push_back(found->second);
  }
  return std::nullopt;
}

bool HasLevel(const RawOptions& raw, CheckLevel level) {
  return std::find(raw.options.levels.begin(), raw.options.levels.end(), level) != raw.options.levels.end();
}

Complaint ReadEndpoints(RawOptions& raw) {
  CheckSettings& checks = raw.options.checks;
  if (!checks.judge_url.empty()) {
    const std::optional<HostAndPort> judge = ParseUrlToAsk(checks.judge_url);
    if (!judge || checks.judge_url.find('#') != std::string::npos) {
      return "--judge '" + checks.judge_url + "' is no URL of a judge; write it as http://HOST:PORT/";
    }
    checks.echo = judge;
  }
  if (!raw.echo.empty()) {
    checks.echo = ParseHostAndPort(raw.echo);
    if (!checks.echo) return "--echo '" + raw.echo + "' is no HOST:PORT; write it as 203.0.113.7:8080";
  }
  if (HasLevel(raw, controlplane::v1::CHECK_LEVEL_EGRESS) && checks.judge_url.empty()) {
    return "egress asks a judge: name one with --judge URL, or leave egress out of --levels";
  }
  if (HasLevel(raw, controlplane::v1::CHECK_LEVEL_BASIC) && !checks.echo) {
    return "basic has a proxy connect somewhere: name it with --echo HOST:PORT or --judge URL, or leave basic out of "
           "--levels";
  }
  if (!checks.ca_file.empty() && access(checks.ca_file.c_str(), R_OK) != 0) {
    return "--ca " + checks.ca_file + " cannot be read; name a PEM file of certificates";
  }
  return std::nullopt;
}

Complaint ReadTimes(RawOptions& raw) {
  const auto summary = cli::ParseDurationOrZero(raw.summary);
  if (!summary) return "--summary '" + raw.summary + "' is no duration; write it as 10s, 1m or 0";
  const auto drain = cli::ParseDurationOrZero(raw.drain);
  if (!drain) return "--drain '" + raw.drain + "' is no duration; write it as 20s, 1m or 0";
  raw.options.summary_interval = Duration(*summary);
  raw.options.drain_bound = Duration(*drain);
  return std::nullopt;
}

Complaint Read(RawOptions& raw) {
  for (const auto read : {ReadServer, ReadIdentity, ReadLevels, ReadEndpoints, ReadTimes}) {
    if (Complaint wrong = read(raw)) return wrong;
  }
  return std::nullopt;
}

}  // namespace

Parsed ParseOptions(int argc, const char* const* argv) {
  CLI::App app("Checks proxies for the controller: whether they answer, what they give away, what they reach.");
  RawOptions raw;
  Describe(app, raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return {std::nullopt, app.exit(error) == 0 ? ExitCode::kDone : ExitCode::kCouldNotRun};
  }
  if (const Complaint wrong = Read(raw)) {
    std::cerr << "holdfast-checker: " << *wrong << "\n";
    return {std::nullopt, ExitCode::kCouldNotRun};
  }
  return {std::move(raw.options), ExitCode::kDone};
}

}  // namespace holdfast::checker
