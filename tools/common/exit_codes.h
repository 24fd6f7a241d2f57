// What every program of the house says when it ends: one table, the same in all of them.
//
// Scripts are built on these numbers, so a number is never given another meaning. A program that knows more says it in
// words on stderr. A signal that ends the process without its consent (SIGKILL) is not in the table: that is the
// shell's.

#pragma once

namespace holdfast {

enum class ExitCode : int {
  kDone = 0,          // did what was asked
  kFoundWanting = 1,  // did it, and found something wrong: rejected lines, a violation, a difference
  kCouldNotRun = 2,   // usage, a file that cannot be read, an interruption before the end
  kUnreachable = 3,   // no answer from the other side: not running, another address, connection lost for good
  kRefused = 4,       // the other side answered, and said no
  kDeadline = 5,      // the other side did not answer in time
};

constexpr int ToInt(ExitCode code) { return static_cast<int>(code); }

}  // namespace holdfast
