// Runtime reports: the order of the checks, what counts, what drains; outcomes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {
namespace {

using controlplane::v1::ReportOutcomesResponse;
using controlplane::v1::ReportRuntimeRequest;
using controlplane::v1::ReportRuntimeResponse;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

struct Fleet {
  Story story;
  Worker worker;

  Fleet() {
    story.Import(Items(1, 3));
    worker = story.Active("w1");
  }
  const RuntimeRow& Row() const { return story.state().runtime().At(story.Key("w1")); }
  Counters Of(int number) const {
    const auto found = Row().counters.find(story.state().pool().FindProxy(IdOf(number)));
    return found == Row().counters.end() ? Counters{} : found->second;
  }
};

TEST(DecideRuntime, AReportRenewsSessionAndRuntimeAndReplacesAllCounters) {
  Fleet fleet;
  fleet.story.Report(fleet.worker, {{IdOf(1), 3, 1}, {IdOf(2), 1, 0}});
  fleet.story.Advance(seconds(2));

  const Decision& decision = fleet.story.Report(fleet.worker, {{IdOf(2), 5, 0}});

  EXPECT_THAT(NamesOf(decision), ElementsAre("runtime_accepted"));
  EXPECT_EQ(ReplyOf<ReportRuntimeResponse>(decision).accepted_sequence(), 2u);
  EXPECT_EQ(fleet.Of(1), (Counters{0, 0}));
  EXPECT_EQ(fleet.Of(2), (Counters{5, 0}));
  EXPECT_EQ(fleet.Row().inflight, 5u);
  EXPECT_EQ(fleet.story.SessionOf("w1").expires_at, kStart + seconds(17));
  EXPECT_EQ(fleet.Row().fresh_until, kStart + seconds(5));
}

TEST(DecideRuntime, TheEventCarriesOnlyWhatChanged) {
  Fleet fleet;
  fleet.story.Report(fleet.worker, {{IdOf(1), 3, 1}, {IdOf(2), 1, 0}});

  fleet.story.Report(fleet.worker, {{IdOf(1), 3, 1}, {IdOf(2), 2, 0}});

  const auto accepted = EventsOf<RuntimeAccepted>(fleet.story.last());
  EXPECT_THAT(accepted[0].proxies, ElementsAre(fleet.story.state().pool().FindProxy(IdOf(2))));
}

TEST(DecideRuntime, ACounterForAProxyThatIsNotItsOwnCountsForNothing) {
  Fleet fleet;
  Worker other = fleet.story.Active("w2");

  fleet.story.Report(other, {{IdOf(1), 7, 0}, {"http://198.18.9.9:1", 1, 0}});

  const auto accepted = EventsOf<RuntimeAccepted>(fleet.story.last());
  EXPECT_EQ(accepted[0].ignored, 2u);
  EXPECT_THAT(accepted[0].proxies, IsEmpty());
  EXPECT_EQ(fleet.story.state().runtime().ignored(), 2u);
}

TEST(DecideRuntime, BehindTheFenceAReportOnlyShowsThatTheWorkerIsAlive) {
  Fleet fleet;
  fleet.story.Nack(fleet.worker);
  fleet.story.Advance(seconds(3));

  const Decision& decision = fleet.story.ReportAs(fleet.worker, 1, {{IdOf(1), 1, 0}});

  EXPECT_EQ(ReasonOf(decision), RejectReason::kRuntimeFenced);
  EXPECT_THAT(NamesOf(decision), ElementsAre("session_heard", "input_rejected"));
  EXPECT_EQ(fleet.story.SessionOf("w1").expires_at, kStart + seconds(18));
  EXPECT_TRUE(IsAbsent(fleet.Row().fresh_until));
}

TEST(DecideRuntime, NoReportOpensTheFence) {
  Fleet fleet;
  const std::uint64_t version = fleet.story.AcceptedVersion("w1");
  fleet.story.Nack(fleet.worker);

  fleet.story.ReportAs(fleet.worker, 1, {},
                       [&](ReportRuntimeRequest& request) { request.set_snapshot_version(version); });

  EXPECT_TRUE(fleet.story.SnapshotsOf("w1").fenced);
}

TEST(DecideRuntime, BeforeTheFirstAckNoReportCounts) {
  Story story;
  Worker worker = story.Register("w1");
  story.Watch(worker);
  story.Settle();
  story.Advance(seconds(1));

  const Decision& decision = story.Report(worker);

  EXPECT_EQ(ReasonOf(decision), RejectReason::kVersionNotAcknowledged);
  EXPECT_EQ(ReplyOf<Rejection>(decision).metadata.at("accepted_version"), "0");
  EXPECT_EQ(story.SessionOf("w1").expires_at, kStart + seconds(16));
}

TEST(DecideRuntime, TheVersionMustBeExactlyTheAcceptedBound) {
  Fleet fleet;
  const std::uint64_t accepted = fleet.story.AcceptedVersion("w1");
  for (const std::uint64_t version : {accepted - 1, accepted + 1}) {
    const Decision& decision = fleet.story.ReportAs(
        fleet.worker, 1, {}, [&](ReportRuntimeRequest& request) { request.set_snapshot_version(version); });

    EXPECT_EQ(ReasonOf(decision), RejectReason::kVersionNotAcknowledged);
  }
}

TEST(DecideRuntime, ARefusedReportDoesNotUseUpItsSequence) {
  Fleet fleet;
  fleet.story.ReportAs(fleet.worker, 1, {}, [](ReportRuntimeRequest& request) { request.set_snapshot_version(1); });

  EXPECT_EQ(ReasonOf(fleet.story.ReportAs(fleet.worker, 1)), RejectReason::kUnspecified);
}

TEST(DecideRuntime, TheFenceIsLookedAtBeforeVersionAndSequence) {
  Fleet fleet;
  fleet.story.ReportAs(fleet.worker, 5);
  fleet.story.Nack(fleet.worker);

  EXPECT_EQ(ReasonOf(fleet.story.ReportAs(fleet.worker, 1)), RejectReason::kRuntimeFenced);
}

TEST(DecideRuntime, TheSameReportAgainGetsTheSameAnswerWithANewTimeAndRenewsNothing) {
  Fleet fleet;
  fleet.story.ReportAs(fleet.worker, 4, {{IdOf(1), 1, 0}});
  fleet.story.Advance(seconds(1));

  const Decision& decision = fleet.story.ReportAs(fleet.worker, 4, {{IdOf(1), 1, 0}});

  EXPECT_THAT(decision.events, IsEmpty());
  EXPECT_EQ(ReplyOf<ReportRuntimeResponse>(decision).accepted_sequence(), 4u);
  EXPECT_EQ(ReplyOf<ReportRuntimeResponse>(decision).server_time().seconds(), ToMicros(kStart) / 1'000'000 + 1);
  EXPECT_EQ(fleet.story.SessionOf("w1").expires_at, kStart + seconds(15));
}

TEST(DecideRuntime, OrderAndZerosAndTheTimeOfObservationAreNoContent) {
  Fleet fleet;
  fleet.story.ReportAs(fleet.worker, 4, {{IdOf(1), 1, 0}, {IdOf(2), 0, 2}});

  const Decision& decision =
      fleet.story.ReportAs(fleet.worker, 4, {{IdOf(3), 0, 0}, {IdOf(2), 0, 2}, {IdOf(1), 1, 0}},
                           [](ReportRuntimeRequest& request) { request.mutable_observed_at()->set_seconds(99); });

  EXPECT_EQ(ReasonOf(decision), RejectReason::kUnspecified);
}

TEST(DecideRuntime, TheSameSequenceWithOtherContentIsAConflict) {
  Fleet fleet;
  fleet.story.ReportAs(fleet.worker, 4, {{IdOf(1), 1, 0}});
  const std::vector<std::function<void(ReportRuntimeRequest&)>> others = {
      [](ReportRuntimeRequest& request) { request.mutable_counters(0)->set_active(2); },
      [](ReportRuntimeRequest& request) { request.mutable_counters(0)->set_reserved(1); },
      [](ReportRuntimeRequest& request) { request.mutable_counters(0)->set_draining(true); },
      [](ReportRuntimeRequest& request) { request.mutable_counters(0)->set_proxy_id(IdOf(2)); },
      [](ReportRuntimeRequest& request) { request.clear_counters(); },
      [](ReportRuntimeRequest& request) { request.set_queued_request_count(9); },
      [](ReportRuntimeRequest& request) {
        request.add_counters()->set_proxy_id(IdOf(3)), request.mutable_counters(1)->set_draining(true);
      },
  };

  for (const auto& other : others) {
    EXPECT_EQ(ReasonOf(fleet.story.ReportAs(fleet.worker, 4, {{IdOf(1), 1, 0}}, other)),
              RejectReason::kSequenceConflict);
  }
  EXPECT_EQ(fleet.Of(1), (Counters{1, 0}));
}

TEST(DecideRuntime, ALowerSequenceIsRefused) {
  Fleet fleet;
  fleet.story.ReportAs(fleet.worker, 4);

  const Decision& decision = fleet.story.ReportAs(fleet.worker, 3);

  EXPECT_EQ(ReasonOf(decision), RejectReason::kSequenceRegressed);
  EXPECT_EQ(ReplyOf<Rejection>(decision).metadata.at("accepted_sequence"), "4");
}

TEST(DecideRuntime, ASequenceFarAboveTheLastIsMalformed) {
  Fleet fleet;
  const std::uint64_t most = std::uint64_t{1} << 32;
  fleet.story.ReportAs(fleet.worker, 10);

  const Decision& decision = fleet.story.ReportAs(fleet.worker, 10 + most + 1);

  EXPECT_EQ(ReasonOf(decision), RejectReason::kMalformed);
  EXPECT_EQ(ReplyOf<Rejection>(decision).field, "report_sequence");
  EXPECT_EQ(ReasonOf(fleet.story.ReportAs(fleet.worker, 10 + most)), RejectReason::kUnspecified);
}

TEST(DecideRuntime, SequencesBeginAnewWithTheSession) {
  Fleet fleet;
  fleet.story.ReportAs(fleet.worker, 40, {{IdOf(1), 1, 0}});
  fleet.worker = fleet.story.Reconnect(fleet.worker);
  EXPECT_TRUE(IsAbsent(fleet.Row().fresh_until));  // the runtime of the old session is gone
  fleet.story.Watch(fleet.worker);
  fleet.story.Drink(fleet.worker);

  EXPECT_EQ(ReasonOf(fleet.story.ReportAs(fleet.worker, 1)), RejectReason::kUnspecified);
}

TEST(DecideRuntime, TheAnswerNamesWhatIsNoLongerGrantedThoseInUseFirst) {
  Fleet fleet;
  fleet.story.Report(fleet.worker, {{IdOf(2), 1, 0}});
  fleet.story.Remove({IdOf(1), IdOf(2)});

  const Decision& decision = fleet.story.Report(fleet.worker, {{IdOf(2), 1, 0}});

  EXPECT_THAT(ReplyOf<ReportRuntimeResponse>(decision).revoke_proxy_ids(), ElementsAre(IdOf(2), IdOf(1)));
}

TEST(DecideRuntime, AWorkerThatDrainsIsAskedForAllItHasAndHasNoWayBack) {
  Fleet fleet;

  const Decision& decision = fleet.story.Report(fleet.worker, {{IdOf(1), 1, 0}}, /*draining=*/true);

  EXPECT_THAT(NamesOf(decision), ElementsAre("runtime_accepted", "session_draining", "ownership_revoked"));
  const auto& reply = ReplyOf<ReportRuntimeResponse>(decision);
  EXPECT_EQ(reply.session_state(), controlplane::v1::SESSION_STATE_DRAINING);
  EXPECT_EQ(reply.drain_deadline().seconds(), ToMicros(kStart + seconds(60)) / 1'000'000);
  fleet.story.Report(fleet.worker, {}, false);
  EXPECT_EQ(fleet.story.SessionOf("w1").state, SessionState::kDraining);
  fleet.story.Import(Items(9, 9));
  fleet.story.Settle();
  EXPECT_EQ(fleet.story.OwnerOf(IdOf(9)), "");
}

TEST(DecideRuntime, DrainingTakesEffectFromARefusedReportToo) {
  Fleet fleet;
  fleet.story.ReportAs(fleet.worker, 5);

  const Decision& decision =
      fleet.story.ReportAs(fleet.worker, 3, {}, [](ReportRuntimeRequest& request) { request.set_draining(true); });

  EXPECT_EQ(ReasonOf(decision), RejectReason::kSequenceRegressed);
  EXPECT_EQ(fleet.story.SessionOf("w1").state, SessionState::kDraining);
}

TEST(DecideRuntime, DrainingWithAnotherEpochHasNoEffect) {
  Fleet fleet;
  Worker wrong = fleet.worker;
  ++wrong.epoch;

  fleet.story.Report(wrong, {}, true);

  EXPECT_EQ(fleet.story.SessionOf("w1").state, SessionState::kActive);
}

TEST(DecideRuntime, AHandshakingSessionThatDrainsIsClosed) {
  Story story;
  Worker worker = story.Register("w1");

  const Decision& decision = story.Report(worker, {}, true);

  EXPECT_EQ(ReasonOf(decision), RejectReason::kVersionNotAcknowledged);
  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kClosed);
}

