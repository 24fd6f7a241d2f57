// Stories that chance writes: whatever happens, no machine has two users, and the same inputs are decided the same
// again.

#include <gtest/gtest.h>

#include <map>

#include "events/event_codec.h"
#include "tests/controller/random_story.h"

namespace holdfast::testing {
namespace {

constexpr std::uint64_t kStories = 60;
constexpr int kSteps = 400;

TEST(RandomStories, NoMachineEverHasTwoUsersAndEveryChecksumFits) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 1; seed <= kStories; ++seed) {
    RandomStory random(seed);
    for (int step = 0; step < kSteps; ++step) {
      random.Step();
      ASSERT_EQ(random.Broken(), "") << "seed " << seed << ", step " << step;
    }
    for (const LoggedEntry& entry : random.story().entries()) {
      for (const Event& event : entry.events) ++seen[std::string(EventName(event))];
    }
  }

  // The stories are worth their time only when they come about.
  for (const char* name : {"ownership_granted", "ownership_lapsing", "ownership_resumed", "ownership_released",
                           "snapshot_refused", "session_draining", "proxy_expired", "proxy_updated", "proxies_named",
                           "proxy_removed", "address_retired", "controller_started", "proxy_unusable"}) {
    EXPECT_GT(seen[name], 20) << name;
  }
}

TEST(RandomStories, WhatWasDecidedOnceIsDecidedAgain) {
  for (std::uint64_t seed = 100; seed < 110; ++seed) {
    RandomStory random(seed);
    for (int step = 0; step < kSteps; ++step) random.Step();

    ControllerState state;
    for (const LoggedEntry& entry : random.story().entries()) {
      const Decision again = Decide(state, entry.input, {entry.point.at, entry.point.sequence, entry.principal});
      ASSERT_EQ(again.events, entry.events) << "seed " << seed << ", sequence " << entry.point.sequence.value();
      for (const Event& event : entry.events) state.Apply(event, entry.point);
      state.Passed(entry.point);
    }
    EXPECT_EQ(state.StateDigest(), random.story().state().StateDigest());
  }
}

TEST(RandomStories, HoweverARunIsSplitItFoldsToTheSame) {
  for (std::uint64_t seed = 200; seed < 206; ++seed) {
    RandomStory random(seed);
    for (int step = 0; step < kSteps; ++step) random.Step();
    const std::vector<LoggedEntry>& entries = random.story().entries();

    ControllerState whole;
    std::vector<OwnershipPeriod> ended_whole;
    for (const LoggedEntry& entry : entries) {
      for (const Event& event : entry.events) whole.Apply(event, entry.point);
      whole.Passed(entry.point);
    }
    ended_whole = whole.TakeEndedPeriods();
    EXPECT_EQ(whole.StateDigest(), random.story().state().StateDigest());

    // In batches of any size: through the codec, with digests and ended periods taken where a batch ends.
    for (const std::size_t most : {1u, 2u, 7u, 64u}) {
      SeededRandom sizes(seed * 31 + most);
      ControllerState split;
      std::vector<OwnershipPeriod> ended;
      for (std::size_t begin = 0; begin < entries.size();) {
        const std::size_t end = std::min(entries.size(), begin + 1 + sizes.Below(most));
        for (; begin < end; ++begin) {
          std::string bytes;
          EncodeEvents(entries[begin].events, bytes);
          std::vector<Event> events;
          ASSERT_TRUE(DecodeEvents(bytes, events).ok());
          for (const Event& event : events) split.Apply(event, entries[begin].point);
          split.Passed(entries[begin].point);
        }
        for (OwnershipPeriod& period : split.TakeEndedPeriods()) ended.push_back(std::move(period));
        ASSERT_NE(split.StateDigest(), decltype(split.StateDigest()){});
      }
      EXPECT_EQ(split.StateDigest(), whole.StateDigest()) << "seed " << seed << ", batches of up to " << most;
      EXPECT_EQ(ended, ended_whole);
    }
  }
}

}  // namespace
}  // namespace holdfast::testing
