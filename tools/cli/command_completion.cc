#include "tools/cli/command_completion.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/cli/command_options.h"
#include "tools/cli/completion_script.h"

namespace holdfast::cli {

void AddCompletionCommand(CLI::App& app, Action& chosen) {
  const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  CLI::App* command = app.add_subcommand("completion", "Print the completion script of a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "Which shell")->required()->type_name(ChoicesText(shells))->check(OneOf(shells));
  command->callback([&app, &chosen, shell] {
    chosen = [&app, shell](Invocation& invocation) {
      const CommandModel model = ModelOf(app);
      invocation.environment.out << (*shell == "bash"  ? BashCompletion(model)
                                     : *shell == "zsh" ? ZshCompletion(model)
                                                       : FishCompletion(model));
      return Result::Done();
    };
  });
}

}  // namespace holdfast::cli
