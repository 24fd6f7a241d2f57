// Golden stories: a text of commands, each followed by what the real rules decided from it. A story is run again and
// compared; with HOLDFAST_GOLDEN=write it is written anew, to be read as a diff.
//
//   > drain w1 grace=10s              a command of an operator, a worker, the clock (README.md lists them)
//     12 drain_session: ...           the entries that came of it, as `holdfast log` shows them
//
// Thread: a plain object of one test.

#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/controller/checker_fixture.h"
#include "tests/controller/operator_inputs.h"

namespace holdfast::testing {

class Scenario {
 public:
  explicit Scenario(const Settings& settings) : story_(settings) {}

  // One command line without its mark. What it says, line by line; a line that begins with "?" is a mistake in the
  // story.
  std::vector<std::string> Run(const std::string& line);

  const Story& story() const { return story_; }

 private:
  using Words = std::vector<std::string>;
  using Command = std::function<void(Scenario&, const Words&)>;
  static const std::map<std::string, Command>& Commands();
  static std::map<std::string, Command> WorkerCommands();
  static std::map<std::string, Command> OtherCommands();
  static std::map<std::string, Command> CheckerCommands();

  Worker& WorkerNamed(const std::string& handle);
  void Live(const Words& words);
  void Find(const Words& words, std::size_t from, const std::string& handle);
  void LiveChecked(const Words& words);
  void ShowChecks(std::vector<std::string>& out) const;
  void Show(std::vector<std::string>& out) const;

  Story story_;
  std::map<std::string, Worker> workers_;    // by the story's own name of a process: "w1", or "w1/old"
  std::map<std::string, Checker> checkers_;  // by their ids
  std::size_t told_ = 0;                     // entries
};

// "10s", "250ms", "2m", "1h".
Duration DurationOf(const std::string& text);

// The story with its output made anew. Comments (#) and commands stay as they are. In one whose first line begins with
// "# Checked:" what is imported is PENDING until it is checked.
std::string Rewritten(const std::string& text);

}  // namespace holdfast::testing