TEST(DecideRuntime, AWorkerThatOwnsNothingIsClosedWithTheAnswer) {
  Story story;
  Worker worker = story.Active("w1");

  const Decision& decision = story.Report(worker, {}, true);

  EXPECT_EQ(ReplyOf<ReportRuntimeResponse>(decision).session_state(), controlplane::v1::SESSION_STATE_CLOSED);
}

TEST(DecideRuntime, ADrainThatIsNotOverAtItsDeadlineEndsThere) {
  Settings settings = Trusting();
  settings.drain_grace = seconds(20);
  Story story(settings);
  story.Import(Items(1, 1));
  Worker worker = story.Active("w1");
  story.Report(worker, {}, true);

  story.AdvanceInSteps(seconds(20), seconds(1), [&] {
    if (story.SessionOf("w1").open()) story.Report(worker, {}, true);
  });

  EXPECT_EQ(story.SessionOf("w1").state, SessionState::kClosed);
  EXPECT_EQ(story.SessionOf("w1").close_reason, CloseReason::kDrainDeadline);
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
}

// ---- outcomes --------------------------------------------------------------------------------------------

TEST(DecideOutcomes, ABatchCountsOnceAndCreatesNothing) {
  Fleet fleet;

  const Decision& decision = fleet.story.Outcomes(fleet.worker, 7, {IdOf(1), IdOf(2), "http://198.18.9.9:1"});

  EXPECT_EQ(ReplyOf<ReportOutcomesResponse>(decision).accepted_sequence(), 7u);
  const auto accepted = EventsOf<OutcomesAccepted>(decision);
  ASSERT_EQ(accepted.size(), 1u);
  EXPECT_EQ(accepted[0].counted, 2u);
  EXPECT_EQ(accepted[0].ignored, 1u);
  EXPECT_EQ(fleet.story.state().pool().FindProxy("http://198.18.9.9:1").value(), 0u);
  EXPECT_EQ(fleet.story.state().pool().proxy(ProxyKey(1)).state, PoolState::kAvailable);
}

