#include "tools/cli/command_model.h"

#include <CLI/CLI.hpp>

namespace holdfast::cli {
namespace {

// The choices of an option stand in its type name: "a|b|c" (command_options.h).
std::vector<std::string> ChoicesOf(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (type.find('|') == std::string::npos) return {};
  return CLI::detail::split(type, '|');
}

bool TakesFile(const CLI::Option& option) { return option.get_type_name().find("FILE") != std::string::npos; }

OptionModel ModelOf(const CLI::Option& option) {
  OptionModel model;
  for (const std::string& name : option.get_snames()) model.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) model.names.push_back("--" + name);
  model.description = option.get_description();
  model.takes_value = option.get_items_expected_max() > 0;
  model.takes_file = model.takes_value && TakesFile(option);
  model.choices = ChoicesOf(option);
  return model;
}

CommandModel ModelOf(const CLI::App& app, const std::string& path, const std::vector<OptionModel>& inherited) {
  CommandModel model;
  model.path = path;
  model.name = app.get_name();
  model.description = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) {
      model.options.push_back(ModelOf(*option));
    } else {
      model.takes_files = model.takes_files || TakesFile(*option);
      for (const std::string& choice : ChoicesOf(*option)) model.argument_choices.push_back(choice);
    }
  }
  for (const OptionModel& option : inherited) model.options.push_back(option);
  std::vector<OptionModel> passed_on;
  for (const OptionModel& option : model.options) {
    const bool own = option.names.back() == "--help" || option.names.back() == "--version";
    if (path.empty() && !own) passed_on.push_back(option);
  }
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string below = path.empty() ? command->get_name() : path + " " + command->get_name();
    model.commands.push_back(ModelOf(*command, below, path.empty() ? passed_on : inherited));
  }
  return model;
}

void Flatten(const CommandModel& model, std::vector<const CommandModel*>& flat) {
  flat.push_back(&model);
  for (const CommandModel& command : model.commands) Flatten(command, flat);
}

}  // namespace

CommandModel ModelOf(const CLI::App& app) { return ModelOf(app, "", {}); }

std::vector<const CommandModel*> Flatten(const CommandModel& model) {
  std::vector<const CommandModel*> flat;
  Flatten(model, flat);
  return flat;
}

}  // namespace holdfast::cli
