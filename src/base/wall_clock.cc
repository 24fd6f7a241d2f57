#include "base/wall_clock.h"

#include <time.h>

#include "base/check.h"

namespace holdfast {
namespace {

class KernelWallClock final : public WallClock {
 public:
  std::int64_t Micros() const override {
    timespec now{};
    HOLDFAST_CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0);
    return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000;
  }
};

}  // namespace

std::unique_ptr<WallClock> SystemWallClock() { return std::make_unique<KernelWallClock>(); }

}  // namespace holdfast