TEST(DecideOutcomes, ABatchWhoseAnswerWasLostIsAnsweredWithTheHighestAndHasNoEffect) {
  Fleet fleet;
  fleet.story.Outcomes(fleet.worker, 3, {IdOf(1)});
  fleet.story.Outcomes(fleet.worker, 9, {IdOf(1)});

  for (const std::uint64_t sequence : {3u, 9u}) {
    const Decision& decision = fleet.story.Outcomes(fleet.worker, sequence, {IdOf(1)});

    EXPECT_THAT(decision.events, IsEmpty());
    EXPECT_EQ(ReplyOf<ReportOutcomesResponse>(decision).accepted_sequence(), 9u);
  }
}

TEST(DecideOutcomes, TheyGoOnAboveWhatAnEarlierSessionReached) {
  Fleet fleet;
  fleet.story.Outcomes(fleet.worker, 12, {IdOf(1)});

  const Decision& decision = fleet.story.TryRegister("w1", "i2");

  EXPECT_EQ(ReplyOf<controlplane::v1::RegisterWorkerResponse>(decision).last_outcome_sequence(), 12u);
}

TEST(DecideOutcomes, ASequenceFarAboveTheLastIsMalformed) {
  Fleet fleet;

  const Decision& decision = fleet.story.Outcomes(fleet.worker, (std::uint64_t{1} << 32) + 1, {});

  EXPECT_EQ(ReasonOf(decision), RejectReason::kMalformed);
}

TEST(DecideOutcomes, LikeOnesSummedUpCountAsMany) {
  Fleet fleet;
  log::v1::Input input;
  auto& request = *input.mutable_report_outcomes()->mutable_request();
  request.set_worker_id("w1");
  request.set_session_id(fleet.worker.session);
  request.set_ownership_epoch(fleet.worker.epoch);
  request.set_sequence(1);
  for (const std::uint32_t count : {40u, 0u, 0xffff'ffffu}) {
    auto& outcome = *request.add_outcomes();
    outcome.set_proxy_id(count == 0xffff'ffffu ? "nowhere" : IdOf(1));
    outcome.set_count(count);
  }
  *request.add_outcomes() = request.outcomes(2);  // more than 32 bits in all

  const auto accepted = EventsOf<OutcomesAccepted>(fleet.story.When(input));

  EXPECT_EQ(accepted[0].counted, 41u);
  EXPECT_EQ(accepted[0].ignored, 0xffff'ffffu);
}

}  // namespace
}  // namespace holdfast::testing
