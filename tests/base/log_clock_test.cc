#include "base/log_clock.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace holdfast {
namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kHour = 3'600 * kSecond;
constexpr std::int64_t kWall = 1'800'000'000 * kSecond;

LogClockAnchor LastBlock(std::int64_t at, std::int64_t boot_micros) {
  return {.last_at = LogTimeFromMicros(at), .boot_id = "boot-a", .boot_micros = boot_micros};
}

TEST(LogClockStart, AnEmptyLogBeginsAtTheWall) {
  LogClock clock(std::nullopt, "boot-a", {.boot_micros = 50, .wall_micros = kWall});

  EXPECT_EQ(ToMicros(clock.Now({.boot_micros = 50, .wall_micros = kWall})), kWall);
  EXPECT_FALSE(clock.ContinuesBoot());
}

TEST(LogClockStart, AWallBeforeTheEpochIsNotTakenForAbsent) {
  LogClock clock(std::nullopt, "boot-a", {.boot_micros = 50, .wall_micros = -3});

  EXPECT_GE(ToMicros(clock.Now({.boot_micros = 50, .wall_micros = -3})), 1);
}

TEST(LogClockStart, OnTheSameBootItGoesOnByTheBootClockWhateverTheWallSays) {
  for (const std::int64_t wall : {kWall - 10 * kHour, kWall, kWall + 10 * kHour}) {
    const ClockReading now{.boot_micros = 100 * kSecond, .wall_micros = wall};

    LogClock clock(LastBlock(kWall, 40 * kSecond), "boot-a", now);

    EXPECT_EQ(ToMicros(clock.Now(now)), kWall + 60 * kSecond) << wall;
    EXPECT_TRUE(clock.ContinuesBoot());
  }
}

TEST(LogClockStart, OnAnotherBootItIsTheWallWhenThatIsLater) {
  const ClockReading now{.boot_micros = 5, .wall_micros = kWall + kHour};

  LogClock clock(LastBlock(kWall, 40 * kSecond), "boot-b", now);

  EXPECT_EQ(ToMicros(clock.Now(now)), kWall + kHour);
  EXPECT_FALSE(clock.ContinuesBoot());
}

TEST(LogClockStart, OnAnotherBootItIsTheLastEntryWhenTheWallLiesBehindIt) {
  const ClockReading now{.boot_micros = 5, .wall_micros = kWall - kHour};

  LogClock clock(LastBlock(kWall, 40 * kSecond), "boot-b", now);

  EXPECT_EQ(ToMicros(clock.Now(now)), kWall);
}

TEST(LogClockStart, ABootClockBehindTheLastBlockOfThisBootDoesNotGoBack) {
  const ClockReading now{.boot_micros = 10, .wall_micros = kWall};

  LogClock clock(LastBlock(kWall, 40 * kSecond), "boot-a", now);

  EXPECT_EQ(ToMicros(clock.Now(now)), kWall);
}

TEST(LogClockRun, IsSlewedTowardsTheWallByOneThousandth) {
  LogClock clock(std::nullopt, "boot-a", {.boot_micros = 0, .wall_micros = kWall});

  const LogTime ahead = clock.Now({.boot_micros = 100 * kSecond, .wall_micros = kWall + 102 * kSecond});

  EXPECT_EQ(ToMicros(ahead), kWall + 100 * kSecond + kSecond / 10);

  const LogTime behind = clock.Now({.boot_micros = 200 * kSecond, .wall_micros = kWall + 199 * kSecond});

  EXPECT_EQ(ToMicros(behind), kWall + 200 * kSecond);
}

