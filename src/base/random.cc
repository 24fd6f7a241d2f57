#include "base/random.h"

#include <sys/random.h>

#include <array>
#include <cerrno>

#include "base/check.h"

namespace holdfast {
namespace {

class KernelRandomSource final : public RandomSource {
 public:
  void Fill(std::span<std::uint8_t> bytes) override {
    while (!bytes.empty()) {
      const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
      HOLDFAST_CHECK(got >= 0 || errno == EINTR);
      if (got > 0) bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
  }
};

}  // namespace

std::unique_ptr<RandomSource> SystemRandomSource() { return std::make_unique<KernelRandomSource>(); }

std::string RandomId(RandomSource& source) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::array<std::uint8_t, 16> bytes;
  source.Fill(bytes);
  std::string id;
  id.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    id.push_back(kDigits[byte >> 4]);
    id.push_back(kDigits[byte & 15]);
  }
  return id;
}

}  // namespace holdfast
