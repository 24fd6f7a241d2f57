// Options that several commands take, each checked when the command line is read, so that a wrong word ends with 2
// before anything is asked of the daemon.
//
// Called while the command line is set up. The choices of an option stand in its type name, "a|b|c": help and shell
// completion read them there.

#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "tools/cli/enum_word.h"

namespace holdfast::cli {

// "a|b|c".
std::string ChoicesText(const std::vector<std::string>& choices);
// Refuses what is not among the choices, naming them.
CLI::Validator OneOf(std::vector<std::string> choices);
// Refuses what is not KEY=VALUE with a key.
CLI::Validator KeyAndValue();
// Refuses what is not a time from 0 to `most`.
CLI::Validator TimeUpTo(std::chrono::microseconds most);
// Refuses an empty word, which a script writes whose variable is not set.
CLI::Validator NotEmpty();
// Splits what KeyAndValue() let through.
std::pair<std::string, std::string> SplitKeyAndValue(const std::string& text);

// `Value` is std::string, or a vector of them for an option that may be given again.
template <class Enum, class Value>
CLI::Option* AddEnumOption(CLI::App& command, const std::string& name, Value& value, const std::string& description) {
  return command.add_option(name, value, description)
      ->type_name(ChoicesText(EnumWords<Enum>()))
      ->check(OneOf(EnumWords<Enum>()));
}

}  // namespace holdfast::cli
