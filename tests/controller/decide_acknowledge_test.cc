// What a worker says of an update: the order of the checks, the fence, and what comes late.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {
namespace {

using controlplane::v1::AcknowledgeSnapshotResponse;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(DecideAcknowledge, TheFirstPositiveOneMakesTheSessionActive) {
  Story story;
  Worker worker = story.Register("w1");
  story.Watch(worker);
  story.Settle();

  const Decision& decision = story.Ack(worker);

  EXPECT_THAT(NamesOf(decision), ElementsAre("snapshot_acknowledged", "session_activated"));
  const auto& reply = ReplyOf<AcknowledgeSnapshotResponse>(decision);
  EXPECT_EQ(reply.session_state(), controlplane::v1::SESSION_STATE_ACTIVE);
  EXPECT_EQ(reply.accepted_version(), kBase + 1);
  EXPECT_FALSE(reply.runtime_fenced());
}

TEST(DecideAcknowledge, ItRenewsTheSession) {
  Story story;
  Worker worker = story.Register("w1");
  story.Watch(worker);
  story.Settle();
  story.Advance(seconds(4));

  story.Ack(worker);

  EXPECT_EQ(story.SessionOf("w1").expires_at, kStart + seconds(19));
}

TEST(DecideAcknowledge, RepeatedWhileItIsTheAcceptedBoundItGetsTheSameAnswer) {
  Story story;
  Worker worker = story.Active("w1");
  const std::uint64_t version = story.AcceptedVersion("w1");
  story.Advance(seconds(31));  // also past valid_until
  story.Report(worker);

  const Decision& decision = story.Ack(worker, version);

  EXPECT_THAT(NamesOf(decision), ElementsAre("session_heard"));
  EXPECT_EQ(ReplyOf<AcknowledgeSnapshotResponse>(decision).accepted_version(), version);
}

TEST(DecideAcknowledge, AVersionNeverIssuedToTheSessionIsRefused) {
  Story story;
  Worker worker = story.Active("w1");

  EXPECT_EQ(ReasonOf(story.AckWith(worker, kBase + 50, std::string(32, 'x'))), RejectReason::kReferenceNotIssued);
  EXPECT_EQ(ReasonOf(story.Nack(worker, kBase + 50)), RejectReason::kReferenceNotIssued);
}

TEST(DecideAcknowledge, AReferenceOfAnEarlierSessionIsRefused) {
  Story story;
  Worker worker = story.Active("w1");
  const std::uint64_t version = story.AcceptedVersion("w1");
  const std::string checksum(AsBytes(story.SnapshotsOf("w1").accepted->checksum));
  worker = story.Reconnect(worker);
  story.Watch(worker);
  story.Settle();

  EXPECT_EQ(ReasonOf(story.AckWith(worker, version, checksum)), RejectReason::kReferenceNotIssued);
}

TEST(DecideAcknowledge, AnotherChecksumThanTheIssuedOneIsAMismatch) {
  Story story;
  Worker worker = story.Register("w1");
  story.Watch(worker);
  story.Settle();

  EXPECT_EQ(ReasonOf(story.AckWith(worker, kBase + 1, std::string(32, 'x'))), RejectReason::kChecksumMismatch);
  EXPECT_EQ(ReasonOf(story.AckWith(worker, kBase + 1, "")), RejectReason::kChecksumMismatch);
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kHandshaking);
}

TEST(DecideAcknowledge, WhatIsOlderThanTheAcceptedOneIsSuperseded) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  ASSERT_EQ(story.AcceptedVersion("w1"), kBase + 2);

  EXPECT_EQ(ReasonOf(story.Ack(worker, kBase + 1)), RejectReason::kReferenceSuperseded);
}

TEST(DecideAcknowledge, TheChecksumIsLookedAtBeforeTheOrder) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");

  EXPECT_EQ(ReasonOf(story.AckWith(worker, kBase + 1, std::string(32, 'x'))), RejectReason::kChecksumMismatch);
}

