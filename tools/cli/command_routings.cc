#include "tools/cli/command_routings.h"

#include <google/protobuf/util/json_util.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>

#include "tools/cli/call.h"
#include "tools/cli/enum_word.h"
#include "tools/cli/json_text.h"
#include "tools/cli/label_text.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/routings_file.h"
#include "tools/cli/table.h"

namespace holdfast::cli {
namespace {

using admin::v1::ApplyRoutingsRequest;
using admin::v1::ApplyRoutingsResponse;
using admin::v1::ListRoutingsRequest;
using admin::v1::ListRoutingsResponse;
using admin::v1::RoutingSpec;

struct ApplyOptions {
  std::string file;
  std::optional<std::uint64_t> expected_revision;
};

template <class Items>
std::string Joined(const Items& items, const char* when_empty) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += ", ";
    if constexpr (std::is_same_v<std::decay_t<decltype(item)>, std::string>) {
      text += item;
    } else {
      text += std::to_string(item);
    }
  }
  return text.empty() ? when_empty : text;
}

std::vector<std::string> Cells(std::size_t place, const RoutingSpec& spec) {
  const std::string labels = LabelsText(spec.routing().proxy_labels());
  std::string check;
  for (const auto& target : spec.targets()) check += (check.empty() ? "" : ", ") + target.url();
  if (spec.min_anonymity() != controlplane::v1::ANONYMITY_UNSPECIFIED) {
    check += (check.empty() ? "" : "; ") + EnumWord(spec.min_anonymity());
  }
  return {std::to_string(place),
          spec.routing().routing_id(),
          Joined(spec.routing().host_patterns(), "none"),
          Joined(spec.routing().ports(), "any"),
          labels.empty() ? "any" : labels,
          Joined(spec.routing().zones(), "all"),
          check};
}

// A routing as protobuf maps it, with the names of the contract, so that it can be applied again.
std::optional<Json> RoutingJson(const RoutingSpec& spec) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string text;
  if (!google::protobuf::util::MessageToJsonString(spec, &text, options).ok()) return std::nullopt;
  return Json::parse(text, nullptr, false);
}

Result WriteJson(Invocation& invocation, const ListRoutingsResponse& response) {
  JsonList list(invocation.environment.out, "routings");
  for (const RoutingSpec& spec : response.routings()) {
    const std::optional<Json> json = RoutingJson(spec);
    if (!json) {
      return Result::CouldNotRun("routing \"" + PrintableText(spec.routing().routing_id()) +
                                 "\" holds a time that JSON cannot tell. Apply it anew.");
    }
    list.Add(*json);
  }
  list.Finish({{"revision", response.revision()}});
  return Result::Done();
}

Result RunListRoutings(Invocation& invocation) {
  ListRoutingsResponse response;
  const Result called = CallOnce(invocation, "ListRoutings", [&](grpc::ClientContext* context) {
    return invocation.server.pool().ListRoutings(context, ListRoutingsRequest(), &response);
  });
  if (!called.ok()) return called;
  if (invocation.json) return WriteJson(invocation, response);
  Table table(invocation.environment.out, {"#PLACE", "ROUTING", "HOSTS", "PORTS", "PROXY LABELS", "ZONES", "CHECK"});
  for (int i = 0; i < response.routings_size(); ++i) {
    table.Add(Cells(static_cast<std::size_t>(i) + 1, response.routings(i)));
  }
  table.Finish(true);
  invocation.environment.out << "\n" << table.rows() << " routing(s), revision " << response.revision() << '\n';
  return Result::Done();
}

std::optional<std::string> ReadWhole(Invocation& invocation, const std::string& path) {
  if (path == "-") return std::string(std::istreambuf_iterator<char>(invocation.environment.in), {});
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(std::istreambuf_iterator<char>(file), {});
  return file.bad() ? std::nullopt : std::optional<std::string>(std::move(text));
}

Result RunApplyRoutings(Invocation& invocation, const ApplyOptions& options) {
  const std::optional<std::string> text = ReadWhole(invocation, options.file);
  if (!text)
    return Result::CouldNotRun("routings apply: cannot read " + options.file +
                               ". Name a file, or - for standard input.");
  std::string error;
  std::optional<ApplyRoutingsRequest> request = ParseRoutings(*text, error);
  if (!request) {
    return Result::CouldNotRun("routings apply: " + options.file + ": " + PrintableText(error) +
                               ". Nothing was changed; docs/cli.md shows the form.");
  }
  if (options.expected_revision) request->set_expected_revision(*options.expected_revision);
  ApplyRoutingsResponse response;
  const Result called = CallOnce(invocation, "ApplyRoutings", [&](grpc::ClientContext* context) {
    return invocation.server.pool().ApplyRoutings(context, *request, &response);
  });
  if (!called.ok()) return called;
  if (invocation.json) {
    const Json json = {{"revision", response.revision()}, {"log_sequence", response.log_sequence()}};
    invocation.environment.out << JsonText(json) << '\n';
  } else {
    invocation.environment.out << request->routings_size() << " routing(s) in force, revision " << response.revision()
                               << ", log sequence " << response.log_sequence() << '\n';
  }
  return Result::Done();
}

}  // namespace

void AddRoutingsCommand(CLI::App& app, Action& chosen) {
  CLI::App* routings = app.add_subcommand("routings", "Which requests go through which proxies: list, apply");
  routings->require_subcommand(1);
  CLI::App* list = routings->add_subcommand("list", "The routings in force, in match order");
  list->callback([&chosen] { chosen = RunListRoutings; });

  CLI::App* apply = routings->add_subcommand("apply", "Replace the whole list of routings");
  auto options = std::make_shared<ApplyOptions>();
  apply->add_option("FILE", options->file, "JSON; - is standard input")->required()->type_name("FILE");
  apply
      ->add_option_function<std::uint64_t>(
          "--expected-revision", [options](const std::uint64_t& revision) { options->expected_revision = revision; },
          "Refuse unless this revision stands")
      ->type_name("N");
  apply->callback([&chosen, options] {
    chosen = [options](Invocation& invocation) { return RunApplyRoutings(invocation, *options); };
  });
}

}  // namespace holdfast::cli
