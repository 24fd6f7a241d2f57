// holdfast-fleet: simulated workers, checkers and clients over real gRPC, and a judge that watches the controller from
// outside.

#include <signal.h>

#include <iostream>

#include "tools/fleet/fleet.h"

int main(int argc, char** argv) {
  // Before any thread is made: the main thread alone takes them, in its own time.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  const holdfast::fleet::Parsed parsed = holdfast::fleet::ParseOptions(argc, argv);
  if (!parsed.options) return parsed.exit_code;
  const auto clock = holdfast::SystemBootClock();
  if (!clock.ok()) {
    std::cerr << "holdfast-fleet: " << clock.status().message() << "\n";
    return holdfast::fleet::kExitCouldNotRun;
  }
  const auto random = holdfast::SystemRandomSource();
  holdfast::fleet::Fleet fleet(*parsed.options, **clock, *random);
  return fleet.Run();
}