TEST(DecideAcknowledge, AfterItsEndAnUpdateIsNotAccepted) {
  Settings settings = Trusting();
  settings.ack_timeout = minutes(2);
  settings.session_ttl = minutes(2);
  Story story(settings);
  Worker worker = story.Register("w1");
  story.Watch(worker);
  story.Settle();

  story.Advance(seconds(30));

  EXPECT_EQ(ReasonOf(story.Ack(worker)), RejectReason::kSnapshotExpired);
}

TEST(DecideAcknowledge, JustBeforeItsEndItIs) {
  Settings settings = Trusting();
  settings.ack_timeout = minutes(2);
  settings.session_ttl = minutes(2);
  Story story(settings);
  Worker worker = story.Register("w1");
  story.Watch(worker);
  story.Settle();

  story.Advance(seconds(30) - Duration(1));

  EXPECT_EQ(ReasonOf(story.Ack(worker)), RejectReason::kUnspecified);
}

TEST(DecideAcknowledge, ARefusalShutsTheFenceAtOnceAndRenewsTheSession) {
  Story story;
  Worker worker = story.Active("w1");
  story.Import(Items(1, 1));
  story.Settle();
  story.Advance(seconds(2));

  const Decision& decision = story.Nack(worker);

  EXPECT_THAT(NamesOf(decision), ElementsAre("snapshot_refused"));
  EXPECT_TRUE(ReplyOf<AcknowledgeSnapshotResponse>(decision).runtime_fenced());
  EXPECT_EQ(EventsOf<SnapshotRefused>(decision)[0].detail, "a host that it cannot parse");
  EXPECT_EQ(story.SessionOf("w1").expires_at, kStart + seconds(17));
  EXPECT_EQ(ReasonOf(story.Report(worker)), RejectReason::kRuntimeFenced);
}

TEST(DecideAcknowledge, ARefusedContentIsParkedUntilItChangesOrTheWorkerWatchesAnew) {
  Story story;
  story.Import(Items(1, 2));
  Worker worker = story.Active("w1");
  story.Import(Items(3, 3));
  story.Settle();
  story.Nack(worker);
  const std::uint64_t refused = story.LatestVersion("w1");

  story.AdvanceInSteps(seconds(20), seconds(1), [&] { story.Report(worker); });
  EXPECT_EQ(story.LatestVersion("w1"), refused);

  story.Remove({IdOf(1)});
  story.Settle();
  EXPECT_EQ(story.LatestVersion("w1"), refused + 1);
  EXPECT_EQ(story.SnapshotsOf("w1").outstanding_full, true);
  story.Nack(worker);
  story.Settle();
  EXPECT_EQ(story.LatestVersion("w1"), refused + 1);

  story.Watch(worker);
  story.Settle();
  EXPECT_EQ(story.LatestVersion("w1"), refused + 2);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DecideAcknowledge, NewGrantsWaitUntilTheFenceIsOpen) {
  Story story;
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.Nack(worker);  // after the positive one for the same version
  story.Import(Items(2, 2));
  story.Settle();
  EXPECT_EQ(story.OwnerOf(IdOf(2)), "");

  story.Watch(worker);
  story.Drink(worker);

  EXPECT_EQ(story.OwnerOf(IdOf(2)), "w1");
  EXPECT_TRUE(story.View("w1").contains(IdOf(2)));
}

// A grant that was decided before the refusal and had not been issued yet.
void ExpectAGrantBehindTheFenceArrives(const Story::Edit& edit) {
  Story story;
  Worker worker = story.Active("w1", edit);
  story.Import(Items(1, 1));
  story.Settle();  // outstanding
  story.Import(Items(2, 2));
  story.Settle();  // granted, waits for the answer
  story.Nack(worker);
  story.Watch(worker);
  story.IssueDue();
  EXPECT_FALSE(story.View("w1").contains(IdOf(2)));

  story.Drink(worker);

  EXPECT_TRUE(story.View("w1").contains(IdOf(2)));
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DecideAcknowledge, AGrantThatWaitedBehindTheFenceComesWhenItOpens) { ExpectAGrantBehindTheFenceArrives({}); }

TEST(DecideAcknowledge, AGrantThatWaitedBehindTheFenceComesToAWorkerWithoutDeltasToo) {
  ExpectAGrantBehindTheFenceArrives([](auto& request) { request.clear_capabilities(); });
}

