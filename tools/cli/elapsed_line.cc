#include "tools/cli/elapsed_line.h"

#include <utility>

#include "tools/cli/time_text.h"

namespace holdfast::cli {

ElapsedLine::ElapsedLine(Environment& environment, std::string what, std::chrono::milliseconds interval)
    : what_(std::move(what)), interval_(interval), line_(environment) {
  if (environment.error_is_terminal) ticker_ = std::thread([this] { Run(); });
}

ElapsedLine::~ElapsedLine() {
  if (!ticker_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }
  ticker_.join();
}

void ElapsedLine::Run() {
  const auto begin = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  do {
    const auto elapsed = std::chrono::floor<std::chrono::seconds>(std::chrono::steady_clock::now() - begin);
    line_.Show(what_ + ", " + DurationText(std::chrono::microseconds(elapsed).count()));
  } while (!changed_.wait_for(lock, interval_, [this] { return over_; }));
}

}  // namespace holdfast::cli
