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
