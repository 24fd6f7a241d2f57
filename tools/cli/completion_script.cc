#include "tools/cli/completion_script.h"

#include <algorithm>
#include <map>
#include <vector>

namespace holdfast::cli {
namespace {

std::string Joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

// In single quotes; no description of ours holds more than an apostrophe.
std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char character : text) quoted += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return quoted + "'";
}

std::string OptionNames(const CommandModel& command) {
  std::vector<std::string> names;
  for (const OptionModel& option : command.options) names.insert(names.end(), option.names.begin(), option.names.end());
  return Joined(names, " ");
}

std::string CommandNames(const CommandModel& command) {
  std::vector<std::string> names = command.argument_choices;
  for (const CommandModel& below : command.commands) names.push_back(below.name);
  return Joined(names, " ");
}

// `case` lines that walk one word further: "proxies remove".
std::string WalkCases(const CommandModel& model) {
  std::string cases;
  for (const CommandModel* command : Flatten(model)) {
    if (!command->path.empty())
      cases += "      " + Quoted(command->path) + ") place=" + Quoted(command->path) + " ;;\n";
  }
  return cases;
}

using OfferChoices = std::string (*)(const std::string& quoted_choices);

// `case` lines by "$place:$previous": what is offered for the value of each option. The first command that has an
// option speaks for all; those where its value means something else come before it.
std::string ValueCases(const CommandModel& model, const char* offer_files, OfferChoices offer_choices) {
  std::string of_one;
  std::string of_all;
  std::map<std::string, std::string> actions;
  for (const CommandModel* command : Flatten(model)) {
    for (const OptionModel& option : command->options) {
      if (!option.takes_value) continue;
      std::string action = ":";
      if (option.takes_file) action = offer_files;
      if (!option.choices.empty()) action = offer_choices(Quoted(Joined(option.choices, " ")));
      const auto [first, is_new] = actions.emplace(Joined(option.names, " "), action);
      const std::string place = is_new ? "*" : Quoted(command->path);
      std::string patterns;
      for (const std::string& name : option.names) patterns += (patterns.empty() ? "" : "|") + place + ":" + name;
      if (is_new || first->second != action) {
        (is_new ? of_all : of_one) += "    " + patterns + ") " + action + "; return ;;\n";
      }
    }
  }
  return of_one + of_all;
}

std::string ValueNames(const CommandModel& model) {
  std::vector<std::string> names;
  for (const CommandModel* command : Flatten(model)) {
    for (const OptionModel& option : command->options) {
      for (const std::string& name : option.names) {
        if (option.takes_value && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      }
    }
  }
  return Joined(names, "|");
}

// Sets `place`, `options`, `commands` and `files` from the words before the current one.
std::string Walk(const CommandModel& model, const std::string& loop) {
  std::string text = "  local place= word skip= options= commands= files=\n" + loop;
  text += "    if [ -n \"$skip\" ]; then skip=; continue; fi\n";
  text += "    case \"$word\" in " + ValueNames(model) + ") skip=yes; continue ;; esac\n";
  text += "    case \"${place:+$place }$word\" in\n" + WalkCases(model) + "    esac\n  done\n";
  text += "  case \"$place\" in\n";
  for (const CommandModel* command : Flatten(model)) {
    text += "    " + Quoted(command->path) + ") options=" + Quoted(OptionNames(*command)) +
            " commands=" + Quoted(CommandNames(*command)) + (command->takes_files ? " files=yes" : "") + " ;;\n";
  }
  return text + "  esac\n";
}

}  // namespace

std::string BashCompletion(const CommandModel& model) {
  std::string text = "# bash completion of holdfast: source <(holdfast completion bash)\n_holdfast() {\n";
  text += "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n";
  text += "  COMPREPLY=()\n";
  text += Walk(model, "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n");
  text += "  case \"$place:$previous\" in\n";
  text += ValueCases(
      model, "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$current\"))",
      [](const std::string& choices) { return "COMPREPLY=($(compgen -W " + choices + " -- \"$current\"))"; });
  text += "  esac\n";
  text += "  case \"$current\" in -*) commands=\"$options\" files= ;; esac\n";
  text += "  COMPREPLY=($(compgen -W \"$commands\" -- \"$current\"))\n";
  text += "  if [ -n \"$files\" ]; then\n    compopt -o filenames 2>/dev/null\n";
  text += "    COMPREPLY+=($(compgen -f -- \"$current\"))\n  fi\n}\ncomplete -F _holdfast holdfast\n";
  return text;
}

std::string ZshCompletion(const CommandModel& model) {
  std::string text =
      "#compdef holdfast\n# zsh completion of holdfast: source <(holdfast completion zsh)\n_holdfast() {\n";
  text += "  local current=\"${words[CURRENT]}\" previous=\"${words[CURRENT-1]}\"\n";
  text += Walk(model, "  for word in \"${(@)words[2,CURRENT-1]}\"; do\n");
  text += "  case \"$place:$previous\" in\n";
  text += ValueCases(model, "_files", [](const std::string& choices) { return "compadd -- ${=:-" + choices + "}"; });
  text += "  esac\n";
  text += "  case \"$current\" in -*) commands=\"$options\" files= ;; esac\n";
  text += "  compadd -- ${=commands}\n  if [ -n \"$files\" ]; then _files; fi\n}\n";
  text += "if [ \"$funcstack[1]\" = \"_holdfast\" ]; then _holdfast \"$@\"; else compdef _holdfast holdfast; fi\n";
  return text;
}

namespace {

// fish knows which commands were typed; a command below another needs both.
std::string FishCondition(const CommandModel& command) {
  std::string condition;
  std::string path = command.path;
  while (!path.empty()) {
    const std::size_t space = path.find(' ');
    condition +=
        std::string(condition.empty() ? "" : "; and ") + "__fish_seen_subcommand_from " + path.substr(0, space);
    path = space == std::string::npos ? "" : path.substr(space + 1);
  }
  std::vector<std::string> below;
  for (const CommandModel& next : command.commands) below.push_back(next.name);
  if (!below.empty()) {
    condition +=
        std::string(condition.empty() ? "" : "; and ") + "not __fish_seen_subcommand_from " + Joined(below, " ");
  }
  return condition;
}

}  // namespace

std::string FishCompletion(const CommandModel& model) {
  std::string text = "# fish completion of holdfast: holdfast completion fish | source\ncomplete -c holdfast -f\n";
  for (const CommandModel* command : Flatten(model)) {
    const std::string line = "complete -c holdfast -n " + Quoted(FishCondition(*command));
    for (const CommandModel& below : command->commands) {
      text += line + " -a " + below.name + " -d " + Quoted(below.description) + "\n";
    }
    if (!command->argument_choices.empty())
      text += line + " -a " + Quoted(Joined(command->argument_choices, " ")) + "\n";
    if (command->takes_files) text += line + " -F\n";
    for (const OptionModel& option : command->options) {
      text += line;
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (option.takes_value) text += option.takes_file ? " -r -F" : " -x";
      if (!option.choices.empty()) text += " -a " + Quoted(Joined(option.choices, " "));
      text += " -d " + Quoted(option.description) + "\n";
    }
  }
  return text;
}

}  // namespace holdfast::cli
