// The invariants, each broken once by events that no rule would decide.

#include "tests/replay/invariant_story.h"

namespace holdfast::replay {
namespace {

// ---- order ----

TEST_F(Invariants, ASequenceThatIsLeftOutIsTold) {
  Given(0, {TimeMarked{}});

  EXPECT_BROKEN(checker_.Check(Sequence(3), At(0), {}), "sequence 3 follows 1");
}

TEST_F(Invariants, LogTimeThatGoesBackIsTold) {
  Given(9, {TimeMarked{}});

  EXPECT_BROKEN(Say(8, {TimeMarked{}}), "log time goes back");
}

// ---- sessions ----

TEST_F(Invariants, ASessionIdIsNeverUsedAgain) {
  Given(0, {Opened(1, "s1", 1, true)});
  Given(1, {SessionClosed{WorkerKey(1), SessionId("s1"), CloseReason::kExpired}});

  EXPECT_BROKEN(Say(2, {Opened(1, "s1", 2, true)}), "session id s1 was used before");
}

TEST_F(Invariants, TheEpochOfAnotherInstanceGrows) {
  Given(0, {Opened(1, "s1", 5, true)});
  Given(1, {SessionClosed{WorkerKey(1), SessionId("s1"), CloseReason::kExpired}});

  EXPECT_BROKEN(Say(2, {Opened(1, "s2", 5, true)}), "epoch 5");
}

TEST_F(Invariants, TheSameProcessKeepsItsEpoch) {
  Given(0, {Opened(1, "s1", 5, true)});
  Given(1, {SessionClosed{WorkerKey(1), SessionId("s1"), CloseReason::kExpired}});

  EXPECT_BROKEN(Say(2, {Opened(1, "s2", 6, false)}), "says that it is the same process");
}

TEST_F(Invariants, TwoSessionsOfAWorkerAreNeverOpenAtOnce) {
  Given(0, {Opened(1, "s1", 1, true)});

  EXPECT_BROKEN(Say(2, {Opened(1, "s2", 2, true)}), "is open");
}

TEST_F(Invariants, NothingGoesFromDrainingToActive) {
  GivenActiveWorker();
  Given(1, {SessionDraining{WorkerKey(1), DrainReason::kShutdown, At(60)}});

  EXPECT_BROKEN(Say(2, {SessionActivated{WorkerKey(1)}}), "was not handshaking");
}

TEST_F(Invariants, AClosedSessionDoesNothingMore) {
  GivenActiveWorker();
  Given(1, {SessionClosed{WorkerKey(1), SessionId("s1"), CloseReason::kDrained}});

  EXPECT_BROKEN(Say(2, {SessionHeard{WorkerKey(1)}}), "no open session");
}

// ---- references, fences ----

TEST_F(Invariants, AnAcceptedReferenceWasIssuedToThatSession) {
  GivenActiveWorker();
  Given(1, {SessionClosed{WorkerKey(1), SessionId("s1"), CloseReason::kExpired}});
  Given(2, {Opened(1, "s2", 1, false, 1)});

  EXPECT_BROKEN(Say(3, {SnapshotAcknowledged{WorkerKey(1), Version(1)}}), "was not issued to its session");
}

TEST_F(Invariants, AcceptedVersionsGrow) {
  GivenActiveWorker();
  Given(1, {Issued(1, 2, 1, 40, {})});
  Given(1, {SnapshotAcknowledged{WorkerKey(1), Version(2)}});

  EXPECT_BROKEN(Say(3, {SnapshotAcknowledged{WorkerKey(1), Version(1)}}), "does not grow");
}

TEST_F(Invariants, OneUpdateIsOutstandingAtATime) {
  GivenActiveWorker();
  Given(1, {Issued(1, 2, 1, 40, {})});

  EXPECT_BROKEN(Say(1, {Issued(1, 3, 1, 40, {})}), "is not answered");
}

TEST_F(Invariants, NoReportIsAcceptedBehindAFence) {
  GivenActiveWorker();
  RuntimeAccepted report;
  report.worker = WorkerKey(1);
  report.report_sequence = 1;
  Given(1, {report});
  Given(1, {Issued(1, 2, 1, 40, {})});
  Given(2, {SnapshotRefused{WorkerKey(1), Version(2), SnapshotRefusal::kChecksum, ""}});
  report.report_sequence = 2;

  EXPECT_BROKEN(Say(3, {report}), "behind a fence");
}

TEST_F(Invariants, ReportsGrow) {
  GivenActiveWorker();
  RuntimeAccepted report;
  report.worker = WorkerKey(1);
  report.report_sequence = 4;
  Given(1, {report});

  EXPECT_BROKEN(Say(3, {report}), "accepted after report 4");
}

// ---- windows ----

TEST_F(Invariants, AnAddressIsNotReleasedBeforeItsWindowIsOver) {
  GivenShownAddress();
  Given(20, {Lapsing(1, 1, 1, 50)});

  EXPECT_BROKEN(Say(49, {Released(1, 1, 1)}), "may be using it until");
}

TEST_F(Invariants, AnAddressIsReleasedWhenItsWindowIsOver) {
  GivenShownAddress();
  Given(20, {Lapsing(1, 1, 1, 50)});

  Given(50, {Released(1, 1, 1)});
}

TEST_F(Invariants, ARenewalExtendsWhatTheContentStillLists) {
  GivenShownAddress();
  Given(30, {Issued(1, 3, 1, 60, {})});

  EXPECT_BROKEN(Say(69, {Released(1, 1, 1)}), "may be using it until");
}

TEST_F(Invariants, AWindowEndsWithTheProxyWhenItExpiresSooner) {
  GivenActiveWorker();
  Given(5, {Added(1, 1, 25)});
  Given(10, {Granted(1, 1, 1, "s1")});
  Given(10, {Issued(1, 2, 1, 40, {ProxyKey(1)})});

  Given(35, {Released(1, 1, 1)});
}

TEST_F(Invariants, ALapseDoesNotPromiseLessThanTheWindow) {
  GivenShownAddress();

  EXPECT_BROKEN(Say(20, {Lapsing(1, 1, 1, 49)}), "is said to be free from");
}

TEST_F(Invariants, AnAddressThatSomebodyHoldsIsNotGranted) {
  GivenShownAddress();
  GivenSecondWorker(20);

  EXPECT_BROKEN(Say(21, {Granted(1, 2, 7, "s2")}), "while worker gw-1 holds it");
}

TEST_F(Invariants, TheWindowOfAnEarlierInstanceCountsAfterATakeover) {
  GivenShownAddress();
  Given(20, {SessionClosed{WorkerKey(1), SessionId("s1"), CloseReason::kSuperseded}, Lapsing(1, 1, 1, 50),
             Opened(1, "s2", 2, true, 2)});

  EXPECT_BROKEN(Say(49, {Released(1, 1, 1)}), "may be using it until");
}

TEST_F(Invariants, AnUpdateDoesNotListWhatWasTakenAway) {
  GivenShownAddress();
  Given(20, {Lapsing(1, 1, 1, 50)});

  EXPECT_BROKEN(Say(21, {Issued(1, 3, 1, 51, {})}), "which is not granted to it");
}

TEST_F(Invariants, AnUpdateDoesNotListWhatIsAnothersOwn) {
  GivenShownAddress();
  GivenSecondWorker(20);

  EXPECT_BROKEN(Say(21, {Issued(2, 2, 7, 51, {ProxyKey(1)})}), "is given to worker gw-2 while worker gw-1");
}

TEST_F(Invariants, AWorkerThatComesBackIsNotShownWhatIsAnothersByNow) {
  GivenShownAddress();
  Given(50, {Released(1, 1, 1)});
  GivenSecondWorker(50);
  Given(51, {Granted(1, 2, 7, "s2")});
  Given(51, {Issued(2, 2, 7, 81, {ProxyKey(1)})});

  EXPECT_BROKEN(Say(52, {Issued(1, 3, 1, 82, {})}), "lists address key 1");
}

TEST_F(Invariants, WhatLeftTheContentIsGivenOnAfterItsWindow) {
  GivenShownAddress();
  Given(20, {Lapsing(1, 1, 1, 50)});
  Given(21, {Issued(1, 3, 1, 51, {}, {ProxyKey(1)})});
  Given(50, {Released(1, 1, 1)});
  GivenSecondWorker(50);

  Given(51, {Granted(1, 2, 7, "s2")});
  Given(51, {Issued(2, 2, 7, 81, {ProxyKey(1)})});
}

TEST_F(Invariants, OnAnotherBootWindowsKeepWhatTheyHadLeft) {
  GivenShownAddress();
  ControllerStarted started;
  started.same_boot = false;
  started.downtime = seconds(100);
  Given(110, {started, SessionClosed{WorkerKey(1), SessionId("s1"), CloseReason::kRecovery}, Lapsing(1, 1, 1, 150)});

  EXPECT_BROKEN(Say(149, {Released(1, 1, 1)}), "may be using it until");
}

TEST_F(Invariants, NothingIsGrantedDuringAWait) {
  GivenActiveWorker();
  Given(5, {Added(1, 1)});
  Given(6, {WaitStarted{WaitReason::kHistoryLost, At(60)}});

  EXPECT_BROKEN(Say(7, {Granted(1, 1, 1, "s1")}), "during a wait");
}

TEST_F(Invariants, NothingIsGrantedToAFencedWorker) {
  GivenActiveWorker();
  Given(5, {Added(1, 1)});
  Given(5, {Issued(1, 2, 1, 40, {})});
  Given(6, {SnapshotRefused{WorkerKey(1), Version(2), SnapshotRefusal::kChecksum, ""}});

  EXPECT_BROKEN(Say(7, {Granted(1, 1, 1, "s1")}), "fenced");
}

// ---- keys ----

TEST_F(Invariants, KeysThatWereNeverAssignedAreTold) {
  EXPECT_BROKEN(Say(0, {SessionHeard{WorkerKey(9)}}), "worker key 9");
}

TEST_F(Invariants, AnAddressIsNotForgottenWhileSomethingStandsOnIt) {
  Given(0, {Added(1, 1)});

  EXPECT_BROKEN(Say(1, {AddressRetired{AddressKey(1)}}), "proxies stand on it");
}

}  // namespace
}  // namespace holdfast::replay
