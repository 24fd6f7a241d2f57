#include "bench/child.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

extern char** environ;

namespace holdfast::bench {

void Fail(const std::string& what) {
  std::fprintf(stderr, "bench: %s\n", what.c_str());
  std::exit(2);
}

Child::Child(std::vector<std::string> arguments, const std::string& port_file) {
  using Clock = std::chrono::steady_clock;
  std::filesystem::remove(port_file);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  if (posix_spawn(&pid_, argv[0], nullptr, nullptr, argv.data(), environ) != 0) Fail("cannot start " + arguments[0]);
  const auto end = Clock::now() + std::chrono::seconds(30);
  while (!std::filesystem::exists(port_file)) {
    if (Clock::now() > end || waitpid(pid_, nullptr, WNOHANG) == pid_) Fail(arguments[0] + " does not serve");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::getline(std::ifstream(port_file), address_);
}

Child::~Child() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
}

}  // namespace holdfast::bench
