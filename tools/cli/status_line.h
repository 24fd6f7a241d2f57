// How far a thing is, on standard output: on a terminal one line that rewrites itself, elsewhere a line for each
// change.
//
// Called by commands that wait for something long. Thread: one. What is shown again unchanged is not written again. On
// a terminal what does not fit into its width is not seen, since a line that wraps cannot be rewritten.

#pragma once

#include <string>

#include "tools/cli/environment.h"

namespace holdfast::cli {

class StatusLine {
 public:
  explicit StatusLine(Environment& environment) : environment_(environment) {}
  ~StatusLine() { End(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void Show(const std::string& text);
  // What is written next begins on a line of its own; the last text stays.
  void End();

 private:
  Environment& environment_;
  std::string shown_;
  bool open_ = false;  // the cursor stands behind the text
};

}  // namespace holdfast::cli