TEST(DecideAcknowledge, AVersionThatWasRefusedNeverOpensTheFence) {
  Story story;
  Worker worker = story.Active("w1");
  story.Import(Items(1, 1));
  story.Settle();
  story.Nack(worker);

  const Decision& decision = story.Ack(worker);  // late, or from another thread

  EXPECT_EQ(ReasonOf(decision), RejectReason::kReferenceSuperseded);
  EXPECT_TRUE(story.SnapshotsOf("w1").fenced);
}

TEST(DecideAcknowledge, ARefusalAfterThePositiveAnswerForTheSameVersionCounts) {
  Story story;
  Worker worker = story.Active("w1");

  const Decision& decision = story.Nack(worker);

  EXPECT_THAT(NamesOf(decision), ElementsAre("snapshot_refused"));
  EXPECT_FALSE(story.SnapshotsOf("w1").accepted.has_value());
}

TEST(DecideAcknowledge, ARefusalAlsoCountsAfterTheEndOfTheUpdate) {
  Settings settings = Trusting();
  settings.ack_timeout = minutes(2);
  settings.session_ttl = minutes(2);
  Story story(settings);
  Worker worker = story.Register("w1");
  story.Watch(worker);
  story.Settle();
  story.Advance(minutes(1));

  EXPECT_THAT(NamesOf(story.Nack(worker)), ElementsAre("snapshot_refused"));
}

TEST(DecideAcknowledge, ARefusalOlderThanTheAcceptedVersionHasNoEffect) {
  Story story;
  Worker worker = story.Register("w1");
  story.Watch(worker);
  story.Settle();  // the first, whose refusal is delayed
  story.Watch(worker);
  story.Settle();
  story.Ack(worker, kBase + 2);

  const Decision& decision = story.Nack(worker, kBase + 1);

  EXPECT_EQ(ReasonOf(decision), RejectReason::kReferenceSuperseded);
  EXPECT_FALSE(story.SnapshotsOf("w1").fenced);
  EXPECT_EQ(ReasonOf(story.Report(worker)), RejectReason::kUnspecified);
}

TEST(DecideAcknowledge, AnAnswerToAnEarlierVersionNeverAnswersTheOutstandingOne) {
  Story story;
  Worker worker = story.Register("w1");
  story.Watch(worker);
  story.Settle();
  story.Watch(worker);
  story.Settle();

  story.Ack(worker, kBase + 1);

  EXPECT_EQ(story.AcceptedVersion("w1"), kBase + 1);
  EXPECT_EQ(story.SnapshotsOf("w1").outstanding.value(), kBase + 2);
}

TEST(DecideAcknowledge, ARepeatedRefusalGetsTheSameAnswer) {
  Story story;
  Worker worker = story.Active("w1");
  story.Nack(worker);

  const Decision& decision = story.Nack(worker);

  EXPECT_THAT(NamesOf(decision), ElementsAre("session_heard"));
  EXPECT_TRUE(ReplyOf<AcknowledgeSnapshotResponse>(decision).runtime_fenced());
}

TEST(DecideAcknowledge, ARefusalIsMatchedWhateverEpochItNames) {
  Story story;
  Worker worker = story.Active("w1");
  worker.epoch += 9;

  EXPECT_THAT(NamesOf(story.Nack(worker)), ElementsAre("snapshot_refused"));
}

TEST(DecideAcknowledge, TheTextOfARefusalIsKeptInWholeCharacters) {
  Story story;
  Worker worker = story.Active("w1");
  log::v1::Input input;
  auto& nack = *input.mutable_acknowledge_snapshot();
  nack.set_worker_id("w1");
  nack.set_session_id(worker.session);
  nack.set_version(story.LatestVersion("w1"));
  std::string detail = "x";
  for (int i = 0; i < 200; ++i) detail += "\xc3\xa9";  // é, at odd offsets
  nack.set_reject_detail(detail);

  const auto refused = EventsOf<SnapshotRefused>(story.When(input));

  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].detail, detail.substr(0, 255));
}

}  // namespace
}  // namespace holdfast::testing
