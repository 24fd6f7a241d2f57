#include "session/backoff.h"

#include <gtest/gtest.h>

namespace holdfast::session {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr BootTime kBegin{std::chrono::hours(1)};

// A generator that always says the same: 0 is the least jitter.
Backoff::Generator Always(std::uint64_t number) {
  return [number] { return number; };
}

// The number that makes the jitter of a delay of `base` zero.
Backoff::Generator Middle(Duration base) { return Always(static_cast<std::uint64_t>(base.count() * 20 / 100)); }

TEST(Backoff, DoublesFromOneSecondToTen) {
  std::uint64_t middle = 0;
  Backoff backoff({}, [&middle] { return middle; });
  std::vector<Duration> delays;

  for (const std::int64_t base : {1, 2, 4, 8, 10, 10, 10}) {
    middle = static_cast<std::uint64_t>(base) * 200'000;
    delays.push_back(backoff.NextDelay());
  }

  EXPECT_EQ(delays, (std::vector<Duration>{seconds(1), seconds(2), seconds(4), seconds(8), seconds(10), seconds(10),
                                           seconds(10)}));
  EXPECT_EQ(backoff.attempts(), 7U);
}

TEST(Backoff, TheJitterIsTwentyPerCentEitherWayAndNoMore) {
  EXPECT_EQ(Backoff({}, Always(0)).NextDelay(), milliseconds(800));
  EXPECT_EQ(Backoff({}, Always(400'000)).NextDelay(), milliseconds(1'200));

  std::uint64_t number = 88'172'645'463'325'252ULL;
  Backoff backoff({}, [&number] {
    number ^= number << 13;
    number ^= number >> 7;
    number ^= number << 17;
    return number;
  });
  bool below = false;
  bool above = false;
  for (int i = 0; i < 1'000; ++i) {
    const Duration delay = backoff.NextDelay();
    if (i < 4) continue;  // still growing
    EXPECT_GE(delay, seconds(8));
    EXPECT_LE(delay, seconds(12));
    below = below || delay < seconds(10);
    above = above || delay > seconds(10);
  }
  EXPECT_TRUE(below && above);
}

TEST(Backoff, IsResetByAStableMinuteWithAPositiveAck) {
  Backoff backoff({}, Middle(seconds(1)));
  backoff.NextDelay();
  backoff.NextDelay();

  backoff.SessionOpened(kBegin);
  backoff.PositiveAck();
  backoff.SessionEnded(kBegin + seconds(60));

  EXPECT_EQ(backoff.attempts(), 0U);
  EXPECT_EQ(backoff.NextDelay(), seconds(1));
}

TEST(Backoff, IsNotResetByLessThanAMinuteOrWithoutAnAck) {
  Backoff short_lived({}, Always(0));
  short_lived.NextDelay();
  short_lived.SessionOpened(kBegin);
  short_lived.PositiveAck();
  short_lived.SessionEnded(kBegin + seconds(60) - Duration(1));

  Backoff never_acknowledged({}, Always(0));
  never_acknowledged.NextDelay();
  never_acknowledged.SessionOpened(kBegin);
  never_acknowledged.SessionEnded(kBegin + seconds(600));

  EXPECT_EQ(short_lived.attempts(), 1U);
  EXPECT_EQ(never_acknowledged.attempts(), 1U);
}

TEST(Backoff, AnAckOfAnEarlierSessionDoesNotCount) {
  Backoff backoff({}, Always(0));
  backoff.NextDelay();
  backoff.SessionOpened(kBegin);
  backoff.PositiveAck();
  backoff.SessionEnded(kBegin + seconds(1));

  backoff.SessionOpened(kBegin + seconds(2));
  backoff.SessionEnded(kBegin + seconds(200));

  EXPECT_EQ(backoff.attempts(), 1U);
}

}  // namespace
}  // namespace holdfast::session
