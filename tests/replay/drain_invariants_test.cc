// Drains as the verifier judges them: each promise broken once by events that no rule would decide.

#include "tests/replay/invariant_story.h"

namespace holdfast::replay {
namespace {

class DrainInvariantsTest : public Invariants {
 protected:
  static OwnershipRevoked Revoked(std::int64_t deadline) {
    OwnershipRevoked revoked;
    revoked.worker = WorkerKey(1);
    revoked.worker_id = WorkerId("gw-1");
    revoked.epoch = Epoch(1);
    revoked.reason = RevokeReason::kReclaim;
    revoked.deadline = At(deadline);
    revoked.addresses = {AddressKey(1)};
    return revoked;
  }
  static SnapshotIssued Draining(std::uint64_t version) {
    SnapshotIssued issued = Issued(1, version, 1, 45, {ProxyKey(1)});
    issued.states = {GrantState::kDraining};
    issued.draining = {AddressKey(1)};
    return issued;
  }
  static RuntimeAccepted Report(std::uint64_t sequence, std::uint32_t active) {
    RuntimeAccepted report;
    report.worker = WorkerKey(1);
    report.report_sequence = sequence;
    report.proxies = {ProxyKey(1)};
    report.active = {active};
    report.reserved = {0};
    return report;
  }
  // Of an address whose drain was shown as version 3 by the entry `issue`.
  static OwnershipReleased Proven(std::uint64_t issue, std::uint64_t ack, std::uint64_t report) {
    OwnershipReleased released = Released(1, 1, 1, EndReason::kDrained);
    released.target_version = Version(3);
    released.issue_sequence = Sequence(issue);
    released.ack_sequence = Sequence(ack);
    released.report_sequence = Sequence(report);
    return released;
  }
  // Granted, shown, in use, asked back at second 12.
  void GivenRevoked() {
    GivenShownAddress();
    Given(11, {Report(1, 2)});
    Given(12, {Revoked(72)});
  }
};

TEST_F(DrainInvariantsTest, AProofThatIsOneIsSound) {
  GivenRevoked();
  Given(13, {Draining(3)});
  const std::uint64_t issue = sequence_.value();
  Given(13, {SnapshotAcknowledged{WorkerKey(1), Version(3)}});

  Given(14, {Report(2, 0), Proven(issue, issue + 1, issue + 2)});
}

TEST_F(DrainInvariantsTest, AReleaseWithoutAnyUpdateThatShowedItIsTold) {
  GivenRevoked();

  EXPECT_BROKEN(Say(14, {Report(2, 0), Proven(0, 0, sequence_.value() + 1)}), "no update has shown it DRAINING");
}

TEST_F(DrainInvariantsTest, AReleaseWithoutAnAcknowledgementIsTold) {
  GivenRevoked();
  Given(13, {Draining(3)});
  const std::uint64_t issue = sequence_.value();

  EXPECT_BROKEN(Say(14, {Report(2, 0), Proven(issue, issue, issue + 1)}), "no acknowledgement");
}

TEST_F(DrainInvariantsTest, AReportThatIsNotZeroProvesNothing) {
  GivenRevoked();
  Given(13, {Draining(3)});
  const std::uint64_t issue = sequence_.value();
  Given(13, {SnapshotAcknowledged{WorkerKey(1), Version(3)}});

  EXPECT_BROKEN(Say(14, {Report(2, 1), Proven(issue, issue + 1, issue + 2)}), "something still runs");
}

TEST_F(DrainInvariantsTest, AReportOfAnotherEntryIsTold) {
  GivenRevoked();
  Given(13, {Draining(3)});
  const std::uint64_t issue = sequence_.value();
  Given(13, {SnapshotAcknowledged{WorkerKey(1), Version(3)}});
  Given(14, {Report(2, 0)});

  EXPECT_BROKEN(Say(15, {Proven(issue, issue + 1, issue + 2)}), "no report that this entry accepted");
}

TEST_F(DrainInvariantsTest, WhatWasAskedBackIsNotShownAsUsableAgain) {
  GivenRevoked();

  EXPECT_BROKEN(Say(13, {Issued(1, 3, 1, 45, {ProxyKey(1)})}), "although it was asked back");
}

TEST_F(DrainInvariantsTest, WhatWasAskedBackDoesNotComeBack) {
  GivenRevoked();
  OwnershipLapsing lapsing = Lapsing(1, 1, 1, 50);
  lapsing.cause = LapseCause::kRevoked;
  Given(13, {SessionClosed{WorkerKey(1), SessionId("s1"), CloseReason::kExpired}, lapsing});
  Given(14, {Opened(1, "s2", 1, false, 2)});
  OwnershipResumed resumed;
  resumed.worker = WorkerKey(1);
  resumed.worker_id = WorkerId("gw-1");
  resumed.epoch = Epoch(1);
  resumed.session_id = SessionId("s2");
  resumed.addresses = {AddressKey(1)};

  EXPECT_BROKEN(Say(14, {resumed}), "was asked back, and comes back");
}

TEST_F(DrainInvariantsTest, ADeadlineDoesNotMoveToALaterTime) {
  GivenRevoked();
  Given(13, {Revoked(40)});  // sooner

  EXPECT_BROKEN(Say(14, {Revoked(60)}), "later deadline");
}

}  // namespace
}  // namespace holdfast::replay
