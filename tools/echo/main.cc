// holdfast-judge: answers each HTTP request with what it saw of it, so that a checker learns what a proxy gives away.

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <thread>

#include "tools/echo/judge_options.h"
#include "tools/echo/judge_server.h"

namespace holdfast::echo {
namespace {

// Whole or not there: whoever waits for the file reads a whole address.
bool WritePortFile(const std::string& path, const std::string& address) {
  const std::string beside = path + ".new";
  {
    std::ofstream file(beside, std::ios::trunc);
    file << address;
    if (!file.flush()) return false;
  }
  return std::rename(beside.c_str(), path.c_str()) == 0;
}

void Tell(const JudgeOptions& options, const std::string& address) {
  if (options.json) {
    std::cout << "{\"event\": \"listening\", \"address\": \"" << address << "\"}" << std::endl;
  } else {
    std::cout << "holdfast-judge: listening on " << address << std::endl;
  }
}

int Fail(const std::string& why) {
  std::cerr << "holdfast-judge: " << why << "\n";
  return ToInt(ExitCode::kCouldNotRun);
}

int Serve(const JudgeOptions& options, const sigset_t& signals) {
  JudgeServer server(options);
  if (const absl::Status listening = server.Listen(); !listening.ok()) return Fail(std::string(listening.message()));
  if (!options.port_file.empty() && !WritePortFile(options.port_file, server.address())) {
    return Fail("cannot write --port-file " + options.port_file + "; name a file in a folder that you may write");
  }
  Tell(options, server.address());
  std::thread serving([&server] { server.Run(); });
  int signal = 0;
  sigwait(&signals, &signal);
  server.Stop();
  serving.join();
  return ToInt(ExitCode::kDone);
}

}  // namespace
}  // namespace holdfast::echo

int main(int argc, char** argv) {
  // Before any thread is made: the main thread alone takes them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);

  const holdfast::echo::Parsed parsed = holdfast::echo::ParseOptions(argc, argv);
  if (!parsed.options) return holdfast::ToInt(parsed.exit_code);
  return holdfast::echo::Serve(*parsed.options, signals);
}
