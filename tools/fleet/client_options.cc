#include "tools/fleet/client_options.h"

#include <CLI/CLI.hpp>

#include "tools/fleet/duration_text.h"

namespace holdfast::fleet {
namespace {

constexpr std::uint32_t kClientsMax = 100'000;
constexpr std::uint32_t kMachinesMax = 400;  // of one request, by the contract

}  // namespace

void DescribeClientOptions(CLI::App& app, RawClientOptions& raw) {
  ClientOptions& options = raw.options;
  app.add_option("--clients", options.clients, "simulated clients that extract and release")
      ->check(CLI::Range(0U, kClientsMax))
      ->capture_default_str();
  app.add_option("--client-most", options.most, "machines that one extraction asks for, at most")
      ->check(CLI::Range(1U, kMachinesMax))
      ->capture_default_str();
  app.add_option("--client-keep", raw.keep, "how long a client keeps what it has, around; 0: gives it back at once")
      ->capture_default_str();
  app.add_option("--settle", raw.settle,
                 "how long the clients may take at the end to repeat what is open and give back all; 0: leave at once")
      ->capture_default_str();
}

std::optional<std::string> ReadClientOptions(RawClientOptions& raw) {
  const auto keep = ParseDurationText(raw.keep);
  if (!keep) return "--client-keep '" + raw.keep + "' is no duration; write it as 200ms, 5s or 0";
  const auto settle = ParseDurationText(raw.settle);
  if (!settle) return "--settle '" + raw.settle + "' is no duration; write it as 30s, 250ms or 0";
  raw.options.keep = *keep;
  raw.options.settle = *settle;
  return std::nullopt;
}

}  // namespace holdfast::fleet
