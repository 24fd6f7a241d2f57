#include "tools/cli/command_extract.h"

#include <absl/strings/match.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>

#include "tools/cli/command_options.h"
#include "tools/cli/extraction_text.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/repeated_call.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using distribution::v1::ExtractRequest;
using distribution::v1::ExtractResponse;

// A store that went away for a moment is back by then, and what it was asked for is known to be given or not.
constexpr std::chrono::seconds kExtractDeadline{60};

struct ExtractOptions {
  std::string client;
  std::uint32_t count = 0;
  std::string request_id;  // empty: one is drawn
  std::vector<std::string> labels;
  std::vector<std::string> schemes;
  std::string min_remaining;
  std::string hold;
  std::string routing;
  bool all_or_nothing = false;
  bool resolves_secrets = false;
  std::string format;  // empty: a table, or --json

  bool FormatIs(const char* word) const { return absl::EqualsIgnoreCase(format, word); }
};

ExtractRequest ToRequest(const ExtractOptions& options, const RequestId& id) {
  ExtractRequest request;
  request.set_client_id(options.client);
  request.set_request_id(id.text);
  request.set_count(options.count);
  request.set_all_or_nothing(options.all_or_nothing);
  for (const std::string& label : options.labels) {
    const auto [key, value] = SplitKeyAndValue(label);
    (*request.mutable_labels())[key] = value;
  }
  for (const std::string& word : options.schemes) {
    request.add_schemes(*ParseEnumWord<controlplane::v1::ProxyScheme>(word));
  }
  if (!options.min_remaining.empty()) {
    *request.mutable_min_remaining() = ToDuration(*ParseDurationOrZero(options.min_remaining));
  }
  if (!options.hold.empty()) *request.mutable_hold() = ToDuration(*ParseDurationOrZero(options.hold));
  request.set_routing_id(options.routing);
  request.set_resolves_secrets(options.resolves_secrets);
  return request;
}

void Write(Invocation& invocation, const ExtractOptions& options, const ExtractRequest& asked,
           const ExtractResponse& answer) {
  std::ostream& out = invocation.environment.out;
  if (invocation.json || options.FormatIs("json")) {
    out << JsonText(ExtractionJson(asked, answer)) << '\n';
  } else if (options.format.empty()) {
    WriteExtraction(out, asked, answer);
  } else {
    WriteUrls(out, options.FormatIs("curl") ? "--proxy " : "", answer);
    out.flush();
    for (const std::string& line : BesideUrls(asked, answer)) {
      invocation.environment.error << "holdfast: " << PrintableText(line) << '\n';
    }
  }
}

Result RunExtract(Invocation& invocation, const ExtractOptions& options) {
  if (invocation.json && !options.format.empty() && !options.FormatIs("json")) {
    return Result::CouldNotRun("extract: --json and --format " + options.format +
                               " are two forms of one output. Leave one of them out.");
  }
  invocation.AllowUnlessGiven(kExtractDeadline);
  const RequestId id = GivenOrDrawn(invocation.environment, options.request_id);
  const ExtractRequest asked = ToRequest(options, id);
  ExtractResponse answer;
  RepeatedCall call(invocation, "Extract", id);
  const Result called = call.Run(
      [&](grpc::ClientContext* context) { return invocation.server.distribution().Extract(context, asked, &answer); });
  if (!called.ok()) return called;
  Write(invocation, options, asked, answer);
  if (id.drawn) {
    invocation.environment.out.flush();
    invocation.environment.error << "holdfast: with --request-id " << PrintableText(id.text)
                                 << " the same command gives the same answer, as long as the extraction stands\n";
  }
  return ExtractionVerdict(asked, answer);
}

void AddWhatFits(CLI::App& command, ExtractOptions& options) {
  command.add_option("--label", options.labels, "Only with this label (may be given again)")
      ->type_name("KEY=VALUE")
      ->check(KeyAndValue());
  AddEnumOption<controlplane::v1::ProxyScheme>(command, "--scheme", options.schemes,
                                               "Only of this scheme (may be given again)");
  command.add_option("--min-remaining", options.min_remaining, "Only what can be used for so long at least")
      ->type_name("TIME")
      ->check(TimeUpTo(std::chrono::hours(24 * 365)));
  command.add_option("--routing", options.routing, "Only what has passed the target check of this routing")
      ->type_name("ROUTING");
  command.add_flag("--resolves-secrets", options.resolves_secrets,
                   "Also those with a secret_ref: the client has their secrets");
}

}  // namespace

void AddExtractCommand(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "extract", "A client takes machines exclusively; tries for up to 60s unless --deadline says otherwise");
  auto options = std::make_shared<ExtractOptions>();
  command->add_option("--client", options->client, "Who takes them")->required()->type_name("CLIENT");
  command->add_option("--count", options->count, "How many machines; all schemes of one are one machine")
      ->required()
      ->type_name("N")
      ->check(CLI::Range(std::uint32_t{1}, std::numeric_limits<std::uint32_t>::max()));
  command->add_option("--request-id", options->request_id, "Of this request: the same id, the same answer; else drawn")
      ->type_name("ID")
      ->check(NotEmpty());
  AddWhatFits(*command, *options);
  command
      ->add_option("--hold", options->hold, "Give them back by themselves after so long; else when the first expires")
      ->type_name("TIME")
      ->check(TimeUpTo(std::chrono::hours(24 * 365)));
  command->add_flag("--all-or-nothing", options->all_or_nothing, "Take none where there are fewer");
  const std::vector<std::string> formats = {"url", "json", "curl"};
  command->add_option("--format", options->format, "What to print for programs; json: as --json")
      ->type_name(ChoicesText(formats))
      ->check(OneOf(formats));
  command->callback(
      [&chosen, options] { chosen = [options](Invocation& invocation) { return RunExtract(invocation, *options); }; });
}

}  // namespace holdfast::cli
