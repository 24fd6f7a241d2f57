// A line on the terminal that says how far a long command is. Written anew at every hundredth of the way; nothing where
// nobody looks.
//
// Thread: one. Reads no clock: progress is counted in entries.

#pragma once

#include <cstdint>
#include <string>

#include "base/ids.h"
#include "replay/environment.h"

namespace holdfast::replay {

class Progress {
 public:
  Progress(const Environment& environment, std::string what, Sequence end);
  ~Progress();  // wipes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void At(Sequence sequence);

 private:
  const Environment& environment_;
  const std::string what_;
  const std::uint64_t end_;
  std::uint64_t shown_ = 0;  // in hundredths, plus one
};

}  // namespace holdfast::replay
