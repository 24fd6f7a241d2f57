#include "tools/cli/command_import.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "tools/cli/command_options.h"
#include "tools/cli/import_run.h"

namespace holdfast::cli {
namespace {

const std::vector<std::string> kFormats = {"txt", "csv", "json", "ndjson"};

struct ImportOptions {
  ImportSettings settings;
  std::string format;
  std::string scheme = "http";
  std::vector<std::string> labels;
};

// Refuses what would carry a password to the daemon, without repeating it.
CLI::Validator NoUserInformation() {
  const auto check = [](const std::string& given) -> std::string {
    return LooksLikeUrlWithUserInfo(given) ? "the value holds a URL with user and password: they may not go there" : "";
  };
  return CLI::Validator(check, "");
}

std::vector<std::string> Schemes() { return EnumWords<controlplane::v1::ProxyScheme>(); }

void AddListOptions(CLI::App& command, const std::shared_ptr<ImportOptions>& options) {
  command.add_option("FILE", options->settings.files, "Proxy lists; - is standard input")
      ->required()
      ->type_name("FILE");
  command.add_option("--format", options->format, "Take the lists for this; else it is detected")
      ->type_name(ChoicesText(kFormats))
      ->check(OneOf(kFormats));
  command.add_option("--scheme", options->scheme, "Of lines that name none")
      ->type_name(ChoicesText(Schemes()))
      ->check(OneOf(Schemes()))
      ->capture_default_str();
  command.add_flag("--times-utc", options->settings.times_are_utc, "Expiry times without a zone are UTC; else refused");
  command.add_flag("--allow-special", options->settings.allow_special,
                   "Also send loopback, private and other special addresses; the daemon has its own say");
  command
      .add_option_function<std::size_t>(
          "--rejections", [options](const std::size_t& count) { options->settings.most_rejections = count; },
          "List so many rejections (100; 10000 with --json)")
      ->type_name("N");
}

void AddItemOptions(CLI::App& command, const std::shared_ptr<ImportOptions>& options) {
  ImportSettings& settings = options->settings;
  command.add_flag("--dry-run", settings.dry_run, "Read and check, send nothing, write nothing");
  command
      .add_option("--secrets-out", settings.secrets_out,
                  "Keep user names and passwords in this file (mode 0600), by secret_ref; they never go to the daemon")
      ->type_name("FILE");
  CLI::Option* source = command.add_option("--source", settings.source, "Where these proxies were bought or found")
                            ->type_name("SOURCE")
                            ->check(NoUserInformation());
  CLI::Option* replace =
      command.add_flag("--replace", settings.replace, "Remove what the source had and these lists do not name");
  replace->needs(source);
  command.add_flag("--allow-empty", settings.allow_empty, "With --replace: also if no proxy was accepted")
      ->needs(replace);
  command.add_option("--zone", settings.zone, "The zone of every proxy of these lists")
      ->type_name("ZONE")
      ->check(NoUserInformation());
  command.add_option("--label", options->labels, "A label for every proxy of these lists (may be given again)")
      ->type_name("KEY=VALUE")
      ->check(NoUserInformation())
      ->check(KeyAndValue());
}

Result RunImport(Invocation& invocation, const ImportOptions& options) {
  ImportSettings settings = options.settings;
  if (settings.replace && settings.source.empty()) {
    return Result::CouldNotRun("import --replace: --source is empty. Name the source whose proxies these are.");
  }
  if (!options.format.empty()) settings.format = importer::ParseListFormat(options.format);
  settings.default_scheme = ParseScheme(options.scheme).value_or(Scheme::kHttp);
  for (const std::string& label : options.labels) {
    auto [key, value] = SplitKeyAndValue(label);
    settings.labels[std::move(key)] = std::move(value);
  }
  return ImportRun(invocation, settings).Run();
}

}  // namespace

void AddImportCommand(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("import", "Read proxy lists and add what is good to the pool");
  auto options = std::make_shared<ImportOptions>();
  AddListOptions(*command, options);
  AddItemOptions(*command, options);
  command->callback(
      [&chosen, options] { chosen = [options](Invocation& invocation) { return RunImport(invocation, *options); }; });
}

}  // namespace holdfast::cli
