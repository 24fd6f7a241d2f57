// Updates and the size of a message: what is cut, what is deferred, and what must not be.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {
namespace {

using controlplane::v1::RegisterWorkerRequest;
using ::testing::IsEmpty;

TEST(MessageSize, WhatDoesNotFitOneMessageComesInPiecesTheLastOfWhichIsNotPartial) {
  Story story;
  const auto small = [](RegisterWorkerRequest& request) { request.set_max_message_bytes(20'000); };
  story.Import(Items(1, 250));
  Worker worker = story.Register("w1", "i1", small);
  story.Watch(worker);

  std::vector<bool> partial;
  for (int i = 0; i < 20; ++i) {
    story.Settle();
    if (story.SnapshotsOf("w1").outstanding.value() == 0) break;
    partial.push_back(story.SnapshotsOf("w1").outstanding_partial);
    story.Ack(worker);
  }

  ASSERT_GE(partial.size(), 3u);
  EXPECT_FALSE(partial.back());
  EXPECT_EQ(std::count(partial.begin() + 1, partial.end() - 1, true), static_cast<long>(partial.size() - 2));
  EXPECT_EQ(story.View("w1").size(), 250u);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(MessageSize, AFullUpdateOfAContentLargerThanAMessageIsCutAndContinued) {
  Story story;
  story.Import(Items(1, 250));
  Worker worker = story.Active("w1", [](RegisterWorkerRequest& request) { request.set_max_message_bytes(20'000); });
  ASSERT_EQ(story.View("w1").size(), 250u);

  story.Watch(worker);  // holds nothing any more
  story.Settle();
  EXPECT_TRUE(story.SnapshotsOf("w1").outstanding_full);
  EXPECT_TRUE(story.SnapshotsOf("w1").outstanding_partial);
  EXPECT_LT(story.View("w1").size(), 250u);

  story.Drink(worker);
  EXPECT_EQ(story.View("w1").size(), 250u);
  EXPECT_THAT(story.faults(), IsEmpty());
}

std::size_t BytesOfLargestUpdate(const Story& story) {
  std::size_t bytes = 0;
  for (const Boxed<Grant>& grant : story.state().snapshots().Build(story.Key("w1")).upserted)
    bytes += GrantBytes(*grant);
  return bytes;
}

TEST(MessageSize, ManyChangedLabelsAreSpreadOverDeltasThatFit) {
  Story story;
  story.Import(Items(1, 250));
  Worker worker = story.Active("w1", [](RegisterWorkerRequest& request) { request.set_max_message_bytes(20'000); });
  std::vector<admin::v1::ProxySpec> changed = Items(1, 250);
  for (auto& item : changed) (*item.mutable_labels())["country"] = std::string(100, 'x');

  story.Import(changed);
  for (int i = 0; i < 50; ++i) {
    story.Settle();
    if (story.SnapshotsOf("w1").outstanding.value() == 0) break;
    EXPECT_LE(BytesOfLargestUpdate(story), 20'000u);
    story.Ack(worker);
  }

  for (const auto& [id, grant] : story.View("w1")) EXPECT_EQ(grant.spec->labels.size(), 1u) << id;
  EXPECT_EQ(story.View("w1").size(), 250u);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(MessageSize, AShortenedLifeIsNeverLeftForALaterUpdate) {
  Story story;
  story.Import(Items(1, 250));
  Worker worker = story.Active("w1", [](RegisterWorkerRequest& request) { request.set_max_message_bytes(20'000); });
  std::vector<admin::v1::ProxySpec> changed = Items(1, 250);
  for (auto& item : changed) {
    (*item.mutable_labels())["country"] = std::string(100, 'x');
    *item.mutable_expires_at() = Time(kStart + seconds(120));
  }
  story.Import(changed);

  story.Settle();
  for (const auto& [id, grant] : story.View("w1")) EXPECT_EQ(grant.expires_at, kStart + seconds(120)) << id;
  EXPECT_LT(story.View("w1").size(), 250u);  // the others left, and come back
  story.Drink(worker);

  EXPECT_EQ(story.View("w1").size(), 250u);
  EXPECT_THAT(story.faults(), IsEmpty());
}

// Renewed in time, but the message is full: what is still listed with the times that it had must not outlive them.
TEST(MessageSize, WhatIsListedWithTimesThatAreOverLeavesUntilItsRenewalFits) {
  Story story;
  std::vector<admin::v1::ProxySpec> items = Items(1, 250);
  for (auto& item : items) *item.mutable_expires_at() = Time(kStart + seconds(120));
  story.Import(items);
  Worker worker = story.Active("w1", [](RegisterWorkerRequest& request) { request.set_max_message_bytes(20'000); });
  const LogTime over = kStart + seconds(120) - story.state().settings().allocation_safety_margin;
  const auto live = [&] {
    story.Drink(worker);
    story.Report(worker);
  };
  story.AdvanceInSteps(over - seconds(1) - story.now(), seconds(1), live);
  for (auto& item : items) {
    (*item.mutable_labels())["country"] = std::string(100, 'x');
    *item.mutable_expires_at() = Time(kStart + hours(1));
  }
  story.Import(items);
  story.Settle();
  ASSERT_EQ(story.View("w1").size(), 250u);  // the first of them renewed

  story.Advance(seconds(1));
  story.Ack(worker);
  story.Settle();
  for (const auto& [id, grant] : story.View("w1")) EXPECT_GT(grant.usable_until, story.now()) << id;
  EXPECT_LT(story.View("w1").size(), 250u);
  story.Drink(worker);

  EXPECT_EQ(story.View("w1").size(), 250u);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(MessageSize, WhatIsCutOffKeepsTheWindowThatItHad) {
  Story story;
  story.Import(Items(1, 250));
  Worker worker = story.Active("w1", [](RegisterWorkerRequest& request) { request.set_max_message_bytes(20'000); });
  story.AdvanceInSteps(seconds(11), seconds(1), [&] {
    if (story.SnapshotsOf("w1").outstanding.value() != 0) story.Ack(worker);
    story.Report(worker);
  });

  story.Watch(worker);
  story.Settle();

  ASSERT_LT(story.View("w1").size(), 250u);
  for (int number = 1; number <= 250; ++number) {
    const LogTime used_until =
        story.oracle().UsedUntil("198.18.0." + std::to_string(number) + ":8080", "w1", Epoch(worker.epoch));
    EXPECT_EQ(story.OwnedUntil(IdOf(number)), used_until) << number;
  }
}

TEST(MessageSize, WhatWasListedKeepsItsWindowWhenItsNewSiblingDoesNotFit) {
  Story story;
  const auto tiny = [](RegisterWorkerRequest& request) { request.set_max_message_bytes(300); };
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1", tiny);
  story.Advance(seconds(15));
  story.Settle();  // its session is over
  story.Import(
      {Item(1, [](auto& item) { item.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5); })});
  story.Advance(seconds(5));

  worker = story.Reconnect(worker, tiny);
  story.Watch(worker);
  story.Settle();

  EXPECT_EQ(story.View("w1").size(), 1u);
  EXPECT_EQ(story.OwnedUntil(IdOf(1)), story.now() + seconds(40));
  story.Drink(worker);
  EXPECT_EQ(story.View("w1").size(), 2u);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(MessageSize, AnAddressThatFitsNoMessageIsNotTriedForEver) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker =
      story.Register("w1", "i1", [](RegisterWorkerRequest& request) { request.set_max_message_bytes(100); });
  story.Watch(worker);

  story.Drink(worker);

  EXPECT_LT(story.LatestVersion("w1"), kBase + 6);
  EXPECT_TRUE(story.state().run().alarms().contains({AlarmKind::kSnapshotOversize, "w1"}));
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(MessageSize, WithoutDeltaGrantsStopAtWhatFitsWithAnAlarm) {
  Story story;
  story.Import(Items(1, 250));
  const auto small = [](RegisterWorkerRequest& request) {
    request.clear_capabilities();
    request.set_max_message_bytes(20'000);
  };

  Worker worker = story.Active("w1", small);

  const std::size_t fitting = story.View("w1").size();
  EXPECT_GT(fitting, 50u);
  EXPECT_LT(fitting, 250u);
  EXPECT_TRUE(story.state().run().alarms().contains({AlarmKind::kSnapshotOversize, "w1"}));
  for (const LoggedEntry& entry : story.entries()) {
    for (const SnapshotIssued& issued : EventsOf<SnapshotIssued>(entry.events)) EXPECT_FALSE(issued.partial);
  }
  const std::uint64_t version = story.LatestVersion("w1");
  story.Settle();
  EXPECT_EQ(story.LatestVersion("w1"), version);  // the same is not sent again and again
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(MessageSize, TheAlarmEndsWhenThereIsRoomAgain) {
  Story story;
  story.Import(Items(1, 250));
  Worker worker = story.Active("w1", [](RegisterWorkerRequest& request) {
    request.clear_capabilities();
    request.set_max_message_bytes(20'000);
  });
  std::vector<std::string> gone;
  for (int number = 1; number <= 240; ++number) gone.push_back(IdOf(number));

  story.Remove(gone);
  story.Drink(worker);
  EXPECT_TRUE(story.state().run().alarms().contains({AlarmKind::kSnapshotOversize, "w1"})) << "they are still listed";
  for (int round = 0; round < 3; ++round) {
    story.Report(worker);
    story.Settle();
    story.Drink(worker);
  }

  EXPECT_THAT(story.state().run().alarms(), IsEmpty());
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(MessageSize, TheAlarmDoesNotEndWithTheFirstThatLeaves) {
  Story story;
  story.Import(Items(1, 250));
  Worker worker = story.Active("w1", [](RegisterWorkerRequest& request) {
    request.clear_capabilities();
    request.set_max_message_bytes(20'000);
  });

  story.Remove({story.View("w1").begin()->first});
  story.AdvanceInSteps(minutes(1), seconds(1), [&] {  // also what it was granted and could not be shown is over by then
    story.Drink(worker);
    story.Report(worker);
  });

  for (const LoggedEntry& entry : story.entries()) EXPECT_THAT(EventsOf<AlarmCleared>(entry.events), IsEmpty());
  EXPECT_TRUE(story.state().run().alarms().contains({AlarmKind::kSnapshotOversize, "w1"}));
}

}  // namespace
}  // namespace holdfast::testing
