#include <gtest/gtest.h>

#include <set>

#include "base/boot_clock.h"
#include "base/crc32c.h"
#include "base/random.h"
#include "base/wall_clock.h"

namespace holdfast {
namespace {

TEST(SystemBootClock, NamesTheBootAndNeverGoesBack) {
  const absl::StatusOr<std::unique_ptr<BootClock>> first = SystemBootClock();
  const absl::StatusOr<std::unique_ptr<BootClock>> second = SystemBootClock();
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_TRUE(second.ok()) << second.status();

  EXPECT_EQ((*first)->BootId().size(), 36u);
  EXPECT_EQ((*first)->BootId(), (*second)->BootId());
  std::int64_t last = 0;
  for (int i = 0; i < 1'000; ++i) {
    const std::int64_t now = (*first)->Micros();
    ASSERT_GE(now, last);
    last = now;
  }
  EXPECT_GT(last, 0);
}

TEST(SystemWallClock, KnowsThatThisCenturyHasBegun) { EXPECT_GT(SystemWallClock()->Micros(), 946'684'800'000'000); }

TEST(SystemRandomSource, IdsAre32HexDigitsAndDiffer) {
  const std::unique_ptr<RandomSource> source = SystemRandomSource();
  std::set<std::string> ids;

  for (int i = 0; i < 1'000; ++i) ids.insert(RandomId(*source));

  EXPECT_EQ(ids.size(), 1'000u);
  for (const std::string& id : ids) {
    EXPECT_EQ(id.size(), 32u);
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
  }
}

class CountingSource final : public RandomSource {
 public:
  void Fill(std::span<std::uint8_t> bytes) override {
    for (std::uint8_t& byte : bytes) byte = next_++;
  }

 private:
  std::uint8_t next_ = 0;
};

TEST(RandomId, IsTheBytesOfItsSourceInOrder) {
  CountingSource source;

  EXPECT_EQ(RandomId(source), "000102030405060708090a0b0c0d0e0f");
}

TEST(Crc32c, TheInstructionAndTheTableAgree) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    bytes.push_back(static_cast<char>(i * 37));

    ASSERT_EQ(Crc32c(bytes), Crc32cPortable(bytes)) << bytes.size();
    ASSERT_EQ(Crc32c(bytes, 77), Crc32cPortable(bytes, 77)) << bytes.size();
  }
}

TEST(Crc32c, KnownAnswersAndContinuation) {
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(Crc32c("56789", Crc32c("1234")), Crc32c("123456789"));
}

}  // namespace
}  // namespace holdfast
