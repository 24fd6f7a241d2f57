#include "base/boot_clock.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>
#include <time.h>

#include <fstream>

#include "base/check.h"

namespace holdfast {
namespace {

constexpr char kBootIdFile[] = "/proc/sys/kernel/random/boot_id";
constexpr std::size_t kMaxBootIdBytes = 255;

class KernelBootClock final : public BootClock {
 public:
  explicit KernelBootClock(std::string boot_id) : boot_id_(std::move(boot_id)) {}

  std::int64_t Micros() const override {
    timespec now{};
    HOLDFAST_CHECK(clock_gettime(CLOCK_BOOTTIME, &now) == 0);
    return std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1'000;
  }
  const std::string& BootId() const override { return boot_id_; }

 private:
  const std::string boot_id_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<BootClock>> SystemBootClock() {
  std::ifstream file(kBootIdFile);
  std::string boot_id;
  if (!std::getline(file, boot_id) || boot_id.empty() || boot_id.size() > kMaxBootIdBytes) {
    return absl::InternalError(absl::StrCat("The id of this boot could not be read from ", kBootIdFile,
                                            ". Mount /proc where the program runs: without it nobody can tell a "
                                            "restart of the program from a restart of the machine."));
  }
  return std::make_unique<KernelBootClock>(std::move(boot_id));
}

}  // namespace holdfast
