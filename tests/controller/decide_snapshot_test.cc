// What is issued, when, and in which form. Each content and checksum is looked at by the story's oracle as well.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {
namespace {

using controlplane::v1::RegisterWorkerRequest;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

SnapshotIssued LastIssued(const Story& story) {
  SnapshotIssued last;
  for (const LoggedEntry& entry : story.entries()) {
    for (const SnapshotIssued& issued : EventsOf<SnapshotIssued>(entry.events)) last = issued;
  }
  return last;
}

void WithoutDelta(RegisterWorkerRequest& request) { request.clear_capabilities(); }

TEST(DecideIssue, TheFirstUpdateOfASessionIsAFullOneAboveTheBase) {
  Story story;
  Worker worker = story.Register("w1");
  story.Watch(worker);

  story.Settle();

  const SnapshotIssued issued = LastIssued(story);
  EXPECT_EQ(issued.version.value(), kBase + 1);
  EXPECT_EQ(issued.base.value(), 0u);
  EXPECT_EQ(issued.epoch.value(), worker.epoch);
  EXPECT_EQ(issued.valid_until, kStart + seconds(30));
  EXPECT_EQ(AsBytes(issued.checksum), AsBytes(DocumentedChecksum(issued.epoch, {}, {})));
}

TEST(DecideIssue, NothingIsIssuedWithoutAStream) {
  Story story;
  story.Register("w1");

  story.Settle();

  EXPECT_EQ(story.LatestVersion("w1"), kBase);
}

TEST(DecideIssue, GrantsComeAsADeltaOnTheAcceptedReference) {
  Story story;
  story.Import(Items(1, 3));
  Worker worker = story.Register("w1");
  story.Watch(worker);
  story.Settle();
  story.Ack(worker);

  story.Settle();

  const SnapshotIssued issued = LastIssued(story);
  EXPECT_EQ(issued.base.value(), kBase + 1);
  EXPECT_EQ(issued.version.value(), kBase + 2);
  EXPECT_EQ(issued.upserted.size(), 3u);
  EXPECT_THAT(story.View("w1"), ::testing::SizeIs(3));
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DecideIssue, WithoutTheCapabilityEveryUpdateIsFull) {
  Story story;
  story.Import(Items(1, 3));
  Worker worker = story.Active("w1", WithoutDelta);
  ASSERT_EQ(story.View("w1").size(), 3u);

  story.Remove({IdOf(2)});
  story.Settle();

  EXPECT_EQ(LastIssued(story).base.value(), 0u);
  EXPECT_EQ(story.View("w1").size(), 3u);
  EXPECT_EQ(story.View("w1").at(IdOf(2)).state, GrantState::kDraining);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DecideIssue, OneUpdateIsOutstandingAndWhatChangesMeanwhileIsFoldedIntoTheNext) {
  Story story;
  Worker worker = story.Active("w1");
  story.Import(Items(1, 1));
  story.Settle();
  const std::uint64_t outstanding = story.LatestVersion("w1");

  story.Import(Items(2, 3));
  story.Settle();
  story.Import(Items(4, 4));
  story.Remove({IdOf(2)});
  story.Settle();
  EXPECT_EQ(story.LatestVersion("w1"), outstanding);

  story.Ack(worker);
  story.Settle();
  EXPECT_EQ(story.LatestVersion("w1"), outstanding + 1);
  EXPECT_EQ(story.View("w1").size(), 3u);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DecideIssue, ARenewalHasNoContentTheSameChecksumAndALaterEnd) {
  Story story;
  story.Import(Items(1, 200));
  Worker worker = story.Active("w1");
  const SnapshotIssued before = LastIssued(story);

  story.AdvanceInSteps(seconds(10), seconds(1), [&] { story.Report(worker); });

  const SnapshotIssued renewal = LastIssued(story);
  EXPECT_EQ(renewal.version, Next(before.version));
  EXPECT_EQ(renewal.base, before.version);
  EXPECT_THAT(renewal.upserted, IsEmpty());
  EXPECT_THAT(renewal.removed, IsEmpty());
  EXPECT_THAT(renewal.shown, IsEmpty());
  EXPECT_EQ(AsBytes(renewal.checksum), AsBytes(before.checksum));
  EXPECT_EQ(renewal.valid_until, story.now() + seconds(30));
}

TEST(DecideIssue, NoRenewalWithoutFreshReports) {
  Story story;
  Worker worker = story.Active("w1");
  const std::uint64_t version = story.LatestVersion("w1");
  story.Advance(seconds(6));
  story.Report(worker);  // fresh until the ninth second

  story.AdvanceInSteps(seconds(6), seconds(1));

  EXPECT_EQ(story.LatestVersion("w1"), version);
}

TEST(DecideIssue, RoutingsComeToThoseWhoseZoneSeesThem) {
  Story story;
  Worker east = story.Active("w1", [](RegisterWorkerRequest& request) { request.set_zone("east"); });
  Worker west = story.Active("w2", [](RegisterWorkerRequest& request) { request.set_zone("west"); });
  admin::v1::RoutingSpec only_east = Routing("r1", "*.example.com");
  only_east.mutable_routing()->add_zones("east");

  story.Apply({only_east, Routing("r2")});
  story.Drink(east);
  story.Drink(west);

  EXPECT_THAT(story.faults(), IsEmpty());  // both checksums are those of what the zone sees
  EXPECT_EQ(story.SnapshotsOf("w1").routings_revision, 1u);
  EXPECT_NE(story.SnapshotsOf("w1").checksum, story.SnapshotsOf("w2").checksum);
}

TEST(DecideIssue, ADeltaCarriesTheRoutingsOnlyWhenTheyChanged) {
  Story story;
  Worker worker = story.Active("w1");
  story.Apply({Routing("r1")});
  story.Settle();
  EXPECT_TRUE(story.state().snapshots().Build(story.Key("w1")).routings_changed);
  story.Ack(worker);

  story.Import(Items(1, 1));
  story.Settle();
  EXPECT_FALSE(story.state().snapshots().Build(story.Key("w1")).routings_changed);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DecideIssue, ANewStreamWithTheAcceptedReferenceIsResumedByADelta) {
  Story story;
  story.Import(Items(1, 3));
  Worker worker = story.Active("w1");
  const std::uint64_t accepted = story.AcceptedVersion("w1");
  const std::string checksum(AsBytes(story.SnapshotsOf("w1").accepted->checksum));
  story.StreamEnds(worker);
  story.Remove({IdOf(2)});
  story.Import(Items(4, 4));

  story.Watch(worker, accepted, checksum);
  story.Settle();

  const SnapshotIssued issued = LastIssued(story);
  EXPECT_EQ(issued.base.value(), accepted);
  EXPECT_THAT(story.View("w1"), ::testing::SizeIs(4));
  EXPECT_EQ(story.View("w1").at(IdOf(2)).state, GrantState::kDraining);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DecideIssue, ANewStreamWithAnotherChecksumBeginsAnew) {
  Story story;
  story.Import(Items(1, 3));
  Worker worker = story.Active("w1");

  story.Watch(worker, story.AcceptedVersion("w1"), std::string(32, 'x'));
  story.Settle();

  EXPECT_EQ(LastIssued(story).base.value(), 0u);
  EXPECT_EQ(story.View("w1").size(), 3u);
}

TEST(DecideIssue, WhatAnUpdateThatWasNeverAnsweredChangedIsInTheNextDelta) {
  Story story;
  story.Import(Items(1, 3));
  Worker worker = story.Active("w1");
  const std::uint64_t accepted = story.AcceptedVersion("w1");
  const std::string checksum(AsBytes(story.SnapshotsOf("w1").accepted->checksum));
  story.Remove({IdOf(1)});
  story.Settle();  // issued, and lost with its stream
  story.StreamEnds(worker);
  story.Import(Items(5, 5));

  story.Watch(worker, accepted, checksum);
  story.Settle();

  EXPECT_EQ(LastIssued(story).base.value(), accepted);
  EXPECT_EQ(story.View("w1").at(IdOf(1)).state, GrantState::kDraining);
  EXPECT_TRUE(story.View("w1").contains(IdOf(5)));
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DecideIssue, WhatDoesNotFitOneMessageComesInPiecesTheLastOfWhichIsNotPartial) {
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

TEST(DecideIssue, AFullUpdateOfAContentLargerThanAMessageIsCutAndContinued) {
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

TEST(DecideIssue, ManyChangedLabelsAreSpreadOverDeltasThatFit) {
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

TEST(DecideIssue, AShortenedLifeIsNeverLeftForALaterUpdate) {
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

TEST(DecideIssue, WhatIsCutOffKeepsTheWindowThatItHad) {
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

TEST(DecideIssue, WhatWasListedKeepsItsWindowWhenItsNewSiblingDoesNotFit) {
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

TEST(DecideIssue, AnAddressThatFitsNoMessageIsNotTriedForEver) {
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

TEST(DecideIssue, WithoutDeltaGrantsStopAtWhatFitsWithAnAlarm) {
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
  EXPECT_FALSE(LastIssued(story).partial);
  const std::uint64_t version = story.LatestVersion("w1");
  story.Settle();
  EXPECT_EQ(story.LatestVersion("w1"), version);  // the same is not sent again and again
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DecideIssue, TheAlarmEndsWhenThereIsRoomAgain) {
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

TEST(DecideIssue, TheAlarmDoesNotEndWithTheFirstThatLeaves) {
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

TEST(DecideIssue, AnUpdateThatWasNotWrittenIsIssuedAnew) {
  Story story;
  Worker worker = story.Register("w1");
  story.Watch(worker);
  story.Settle();
  log::v1::Input input;
  input.mutable_update_not_written()->set_worker_id("w1");
  input.mutable_update_not_written()->set_session_id(worker.session);
  input.mutable_update_not_written()->set_stream(worker.stream);
  input.mutable_update_not_written()->set_version(story.LatestVersion("w1"));

  EXPECT_THAT(NamesOf(story.When(input)), ElementsAre("update_abandoned"));
  story.Settle();

  EXPECT_EQ(story.LatestVersion("w1"), kBase + 2);
  EXPECT_EQ(LastIssued(story).base.value(), 0u);
}

TEST(DecideIssue, AnAnswerThatDoesNotComeEndsTheStream) {
  Story story;
  Worker worker = story.Register("w1");
  story.Watch(worker);
  story.Settle();

  story.Advance(seconds(5) - Duration(1));
  story.TickSessions();
  EXPECT_EQ(story.SessionOf("w1").stream.value(), worker.stream);
  story.Advance(Duration(1));
  story.TickSessions();

  EXPECT_EQ(story.SessionOf("w1").stream.value(), 0u);
  const auto detached = EventsOf<SessionDetached>(story.entries().back().events);
  ASSERT_EQ(detached.size(), 1u);
  EXPECT_EQ(detached[0].reason, RejectReason::kAckTimeout);
}

TEST(DecideIssue, AnUpdateOutstandingOnADeadStreamDoesNotBlockTheNewWatch) {
  Story story;
  Worker worker = story.Register("w1");
  story.Watch(worker);
  story.Settle();
  story.StreamEnds(worker);

  story.Watch(worker);
  story.Settle();

  EXPECT_EQ(story.LatestVersion("w1"), kBase + 2);
}

TEST(DecideIssue, ProxiesWithASecretGoOnlyToThoseWhoCanResolveIt) {
  Story story;
  story.Import({Item(1, [](auto& item) { item.set_secret_ref("account-1"); })});

  story.Active("w1", [](RegisterWorkerRequest& request) {
    request.clear_capabilities();
    request.add_capabilities(controlplane::v1::WORKER_CAPABILITY_DELTA);
  });
  EXPECT_THAT(story.View("w1"), IsEmpty());

  story.Active("w2");
  EXPECT_EQ(story.View("w2").size(), 1u);
  EXPECT_EQ(story.View("w2").begin()->second.spec->secret_ref, "account-1");
}

}  // namespace
}  // namespace holdfast::testing
