#include "client/event_loop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>

#include "tests/client/patience.h"

namespace holdfast::client {
namespace {

using test::kPatience;

// A loop whose clock only the test moves; a moved clock is noticed with the next post.
class EventLoopTest : public ::testing::Test {
 protected:
  EventLoopTest() : loop_([this] { return BootTime(Duration(micros_.load())); }) {}

  std::atomic<std::int64_t> micros_{1'000};
  EventLoop loop_;
};

TEST_F(EventLoopTest, RunsWhatIsPostedInOrder) {
  std::vector<int> seen;

  for (int i = 0; i < 100; ++i) loop_.Post([&seen, i] { seen.push_back(i); });
  loop_.RunAndWait([] {});

  ASSERT_EQ(seen.size(), 100U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST_F(EventLoopTest, TimersRunWhenDueInTheOrderOfTheirTimesAndOfTheirMaking) {
  std::vector<int> seen;
  std::promise<void> last;
  loop_.RunAndWait([&] {
    loop_.RunAt(BootTime(Duration(30)), [&] { last.set_value(); });
    loop_.RunAt(BootTime(Duration(20)), [&] { seen.push_back(2); });
    loop_.RunAt(BootTime(Duration(10)), [&] { seen.push_back(1); });
    loop_.RunAt(BootTime(Duration(20)), [&] { seen.push_back(3); });
    loop_.RunAt(BootTime(Duration(1'000'000'000'000)), [&] { seen.push_back(4); });
  });

  ASSERT_EQ(last.get_future().wait_for(kPatience), std::future_status::ready);

  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
}

TEST_F(EventLoopTest, ATimerThatIsDueDoesNotRunOnceItWasCancelled) {
  // The run that breaks without it: a posted task destroys an object whose timer is due in the same round.
  std::promise<void> after;
  bool cancelled = false;
  bool ran_after_that = false;

  loop_.RunAndWait([&] {
    loop_.RunAt(BootTime(Duration(400)), [] {});
    const Scheduler::TimerId due = loop_.RunAt(BootTime(Duration(500)), [&] { ran_after_that = cancelled; });
    loop_.RunAt(BootTime(Duration(600)), [&] { after.set_value(); });
    loop_.Post([this, due, &cancelled] {
      loop_.Cancel(due);
      cancelled = true;
    });
  });
  ASSERT_EQ(after.get_future().wait_for(kPatience), std::future_status::ready);

  EXPECT_TRUE(cancelled);
  EXPECT_FALSE(ran_after_that);
}

TEST_F(EventLoopTest, AfterStopNothingRunsAndWhatWaitsIsDropped) {
  auto watched = std::make_shared<int>(1);
  const std::weak_ptr<int> weak = watched;
  bool ran = false;
  loop_.RunAndWait([&] { loop_.RunAt(BootTime(Duration(1'000'000'000'000)), [&ran, watched] { ran = true; }); });
  watched.reset();

  loop_.Stop();
  loop_.Post([&ran] { ran = true; });

  EXPECT_FALSE(ran);
  EXPECT_TRUE(weak.expired());
}

}  // namespace
}  // namespace holdfast::client
