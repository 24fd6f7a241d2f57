// Extractions as the verifier judges them: each promise broken once by events that no rule would decide.

#include "tests/replay/invariant_story.h"

namespace holdfast::replay {
namespace {

using std::chrono::hours;

class ExtractionInvariantsTest : public Invariants {
 protected:
  // Asks for address 1 with proxy 1, or for this one.
  static ExtractionPrepared Prepared(std::uint64_t extraction = 1, std::uint32_t address = 1) {
    ExtractionPrepared prepared;
    prepared.extraction = ExtractionKey(extraction);
    prepared.extraction_id = ExtractionId("e" + std::to_string(extraction));
    prepared.client_id = ClientId("c1");
    prepared.request_id = "r" + std::to_string(extraction);
    prepared.addresses = {AddressKey(address)};
    prepared.proxies = {ProxyKey(address)};
    prepared.counts = {1};
    prepared.need = prepared.requested = 1;
    return prepared;
  }
  // Until second 60, its grace with it until 70.
  static ProxiesExtracted Extracted() {
    ProxiesExtracted extracted;
    extracted.extraction = ExtractionKey(1);
    extracted.extraction_id = ExtractionId("e1");
    extracted.client_id = ClientId("c1");
    extracted.addresses = {AddressKey(1)};
    extracted.proxies = {ProxyKey(1)};
    ProxySpec spec;
    spec.expires_at = At(100'000);
    extracted.specs = {spec};
    extracted.extracted_until = At(60);
    extracted.ends_at = At(70);
    extracted.end_reason = EndReason::kHoldOver;
    return extracted;
  }
  static ExtractionGivenBack GivenBack() {
    return {ExtractionKey(1), ExtractionId("e1"), ClientId("c1"), {AddressKey(1)}, GiveBackReason::kNoneMoved};
  }
  static ExtractionEnded Ended(EndReason reason) {
    ExtractionEnded ended;
    ended.extraction = ExtractionKey(1);
    ended.extraction_id = ExtractionId("e1");
    ended.client_id = ClientId("c1");
    ended.reason = reason;
    ended.addresses = {AddressKey(1)};
    ended.proxies = {ProxyKey(1)};
    ended.over = true;
    ended.remembered_until = At(90'000);
    return ended;
  }
  void GivenStore(PoolStoreVerdict verdict = PoolStoreVerdict::kUsable) {
    Given(0, {PoolStoreJudged{verdict, "", Sequence(1)}});
  }
  void GivenIntent() {
    GivenStore();
    Given(1, {Added(1, 1)});
    Given(2, {Prepared()});
  }
  void GivenExtraction() {
    GivenIntent();
    Given(3, {Extracted()});
  }
};

TEST_F(ExtractionInvariantsTest, AnExtractionThatEndsInTimeIsSound) {
  GivenExtraction();
  Given(70, {Ended(EndReason::kHoldOver)});
  Given(90'000, {RequestForgotten{ClientId("c1"), "r1", false}});
  ExtractionPrepared again = Prepared(2);
  again.request_id = "r1";

  Given(90'001, {again});
}

TEST_F(ExtractionInvariantsTest, WhatAWorkerHasIsNotAskedFor) {
  GivenShownAddress();
  Given(10, {PoolStoreJudged{PoolStoreVerdict::kUsable, "", Sequence(1)}});

  EXPECT_BROKEN(Say(11, {Prepared()}), "may be using it until");
}

TEST_F(ExtractionInvariantsTest, WhatAWorkerWasGivenAndNeverShownIsNotAskedFor) {
  GivenActiveWorker();
  GivenStore();
  Given(1, {Added(1, 1)});
  Given(1, {Granted(1, 1, 1, "s1")});

  EXPECT_BROKEN(Say(11, {Prepared()}), "which a worker has");
}

TEST_F(ExtractionInvariantsTest, WhatIsNotAvailableIsNotAskedFor) {
  GivenStore();
  Given(1, {Added(1, 1)});
  Given(1, {ProxyUnusable{ProxyKey(1)}});

  EXPECT_BROKEN(Say(2, {Prepared()}), "which is not AVAILABLE");
}

TEST_F(ExtractionInvariantsTest, WhatIsPendingIsNotAskedFor) {
  GivenStore();
  ProxyAdded pending = Added(1, 1);
  pending.state = PoolState::kPending;
  Given(1, {pending});

  EXPECT_BROKEN(Say(2, {Prepared()}), "which is not AVAILABLE");
}

TEST_F(ExtractionInvariantsTest, WhatOneAsksForIsNotAnothers) {
  GivenIntent();

  EXPECT_BROKEN(Say(3, {Prepared(2)}), "which another has or asks for");
}

TEST_F(ExtractionInvariantsTest, ARequestIsNotDecidedTwice) {
  GivenExtraction();
  Given(4, {Added(2, 2)});
  ExtractionPrepared again = Prepared(2, 2);
  again.request_id = "r1";

  EXPECT_BROKEN(Say(5, {again}), "a second one of request c1/r1");
}

TEST_F(ExtractionInvariantsTest, WhatIsAskedForIsNotGranted) {
  GivenActiveWorker();
  GivenIntent();

  EXPECT_BROKEN(Say(3, {Granted(1, 1, 1, "s1")}), "while client c1 has it or asks for it");
}

TEST_F(ExtractionInvariantsTest, WhatIsExtractedIsNotGranted) {
  GivenActiveWorker();
  GivenExtraction();

  EXPECT_BROKEN(Say(4, {Granted(1, 1, 1, "s1")}), "while client c1 has it or asks for it");
}

TEST_F(ExtractionInvariantsTest, NothingIsExtractedWithoutAnIntent) {
  GivenStore();
  Given(1, {Added(1, 1)});

  EXPECT_BROKEN(Say(2, {Extracted()}), "without an intent");
}

TEST_F(ExtractionInvariantsTest, WhatWasNoCandidateIsNotExtracted) {
  GivenIntent();
  Given(2, {Added(2, 2)});
  ProxiesExtracted other = Extracted();
  other.addresses = {AddressKey(2)};
  other.proxies = {ProxyKey(2)};

  EXPECT_BROKEN(Say(3, {other}), "does not consist of what was asked for");
}

TEST_F(ExtractionInvariantsTest, NobodyIsGivenWhatItWasToldNotToHave) {
  GivenIntent();
  Given(4, {ExtractionDoubted{ExtractionKey(1), ExtractionId("e1"), At(64)}});

  EXPECT_BROKEN(Say(5, {Extracted()}), "after its client was told that there is none");
}

TEST_F(ExtractionInvariantsTest, AnExtractionEndsNotBeforeTheGraceIsOver) {
  GivenExtraction();

  EXPECT_BROKEN(Say(69, {Ended(EndReason::kHoldOver)}), "though its client has it until");
}

TEST_F(ExtractionInvariantsTest, AnExtractionDoesNotOutliveItsEnd) {
  GivenExtraction();
  Given(70, {TimeMarked{}});

  EXPECT_BROKEN(Say(76, {TimeMarked{}}), "was to end at");
}

TEST_F(ExtractionInvariantsTest, AnExtractionIsNotLongerThanAProxyOfItLives) {
  GivenIntent();
  ProxiesExtracted extracted = Extracted();
  extracted.specs[0].expires_at = At(30);

  EXPECT_BROKEN(Say(3, {extracted}), "for longer than a proxy of it lives");
}

TEST_F(ExtractionInvariantsTest, AnIntentEndsWithinItsBoundOfUptime) {
  GivenIntent();
  Given(64, {TimeMarked{}});

  EXPECT_BROKEN(Say(70, {TimeMarked{}}), "waits for the pool store for longer than 62 s");
}

TEST_F(ExtractionInvariantsTest, DowntimeIsNoUptime) {
  GivenIntent();
  ControllerStarted started;
  started.same_boot = true;
  started.downtime = hours(1);
  Given(3'602, {started});

  Given(3'660, {GivenBack()});
}

TEST_F(ExtractionInvariantsTest, OnAnotherBootAnExtractionKeepsWhatItHadLeft) {
  GivenExtraction();
  ControllerStarted started;
  started.same_boot = false;
  started.downtime = hours(1);
  Given(3'603, {started});

  EXPECT_BROKEN(Say(3'669, {Ended(EndReason::kHoldOver)}), "though its client has it until");
}

TEST_F(ExtractionInvariantsTest, WhatIsExtractedIsNotRemoved) {
  GivenExtraction();

  EXPECT_BROKEN(Say(4, {ProxyRemoved{ProxyKey(1), ProxyId("proxy-1"), RemovalReason::kOperator}}),
                "while a client has its machine");
}

TEST_F(ExtractionInvariantsTest, NothingIsAskedForDuringAWait) {
  GivenStore();
  Given(1, {Added(1, 1)});
  Given(1, {WaitStarted{WaitReason::kHistoryLost, At(60)}});

  EXPECT_BROKEN(Say(2, {Prepared()}), "during a wait");
}

TEST_F(ExtractionInvariantsTest, NothingIsAskedForThroughAStoreThatIsNotOurs) {
  GivenStore(PoolStoreVerdict::kForeign);
  Given(1, {Added(1, 1)});

  EXPECT_BROKEN(Say(2, {Prepared()}), "while the pool store may not be used");
}

TEST_F(ExtractionInvariantsTest, AWaitForAForeignStoreEndsOnlyWithItsAdoption) {
  GivenStore(PoolStoreVerdict::kAhead);
  Given(0, {WaitStarted{WaitReason::kPoolForeign, At(40)}});

  EXPECT_BROKEN(Say(40, {WaitEnded{}}), "was to be adopted first");
}

TEST_F(ExtractionInvariantsTest, OnlyWhatIsHeldIsFreed) {
  GivenExtraction();
  ExtractionEnded other = Ended(EndReason::kReleased);
  other.addresses = {AddressKey(2)};

  EXPECT_BROKEN(Say(4, {other}), "does not have");
}

TEST_F(ExtractionInvariantsTest, ARequestIsKnownForADay) {
  GivenExtraction();
  Given(4, {Ended(EndReason::kReleased)});

  EXPECT_BROKEN(Say(80'000, {RequestForgotten{ClientId("c1"), "r1", false}}), "before its time");
}

TEST_F(ExtractionInvariantsTest, WhatIsUnhealthyIsNotForgotten) {
  GivenStore();
  Given(1, {Added(1, 1)});

  EXPECT_BROKEN(Say(2, {HealthForgotten{{ProxyKey(7)}}}), "is forgotten and is not there");
}

}  // namespace
}  // namespace holdfast::replay
