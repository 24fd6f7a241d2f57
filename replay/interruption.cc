#include "replay/interruption.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace holdfast::replay {
namespace {

std::atomic<bool> requested{false};
int wake_pipe[2] = {-1, -1};  // the handler writes, WaitFor polls

void OnSignal(int signal) {
  if (requested.exchange(true)) {  // a second time: at once
    _exit(128 + signal);
  }
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = write(wake_pipe[1], &byte, 1);
}

}  // namespace

Interruption::Interruption() {
  if (pipe(wake_pipe) != 0) wake_pipe[0] = wake_pipe[1] = -1;
  struct sigaction action {};
  action.sa_handler = OnSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

Interruption::~Interruption() {
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  for (int& end : wake_pipe) {
    if (end >= 0) close(end);
    end = -1;
  }
}

bool Interruption::IsRequested() { return requested.load(); }

bool Interruption::WaitFor(Duration duration) {
  pollfd entry{wake_pipe[0], POLLIN, 0};
  const int milliseconds = static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
  poll(&entry, 1, milliseconds);
  return !IsRequested();
}

}  // namespace holdfast::replay
