// Clocks and randomness that a test moves: nothing here reads the machine's.
//
// Thread: any.

#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "base/boot_clock.h"
#include "base/random.h"
#include "base/wall_clock.h"

namespace holdfast::server {

// Both clocks of one machine, in step unless a test sets the wall; the wall is far from the machine's own.
class ManualClocks {
 public:
  void Advance(std::int64_t micros) { passed_ += micros; }
  // Somebody sets the date.
  void SetWallBy(std::int64_t micros) { set_ += micros; }

  const BootClock& boot() const { return boot_; }
  const WallClock& wall() const { return wall_; }

 private:
  struct Boot final : BootClock {
    explicit Boot(const std::atomic<std::int64_t>& passed) : passed(passed) {}
    std::int64_t Micros() const override { return 5'000'000 + passed.load(); }
    const std::string& BootId() const override { return id; }
    const std::atomic<std::int64_t>& passed;
    const std::string id = "boot-of-the-test";
  };
  struct Wall final : WallClock {
    Wall(const std::atomic<std::int64_t>& passed, const std::atomic<std::int64_t>& set) : passed(passed), set(set) {}
    std::int64_t Micros() const override { return 1'900'000'000'000'000 + passed.load() + set.load(); }
    const std::atomic<std::int64_t>& passed;
    const std::atomic<std::int64_t>& set;
  };
  std::atomic<std::int64_t> passed_{0};
  std::atomic<std::int64_t> set_{0};
  const Boot boot_{passed_};
  const Wall wall_{passed_, set_};
};

// The same bytes each time.
class CountingRandom final : public RandomSource {
 public:
  void Fill(std::span<std::uint8_t> bytes) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::uint8_t& byte : bytes) {
      state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
      byte = static_cast<std::uint8_t>(state_ >> 56);
    }
  }

 private:
  std::mutex mutex_;
  std::uint64_t state_ = 42;
};

}  // namespace holdfast::server
