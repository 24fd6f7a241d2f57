// The date of another machine: how it begins, what becomes of it while nobody answers, and one that jumps.

#include "server/followed_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/daemon_fixture.h"
#include "tests/server/test_worker.h"
#include "tests/server/wait_until.h"

namespace holdfast::server {
namespace {

using log::v1::Input;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::int64_t kDate = 1'900'000'000'000'000;

// The other machine, as the test moves it. Thread: any.
struct OtherMachine {
  std::atomic<std::int64_t> ahead_micros{0};
  std::atomic<int> silent_for{0};  // answers that it will not give
  std::atomic<int> asked{0};
};

class FakeSampler final : public ClockSampler {
 public:
  FakeSampler(OtherMachine& other, const BootClock& boot) : other_(other), boot_(boot) {}
  absl::StatusOr<ClockSample> Sample() override {
    ++other_.asked;
    if (other_.silent_for > 0) {
      --other_.silent_for;
      return absl::UnavailableError("nobody is there");
    }
    const std::int64_t now = boot_.Micros();
    return ClockSample{now, now, kDate + now + other_.ahead_micros};
  }

 private:
  OtherMachine& other_;
  const BootClock& boot_;
};

absl::StatusOr<std::unique_ptr<FollowedClock>> Follow(OtherMachine& other, const BootClock& boot) {
  FollowedClock::Options options;
  options.period = milliseconds(1);
  return FollowedClock::Start(std::make_unique<FakeSampler>(other, boot), boot, options);
}

// Asked and answered once more than now.
void WaitForAnother(const OtherMachine& other) {
  const int before = other.asked;
  WaitUntil([&] { return other.asked >= before + 2; });
}

TEST(FollowedClock, ItBeginsWithTheFirstAnswerOfSomeTries) {
  ManualClocks clocks;
  OtherMachine other;
  other.silent_for = 2;

  const auto clock = Follow(other, clocks.boot());

  ASSERT_TRUE(clock.ok()) << clock.status();
  EXPECT_EQ((*clock)->Micros(), kDate + clocks.boot().Micros());
}

TEST(FollowedClock, WithoutAnyAnswerThereIsNoClock) {
  ManualClocks clocks;
  OtherMachine other;
  other.silent_for = 1'000;

  const absl::Status status = Follow(other, clocks.boot()).status();

  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("nobody is there"), HasSubstr("tried 3 times"), HasSubstr("clock.source=system")));
  EXPECT_EQ(other.asked, 3);
}

TEST(FollowedClock, WhileNobodyAnswersItGoesOnAndIsFollowedAgain) {
  ManualClocks clocks;
  OtherMachine other;
  const auto clock = *Follow(other, clocks.boot());

  other.silent_for = 1'000'000;
  WaitForAnother(other);
  other.ahead_micros = 3'000'000;
  clocks.Advance(250'000);
  EXPECT_EQ(clock->Micros(), kDate + clocks.boot().Micros());
  other.silent_for = 0;

  WaitUntil([&] { return clock->Micros() == kDate + clocks.boot().Micros() + 3'000'000; });
}

TEST(FollowedClock, ADateThatJumpsIsReportedAndHarmsNobody) {
  OtherMachine other;
  const FollowedClock* followed = nullptr;
  TestDaemon::Options options;
  options.wall_clock = [&](const BootClock& boot) {
    auto clock = *Follow(other, boot);
    followed = clock.get();
    return clock;
  };
  TestDaemon daemon(options);
  TestWorker worker(daemon, "worker-1");
  const auto watch = worker.Activate();
  const LogTime before = daemon.loop().Now();

  const std::int64_t date = followed->Micros();
  other.ahead_micros = Duration(hours(1)).count();
  WaitUntil([&] { return followed->Micros() - date >= Duration(hours(1)).count(); });
  daemon.Advance(seconds(1));

  const auto told = daemon.Entries(Input::kObserveClock);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].input.observe_clock().offset_micros(), 0);
  EXPECT_LT(daemon.loop().Now() - before, seconds(2));
  EXPECT_TRUE(worker.Call(worker.ReportRequest(1)).ok());
}

}  // namespace
}  // namespace holdfast::server
