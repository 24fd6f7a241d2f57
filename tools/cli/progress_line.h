// How far a thing is, on a terminal: one line that rewrites itself, on the error stream, since standard output is for
// what was found.
//
// Called by commands whose output a program may read. Thread: one at a time. Nothing of it ends in a file: where the
// error stream is no terminal it writes nothing. Notices are whole lines, and go there in any case. Of a command that
// shows nothing but how far it is: status_line.h.

#pragma once

#include <string>

#include "tools/cli/environment.h"

namespace holdfast::cli {

class ProgressLine {
 public:
  explicit ProgressLine(Environment& environment) : environment_(environment) {}
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(const std::string& text);
  // Wipes the line first.
  void Notice(const std::string& text);
  // What is written next to a terminal begins on an empty line.
  void Clear();

 private:
  Environment& environment_;
  bool shown_ = false;
};

}  // namespace holdfast::cli
