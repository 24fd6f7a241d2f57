#include "tools/echo/judge_options.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <variant>

#include "tools/common/host_and_port.h"

namespace holdfast::echo {
namespace {

// What CLI11 fills before it is looked at closer.
struct RawOptions {
  JudgeOptions options;
  std::string listen = "127.0.0.1:0";
  double idle_seconds = 15;
};

void Describe(CLI::App& app, RawOptions& raw) {
  app.add_option("--listen", raw.listen, "ADDRESS:PORT, an IPv6 address in brackets; port 0: any free one")
      ->capture_default_str();
  app.add_option("--port-file", raw.options.port_file, "a file that gets ADDRESS:PORT once it serves");
  app.add_option("--max-connections", raw.options.connections_max, "what comes above is closed at once")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("--max-request-bytes", raw.options.request_bytes, "of a request's head, and of its body")
      ->check(CLI::Range(256, 1'048'576))
      ->capture_default_str();
  app.add_option("--idle-seconds", raw.idle_seconds, "a connection that is silent that long is closed")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  app.add_flag("--json", raw.options.json, "what is printed, as one JSON object a line");
}

// What is wrong with the texts, or nothing.
std::optional<std::string> Read(RawOptions& raw) {
  const std::optional<HostAndPort> listen = ParseHostAndPort(raw.listen, PortRange::kWithZero);
  if (!listen) return "--listen '" + raw.listen + "' is no ADDRESS:PORT; write it as 127.0.0.1:8080 or [::1]:8080";
  const bool is_ipv6 = listen->host.find(':') != std::string::npos;
  const ParsedIp address = is_ipv6 ? ParseIpv6(listen->host) : ParseIpv4(listen->host);
  if (!std::holds_alternative<IpAddress>(address)) {
    return "--listen '" + raw.listen + "': '" + listen->host + "' is no IP address, and no name is looked up; name one";
  }
  raw.options.address = std::get<IpAddress>(address);
  raw.options.port = listen->port;
  raw.options.idle = std::chrono::milliseconds(static_cast<std::int64_t>(raw.idle_seconds * 1000));
  return std::nullopt;
}

}  // namespace

Parsed ParseOptions(int argc, const char* const* argv) {
  CLI::App app("Answers each HTTP request with what it saw of it, as JSON: what a checker asks through a proxy.");
  RawOptions raw;
  Describe(app, raw);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return {std::nullopt, app.exit(error) == 0 ? ExitCode::kDone : ExitCode::kCouldNotRun};
  }
  if (const auto wrong = Read(raw)) {
    std::cerr << "holdfast-judge: " << *wrong << "\n";
    return {std::nullopt, ExitCode::kCouldNotRun};
  }
  return {raw.options, ExitCode::kDone};
}

}  // namespace holdfast::echo
