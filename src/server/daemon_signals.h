// SIGTERM and SIGINT as an orderly end: the first is waited for, a second ends the process at once.
//
// Life cycle: made by main before any other thread, so that all inherit the mask. Thread: main's.

#pragma once

#include <csignal>

namespace holdfast::server {

class EndSignals {
 public:
  // Blocks both in this thread and in those it starts; SIGPIPE is ignored from then on.
  EndSignals();

  // Waits for the first one and gives its number. From then on either ends the process, without a word.
  int Wait();

 private:
  sigset_t set_;
};

}  // namespace holdfast::server
