#include "tests/cli/cli_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tools/cli/cli.h"

namespace holdfast::cli {

CliRun RunCommand(const std::vector<std::string>& arguments, const CliSetup& setup) {
  std::ostringstream out;
  std::ostringstream error;
  std::istringstream in(setup.in);
  Interrupt own;
  CliRun run;
  Environment environment{
      .out = out,
      .error = error,
      .in = in,
      .out_is_terminal = setup.terminal,
      .error_is_terminal = setup.terminal,
      .interrupt = setup.interrupt != nullptr ? *setup.interrupt : own,
      .now_micros = [] { return kTestNowMicros; },
      .variable =
          [&setup](const std::string& name) {
            const auto found = setup.variables.find(name);
            return found == setup.variables.end() ? std::nullopt : std::optional<std::string>(found->second);
          },
      .wait =
          [&setup, &run](std::chrono::milliseconds time) {
            run.waits.push_back(time);
            return setup.wait ? setup.wait(time) : true;
          },
      .random = [] { return std::uint64_t{0}; },
      .draw_id = [&run] { return "drawn-" + std::to_string(++run.drawn); },
  };
  run.code = RunCli(arguments, environment);
  run.out = out.str();
  run.error = error.str();
  return run;
}

CliRun RunAt(const std::string& server, std::vector<std::string> arguments, const CliSetup& setup) {
  arguments.insert(arguments.begin(), {"--server", server});
  return RunCommand(arguments, setup);
}

std::string TestPath(const std::string& name) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path directory = std::filesystem::path(::testing::TempDir()) /
                                          ("holdfast_cli_" + std::to_string(getpid())) /
                                          (std::string(test->test_suite_name()) + "." + test->name());
  std::filesystem::create_directories(directory);
  return (directory / name).string();
}

std::string WriteTestFile(const std::string& name, const std::string& content) {
  const std::string path = TestPath(name);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string ReadTestFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace holdfast::cli
