#include "client/validity_clock.h"

#include <gtest/gtest.h>

#include "tests/client/wire_builders.h"

namespace holdfast::client {
namespace {

BootTime Boot(std::int64_t micros) { return BootTime(Duration(micros)); }

TEST(ValidityClock, RunsTwoPerMilleAheadFromTheMomentOfSending) {
  ValidityClock clock;

  clock.AddSample(At(0), Boot(5'000'000));

  EXPECT_EQ(clock.Latest(Boot(5'000'000)), At(0));
  EXPECT_EQ(clock.Latest(Boot(15'000'000)), At(10) + Duration(20'000));
  // A fraction of a microsecond counts as a whole one: the bound is on the safe side.
  EXPECT_EQ(clock.Latest(Boot(5'000'001)), At(0) + Duration(2));
}

TEST(ValidityClock, ALimitIsOverWhenTheClockReachesIt) {
  ValidityClock clock;
  clock.AddSample(At(0), Boot(0));

  const BootTime over = clock.WhenOver(At(30));

  EXPECT_TRUE(clock.IsOver(At(30), over));
  EXPECT_FALSE(clock.IsOver(At(30), over - Duration(1)));
  EXPECT_LT(over, Boot(30'000'000));
}

TEST(ValidityClock, WhenOverIsExactForEveryLimit) {
  for (std::int64_t sent = 0; sent < 700; sent += 7) {
    ValidityClock clock;
    clock.AddSample(At(0) + Duration(sent % 13), Boot(sent));
    for (std::int64_t ahead = 1; ahead < 2'000; ahead += 3) {
      const LogTime limit = At(0) + Duration(ahead);

      const BootTime over = clock.WhenOver(limit);

      ASSERT_TRUE(clock.IsOver(limit, over)) << sent << " " << ahead;
      ASSERT_FALSE(clock.IsOver(limit, over - Duration(1))) << sent << " " << ahead;
    }
  }
}

TEST(ValidityClock, KeepsTheTightestSampleInWhateverOrderTheyCome) {
  ValidityClock slow_answer_first;
  ValidityClock slow_answer_last;
  // The slow one was sent early and answered late: its server_time is far ahead of what its sending proves.
  const LogTime slow = At(5);
  const LogTime quick = At(6);

  slow_answer_first.AddSample(slow, Boot(1'000'000));
  slow_answer_first.AddSample(quick, Boot(6'000'000));
  slow_answer_last.AddSample(quick, Boot(6'000'000));
  slow_answer_last.AddSample(slow, Boot(1'000'000));

  EXPECT_EQ(slow_answer_first.Latest(Boot(6'000'000)), At(6));
  EXPECT_EQ(slow_answer_last.Latest(Boot(6'000'000)), At(6));
}

TEST(ValidityClock, WithoutASampleEverythingIsOver) {
  const ValidityClock clock;

  EXPECT_FALSE(clock.has_sample());
  EXPECT_TRUE(clock.IsOver(At(1'000'000), Boot(0)));
  EXPECT_EQ(clock.WhenOver(At(1'000'000)), BootTime::min());
}

TEST(ClientTime, TimesThatAreNotWholeMicrosecondsOrOutOfRangeAreNone) {
  google::protobuf::Timestamp time;
  time.set_seconds(10);
  time.set_nanos(1'000);
  EXPECT_EQ(LogTimeFrom(time), LogTimeFromMicros(10'000'001));

  time.set_nanos(1'001);
  EXPECT_EQ(LogTimeFrom(time), std::nullopt);

  time.set_nanos(0);
  time.set_seconds(-1);
  EXPECT_EQ(LogTimeFrom(time), std::nullopt);

  time.set_seconds(kTimeLimitMicroseconds / 1'000'000);
  time.set_nanos(999'999'000);
  EXPECT_EQ(LogTimeFrom(time), std::nullopt);
}

}  // namespace
}  // namespace holdfast::client
