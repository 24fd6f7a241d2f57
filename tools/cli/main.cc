// holdfast: the command line of operators and clients. Everything is in RunCli (cli.h); here is only what a process
// has: descriptors, signals, the clock, chance.

#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/random.h"
#include "tools/cli/cli.h"
#include "tools/cli/descriptor_buffer.h"
#include "tools/cli/descriptor_input.h"

namespace {

using holdfast::ExitCode;
using holdfast::cli::DescriptorBuffer;
using holdfast::cli::DescriptorInput;
using holdfast::cli::Environment;
using holdfast::cli::Interrupt;

// The signals that ask a program to end, taken by one thread; every other thread has them blocked.
sigset_t BlockSignals() {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away shows as EPIPE
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// The first asks politely; the second ends the process at once, as if nobody had asked.
void WatchSignals(sigset_t signals, Interrupt& interrupt) {
  std::thread([signals, &interrupt] {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) return;
    interrupt.Request();
    if (sigwait(&signals, &signal) == 0) _exit(ToInt(ExitCode::kCouldNotRun));
  }).detach();
}

std::optional<std::string> Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

std::int64_t NowMicros() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count();
}

ExitCode Run(const std::vector<std::string>& arguments, Interrupt& interrupt) {
  DescriptorBuffer out_buffer(STDOUT_FILENO);
  DescriptorBuffer error_buffer(STDERR_FILENO);
  std::ostream out(&out_buffer);
  std::ostream error(&error_buffer);
  error << std::unitbuf;
  DescriptorInput in_buffer(STDIN_FILENO, interrupt);
  std::istream in(&in_buffer);
  std::random_device seed;
  std::mt19937_64 random(seed());
  const std::unique_ptr<holdfast::RandomSource> ids = holdfast::SystemRandomSource();
  Environment environment{
      .out = out,
      .error = error,
      .in = in,
      .out_is_terminal = isatty(STDOUT_FILENO) == 1,
      .error_is_terminal = isatty(STDERR_FILENO) == 1,
      .interrupt = interrupt,
      .now_micros = NowMicros,
      .variable = Variable,
      .wait = [&interrupt](std::chrono::milliseconds time) { return interrupt.WaitFor(time); },
      .random = [&random] { return random(); },
      .draw_id = [&ids] { return holdfast::RandomId(*ids); },
  };
  const ExitCode code = holdfast::cli::RunCli(arguments, environment);
  const int fault = out_buffer.write_error();
  if (fault == 0 || fault == EPIPE) return code;
  error << "holdfast: cannot write to standard output: " << std::generic_category().message(fault)
        << ". What was asked of the daemon is done; only the output is cut.\n";
  return code == ExitCode::kDone ? ExitCode::kCouldNotRun : code;
}

}  // namespace

int main(int argc, char** argv) {
  static Interrupt& interrupt = *new Interrupt;  // never destroyed: the thread that watches the signals has no end
  WatchSignals(BlockSignals(), interrupt);
  return ToInt(Run(std::vector<std::string>(argv + 1, argv + argc), interrupt));
}
