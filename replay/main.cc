// holdfast-replay: looks at a log offline. docs/replay.md.

#include <unistd.h>

#include <iostream>

#include "replay/interruption.h"
#include "replay/replay.h"

int main(int argc, char** argv) {
  const holdfast::replay::Interruption interruption;
  std::ios::sync_with_stdio(false);
  const holdfast::replay::Environment environment{
      .out = std::cout,
      .errors = std::cerr,
      .shows_progress = isatty(STDERR_FILENO) == 1,
      .is_interrupted = holdfast::replay::Interruption::IsRequested,
      .wait = holdfast::replay::Interruption::WaitFor,
  };
  return static_cast<int>(holdfast::replay::RunReplay(std::vector<std::string>(argv + 1, argv + argc), environment));
}