TEST(LogClockRun, SlewingDoesNotDependOnHowOftenItIsRead) {
  LogClock often(std::nullopt, "boot-a", {.boot_micros = 0, .wall_micros = kWall});
  LogClock seldom(std::nullopt, "boot-a", {.boot_micros = 0, .wall_micros = kWall});
  const std::int64_t offset = 3 * kSecond;

  LogTime last;
  for (std::int64_t boot = 137; boot <= 137 * 10'000; boot += 137) {
    last = often.Now({.boot_micros = boot, .wall_micros = kWall + boot + offset});
  }
  const LogTime once = seldom.Now({.boot_micros = 1'370'000, .wall_micros = kWall + 1'370'000 + offset});

  EXPECT_EQ(last, once);
  EXPECT_EQ(ToMicros(last), kWall + 1'370'000 + 1'370);
}

TEST(LogClockRun, MeetsTheWallAndStaysThere) {
  LogClock clock(std::nullopt, "boot-a", {.boot_micros = 0, .wall_micros = kWall});

  const LogTime met = clock.Now({.boot_micros = kHour, .wall_micros = kWall + kHour + kSecond});

  EXPECT_EQ(ToMicros(met), kWall + kHour + kSecond);
  EXPECT_EQ(clock.Offset(), Duration(0));
}

TEST(LogClockRun, UnusedCorrectionIsNotSavedForLater) {
  LogClock clock(std::nullopt, "boot-a", {.boot_micros = 0, .wall_micros = kWall});
  clock.Now({.boot_micros = kHour, .wall_micros = kWall + kHour});

  const LogTime next = clock.Now({.boot_micros = kHour + kSecond, .wall_micros = kWall + kHour + 3 * kSecond});

  EXPECT_EQ(ToMicros(next), kWall + kHour + kSecond + 1'000);
}

TEST(LogClockRun, NeverGoesBackAndNeverLeavesTheSlewWhateverTheClocksSay) {
  LogClock clock(std::nullopt, "boot-a", {.boot_micros = 0, .wall_micros = kWall});
  std::uint64_t random = 42;
  std::int64_t boot = 0;
  LogTime last = LogTimeFromMicros(kWall);

  for (int i = 0; i < 100'000; ++i) {
    random = random * 6'364'136'223'846'793'005ULL + 1'442'695'040'888'963'407ULL;
    const std::int64_t step = static_cast<std::int64_t>(random >> 44) - 1'000;  // sometimes backwards
    const std::int64_t passed = std::max<std::int64_t>(step, 0);
    boot += passed;
    const std::int64_t wall = kWall + boot + static_cast<std::int64_t>((random >> 20) % 20'000'000) - 10'000'000;

    const LogTime now = clock.Now({.boot_micros = boot + std::min<std::int64_t>(step, 0), .wall_micros = wall});

    ASSERT_GE(now, last);
    const std::int64_t correction = (now - last).count() - passed;
    ASSERT_LE(std::abs(correction), passed / 1'000 + 1);
    last = now;
  }
}

TEST(LogClockJump, AWallMoreThanFiveSecondsAwayIsReportedOnceAndNotFollowed) {
  LogClock clock(std::nullopt, "boot-a", {.boot_micros = 0, .wall_micros = kWall});
  ASSERT_FALSE(clock.TakeObservation().has_value());

  const LogTime now = clock.Now({.boot_micros = kSecond, .wall_micros = kWall + kHour});

  EXPECT_EQ(ToMicros(now), kWall + kSecond);
  const std::optional<ClockObservation> jump = clock.TakeObservation();
  ASSERT_TRUE(jump.has_value());
  EXPECT_EQ(jump->offset, Duration(kHour - kSecond));
  EXPECT_EQ(ToMicros(jump->wall), kWall + kHour);
  EXPECT_FALSE(jump->over);

  clock.Now({.boot_micros = 2 * kSecond, .wall_micros = kWall + kHour + 6 * kSecond});

  EXPECT_FALSE(clock.TakeObservation().has_value());
}

TEST(LogClockJump, ExactlyFiveSecondsIsFollowed) {
  LogClock clock(std::nullopt, "boot-a", {.boot_micros = 0, .wall_micros = kWall});

  clock.Now({.boot_micros = 0, .wall_micros = kWall + 5 * kSecond});
  EXPECT_FALSE(clock.TakeObservation().has_value());

  clock.Now({.boot_micros = 0, .wall_micros = kWall + 5 * kSecond + 1});
  EXPECT_TRUE(clock.TakeObservation().has_value());
}

TEST(LogClockJump, IsToldAgainWhenItChangesByMoreThanFiveSeconds) {
  LogClock clock(std::nullopt, "boot-a", {.boot_micros = 0, .wall_micros = kWall});
  clock.Now({.boot_micros = 0, .wall_micros = kWall - kHour});
  ASSERT_TRUE(clock.TakeObservation().has_value());

  clock.Now({.boot_micros = 0, .wall_micros = kWall - kHour - 5 * kSecond});
  EXPECT_FALSE(clock.TakeObservation().has_value());

  clock.Now({.boot_micros = 0, .wall_micros = kWall - kHour - 5 * kSecond - 1});
  const std::optional<ClockObservation> again = clock.TakeObservation();
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->offset, Duration(-kHour - 5 * kSecond - 1));
}

TEST(LogClockJump, IsToldToBeOverWhenTheWallComesBack) {
  LogClock clock(std::nullopt, "boot-a", {.boot_micros = 0, .wall_micros = kWall});
  clock.Now({.boot_micros = 0, .wall_micros = kWall + kHour});
  clock.TakeObservation();

  clock.Now({.boot_micros = 0, .wall_micros = kWall + kSecond});

  const std::optional<ClockObservation> over = clock.TakeObservation();
  ASSERT_TRUE(over.has_value());
  EXPECT_TRUE(over->over);
  EXPECT_EQ(over->offset, Duration(kSecond));

  clock.Now({.boot_micros = 0, .wall_micros = kWall});
  EXPECT_FALSE(clock.TakeObservation().has_value());
}

TEST(LogClockJump, IsSeenAtAStart) {
  const ClockReading now{.boot_micros = 40 * kSecond, .wall_micros = kWall + kHour};

  LogClock clock(LastBlock(kWall, 40 * kSecond), "boot-a", now);

  const std::optional<ClockObservation> jump = clock.TakeObservation();
  ASSERT_TRUE(jump.has_value());
  EXPECT_EQ(jump->offset, Duration(kHour));
}

TEST(LogClockJump, ThatTheLogAlreadyTellsOfIsNotToldAgainAtAStart) {
  const ClockReading now{.boot_micros = 40 * kSecond, .wall_micros = kWall + kHour};

  LogClock clock(LastBlock(kWall, 40 * kSecond), "boot-a", now, Duration(kHour - 2 * kSecond));
  EXPECT_FALSE(clock.TakeObservation().has_value());

  clock.Now({.boot_micros = 40 * kSecond, .wall_micros = kWall});
  const std::optional<ClockObservation> over = clock.TakeObservation();
  ASSERT_TRUE(over.has_value());
  EXPECT_TRUE(over->over);
}

TEST(LogClockJump, AnOperatorsMoveBringsTheLogToTheWall) {
  LogClock clock(std::nullopt, "boot-a", {.boot_micros = 0, .wall_micros = kWall});
  clock.Now({.boot_micros = 0, .wall_micros = kWall + kHour});
  clock.TakeObservation();

  clock.MoveForward(Duration(kHour));

  EXPECT_EQ(ToMicros(clock.Now({.boot_micros = 0, .wall_micros = kWall + kHour})), kWall + kHour);
  const std::optional<ClockObservation> over = clock.TakeObservation();
  ASSERT_TRUE(over.has_value());
  EXPECT_TRUE(over->over);
}

TEST(LogClockDeathTest, MovingBackIsABrokenInvariant) {
  LogClock clock(std::nullopt, "boot-a", {.boot_micros = 0, .wall_micros = kWall});

  EXPECT_DEATH(clock.MoveForward(Duration(-1)), "broken invariant");
}

}  // namespace
}  // namespace holdfast
