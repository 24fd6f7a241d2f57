// One run of one command: what the person asked for that holds for every command, and where it goes.
//
// Made by RunCli after the command line was read; lives as long as the command. Thread: the command's.

#pragma once

#include <chrono>
#include <functional>

#include "tools/cli/environment.h"
#include "tools/cli/result.h"
#include "tools/cli/server_connection.h"

namespace holdfast::cli {

struct Invocation {
  Environment& environment;
  ServerConnection& server;
  bool json = false;
  // How long one answer may take; of a stream, how long it may be silent.
  std::chrono::microseconds deadline = std::chrono::seconds(10);
  bool deadline_given = false;  // by the person

  // For a call that takes its time: so long, unless the person said how long.
  void AllowUnlessGiven(std::chrono::microseconds usual) {
    if (!deadline_given) deadline = usual;
  }
};

// What a command does once the command line was read.
using Action = std::function<Result(Invocation&)>;

}  // namespace holdfast::cli
