// The boot clock of this machine, which a test may move on.
//
// Thread: read from any, moved by one.

#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/boot_clock.h"
#include "base/log_time.h"

namespace holdfast::pool::testing {

class TestClock final : public BootClock {
 public:
  std::int64_t Micros() const override { return system_->Micros() + moved_; }
  const std::string& BootId() const override { return system_->BootId(); }
  void MoveOn(Duration duration) { moved_ += duration.count(); }

 private:
  const std::unique_ptr<BootClock> system_ = *SystemBootClock();
  std::atomic<std::int64_t> moved_{0};
};

}  // namespace holdfast::pool::testing
