// holdfast-checker: checks proxies as the controller asks, and reports what it saw.

#include <signal.h>
#include <sys/resource.h>

#include <iostream>

#include "tools/checker/checker_program.h"

namespace holdfast::checker {
namespace {

// A socket for each check, one more for those whose name has two addresses, and what the rest of the process needs.
constexpr rlim_t kDescriptorsBeside = 256;

int Fail(const std::string& why) {
  std::cerr << "holdfast-checker: " << why << "\n";
  return ToInt(ExitCode::kCouldNotRun);
}

// Raises the soft limit as far as is needed; false where the hard one forbids it.
bool EnsureDescriptors(std::uint32_t max_concurrency) {
  const rlim_t needed = 2 * rlim_t{max_concurrency} + kDescriptorsBeside;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return true;
  if (limit.rlim_max < needed) return false;
  limit.rlim_cur = needed;
  return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

int RunWith(const CheckerOptions& options) {
  if (!EnsureDescriptors(options.max_concurrency)) {
    return Fail("--max-concurrency " + std::to_string(options.max_concurrency) +
                " needs more open files than this process may have; lower it, or raise `ulimit -n`");
  }
  const auto secrets =
      options.secrets_file.empty() ? absl::StatusOr<SecretBook>(SecretBook()) : SecretBook::Load(options.secrets_file);
  if (!secrets.ok()) return Fail(std::string(secrets.status().message()));
  const auto boot_clock = SystemBootClock();
  if (!boot_clock.ok()) return Fail(std::string(boot_clock.status().message()));
  const auto wall_clock = SystemWallClock();
  const auto random = SystemRandomSource();
  EventLines lines(std::cout, *wall_clock, options.json);
  CheckerProgram program(options, *secrets, {**boot_clock, *wall_clock, *random, lines});
  return ToInt(program.Run());
}

}  // namespace
}  // namespace holdfast::checker

int main(int argc, char** argv) {
  // Before any thread is made: the main thread alone takes them, in its own time.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);

  const holdfast::checker::Parsed parsed = holdfast::checker::ParseOptions(argc, argv);
  if (!parsed.options) return holdfast::ToInt(parsed.exit_code);
  return holdfast::checker::RunWith(*parsed.options);
}
