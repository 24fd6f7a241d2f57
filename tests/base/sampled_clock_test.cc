// A date that is told now and then: what a sample proves, and what a log clock makes of one that jumps.

#include "base/sampled_clock.h"

#include <gtest/gtest.h>

#include "base/log_clock.h"

namespace holdfast {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

class TestBootClock final : public BootClock {
 public:
  std::int64_t Micros() const override { return micros; }
  const std::string& BootId() const override { return id; }
  std::int64_t micros = 7'000'000;
  const std::string id = "boot";
};

constexpr std::int64_t kDate = 1'900'000'000'000'000;

class SampledClockTest : public ::testing::Test {
 protected:
  // The other clock stands at kDate + boot + ahead; it answers in the middle of the round trip, or as `late` says.
  Duration Ask(Duration round_trip, Duration ahead, Duration late = Duration(0)) {
    const std::int64_t before = boot_.micros;
    boot_.micros += round_trip.count();
    const std::int64_t middle = before + round_trip.count() / 2 + late.count();
    return clock_.Take({before, boot_.micros, kDate + middle + ahead.count()});
  }
  // Of what the clock says, against the other one.
  Duration Off(Duration ahead) const { return Duration(clock_.Micros() - (kDate + boot_.micros + ahead.count())); }

  TestBootClock boot_;
  SampledClock clock_{boot_};
};

TEST_F(SampledClockTest, TheFirstAnswerIsTakenAsOfTheMiddleOfItsRoundTrip) {
  EXPECT_EQ(Ask(milliseconds(10), seconds(3)), Duration(0));

  EXPECT_EQ(Off(seconds(3)), Duration(0));
}

TEST_F(SampledClockTest, BetweenAnswersItRunsByTheBootClock) {
  Ask(milliseconds(1), Duration(0));
  const std::int64_t before = clock_.Micros();

  boot_.micros += 250'000;

  EXPECT_EQ(clock_.Micros(), before + 250'000);
}

TEST_F(SampledClockTest, ASlowAnswerMendsOnlyWhatIsCertainlyWrong) {
  Ask(milliseconds(1), Duration(0));

  // It was answered right away and was long on the way back: nothing says that the clock is wrong.
  EXPECT_EQ(Ask(seconds(2), Duration(0), -seconds(1)), Duration(0));
  EXPECT_EQ(Off(Duration(0)), Duration(0));
  // Off by more than the round trip can explain: moved by as little as that needs.
  EXPECT_EQ(Ask(seconds(2), seconds(10)), Duration(seconds(9)));
}

TEST_F(SampledClockTest, AQuickAnswerIsFollowedClosely) {
  Ask(milliseconds(400), Duration(0), milliseconds(200));  // a bad beginning
  EXPECT_EQ(Off(Duration(0)), Duration(milliseconds(200)));

  Ask(microseconds(100), Duration(0));

  EXPECT_EQ(Off(Duration(0)), Duration(microseconds(50)));
}

TEST_F(SampledClockTest, AJumpOverThereIsReportedByTheLogClockAndNotFollowed) {
  Ask(milliseconds(1), Duration(0));
  LogClock log(std::nullopt, boot_.id, {boot_.micros, clock_.Micros()});
  const LogTime before = log.Now({boot_.micros, clock_.Micros()});

  Ask(milliseconds(1), hours(1));
  boot_.micros += 1'000'000;
  const LogTime after = log.Now({boot_.micros, clock_.Micros()});

  EXPECT_EQ(after - before, milliseconds(1'001));
  const auto observation = log.TakeObservation();
  ASSERT_TRUE(observation.has_value());
  EXPECT_NEAR(static_cast<double>(observation->offset.count()), 3.6e9, 1e6);
  EXPECT_FALSE(observation->over);
}

TEST_F(SampledClockTest, ASmallStepOverThereIsSlewedTo) {
  Ask(milliseconds(1), Duration(0));
  LogClock log(std::nullopt, boot_.id, {boot_.micros, clock_.Micros()});
  const LogTime before = log.Now({boot_.micros, clock_.Micros()});

  Ask(milliseconds(1), seconds(2));
  boot_.micros += 1'000'000;
  const LogTime after = log.Now({boot_.micros, clock_.Micros()});

  EXPECT_GT(after - before, milliseconds(1'001));
  EXPECT_LE(after - before, milliseconds(1'001) + microseconds(1'002));
  EXPECT_FALSE(log.TakeObservation().has_value());
}

}  // namespace
}  // namespace holdfast
