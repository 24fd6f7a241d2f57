// How long a call has taken so far, while it says nothing: "writing the pool store anew, 12s".
//
// Made beside a call that takes minutes, and gone before anything else is written. Has a thread of its own while it
// lives, which only waits and rewrites the line; none where the error stream is no terminal. Thread: the maker's.

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "tools/cli/progress_line.h"

namespace holdfast::cli {

class ElapsedLine {
 public:
  ElapsedLine(Environment& environment, std::string what, std::chrono::milliseconds interval = std::chrono::seconds(1));
  ~ElapsedLine();
  ElapsedLine(const ElapsedLine&) = delete;
  ElapsedLine& operator=(const ElapsedLine&) = delete;

 private:
  void Run();

  const std::string what_;
  const std::chrono::milliseconds interval_;
  ProgressLine line_;  // of the thread, while it runs
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;  // guarded by mutex_
  std::thread ticker_;
};

}  // namespace holdfast::cli
