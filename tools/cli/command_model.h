// The commands and options of a program as plain data: what a completion script is made of.
//
// Made from CLI11's App by command_completion. Pure.

#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace holdfast::cli {

struct OptionModel {
  std::vector<std::string> names;  // "--state"
  std::string description;
  bool takes_value = false;
  bool takes_file = false;
  std::vector<std::string> choices;  // empty: any value
};

struct CommandModel {
  std::string path;  // "proxies remove"; empty: the program itself
  std::string name;
  std::string description;
  std::vector<OptionModel> options;  // the program's own come with each command
  std::vector<CommandModel> commands;
  bool takes_files = false;                   // as arguments
  std::vector<std::string> argument_choices;  // of its argument
};

CommandModel ModelOf(const CLI::App& app);

// The model and everything below it, a command before its own commands.
std::vector<const CommandModel*> Flatten(const CommandModel& model);

}  // namespace holdfast::cli
