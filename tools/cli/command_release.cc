#include "tools/cli/command_release.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/cli/command_options.h"
#include "tools/cli/json_text.h"
#include "tools/cli/proxy_ids.h"
#include "tools/cli/repeated_call.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using distribution::v1::ReleaseRequest;
using distribution::v1::ReleaseResponse;

constexpr std::chrono::seconds kReleaseDeadline{60};

struct ReleaseOptions {
  std::string client;
  std::string extraction;
  std::vector<std::string> proxy_ids;
  std::string request_id;  // empty: one is drawn
};

void WriteReleased(Invocation& invocation, const ReleaseRequest& asked, const ReleaseResponse& answer) {
  std::ostream& out = invocation.environment.out;
  if (!invocation.json) {
    out << CountOf(answer.released(), "proxy", "proxies") << " given back; log sequence " << answer.log_sequence()
        << '\n';
    return;
  }
  Json json;
  json["extraction_id"] = asked.extraction_id();
  json["client_id"] = asked.client_id();
  json["request_id"] = asked.request_id();
  json["released"] = answer.released();
  json["log_sequence"] = answer.log_sequence();
  out << JsonText(json) << '\n';
}

Result RunRelease(Invocation& invocation, const ReleaseOptions& options) {
  const std::vector<std::string> ids = GatherIds(invocation, options.proxy_ids);
  if (ids.empty() && !options.proxy_ids.empty()) {
    // A call that names none gives back all of it, which nobody asked for here.
    return Result::CouldNotRun("release: standard input named no proxy, and nothing was released. Give one id a line.");
  }
  invocation.AllowUnlessGiven(kReleaseDeadline);
  const RequestId id = GivenOrDrawn(invocation.environment, options.request_id);
  ReleaseRequest request;
  request.set_client_id(options.client);
  request.set_request_id(id.text);
  request.set_extraction_id(options.extraction);
  for (const std::string& proxy : ids) request.add_proxy_ids(proxy);
  ReleaseResponse answer;
  RepeatedCall call(invocation, "Release", id);
  const Result called = call.Run([&](grpc::ClientContext* context) {
    return invocation.server.distribution().Release(context, request, &answer);
  });
  if (called.ok()) WriteReleased(invocation, request, answer);
  return called;
}

}  // namespace

void AddReleaseCommand(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "release", "A client gives back what it extracted; tries for up to 60s unless --deadline says otherwise");
  auto options = std::make_shared<ReleaseOptions>();
  command->add_option("--client", options->client, "Whose it is")->required()->type_name("CLIENT");
  command->add_option("EXTRACTION", options->extraction, "Which extraction")->required();
  command->add_option("ID", options->proxy_ids,
                      "Only these proxies of it, else all; - reads ids from standard input, one a line");
  command->add_option("--request-id", options->request_id, "Of this request: the same id, the same answer; else drawn")
      ->type_name("ID")
      ->check(NotEmpty());
  command->callback(
      [&chosen, options] { chosen = [options](Invocation& invocation) { return RunRelease(invocation, *options); }; });
}

}  // namespace holdfast::cli
