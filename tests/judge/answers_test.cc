// Updates and answers against the contract: each planted fault is found, under its kind, and nothing else is.

#include <gtest/gtest.h>

#include "tests/judge/judge_story.h"

namespace holdfast::judge {
namespace {

using Kinds = std::vector<ViolationKind>;

const Who kWho = Story::Process("w1", "i1");

// Plants into a story in which session s1 (epoch 7) has version 10 accepted.
Story After(const std::function<void(Story&)>& plant) {
  Story story;
  story.Register(kWho, "s1", 7);
  story.Take(kWho, "s1", story.Full(7, 10, 30, {GrantOf("a", "192.0.2.1")}));
  story.now += kSecond;
  EXPECT_EQ(story.Kinds(), Kinds{}) << story.Texts();
  plant(story);
  return story;
}

void ExpectFound(ViolationKind kind, const std::string& word, const std::function<void(Story&)>& plant) {
  const Story story = After(plant);
  ASSERT_EQ(story.Kinds(), Kinds{kind}) << word << "\n" << story.Texts();
  EXPECT_NE(story.violations[0].text.find(word), std::string::npos) << story.Texts();
}

void ExpectNothing(const std::function<void(Story&)>& plant) {
  const Story story = After(plant);
  EXPECT_EQ(story.Kinds(), Kinds{}) << story.Texts();
}

TEST(Updates, AChecksumThatDoesNotFitIsFound) {
  ExpectFound(ViolationKind::kChecksum, "states checksum", [](Story& story) {
    auto update = story.Full(7, 11, 30, {GrantOf("a", "192.0.2.1")});
    update.mutable_full()->mutable_proxies(0)->set_capacity(11);
    story.Receive(kWho, "s1", update);
  });
  ExpectFound(ViolationKind::kChecksum, "states checksum", [](Story& story) {
    const auto base = story.Full(7, 10, 30, {GrantOf("a", "192.0.2.1")});
    auto update = story.Renewal(base, 11, 30);
    *update.mutable_delta()->add_upserted() = GrantOf("b", "192.0.2.2");
    story.Receive(kWho, "s1", update);
  });
}

TEST(Updates, VersionsThatDoNotGrowAreFound) {
  ExpectFound(ViolationKind::kUpdate, "not above",
              [](Story& story) { story.Receive(kWho, "s1", story.Full(7, 10, 30, {GrantOf("a", "192.0.2.1")})); });
  // Also over sessions: what came before the new session was asked for.
  ExpectFound(ViolationKind::kUpdate, "before this session was asked for", [](Story& story) {
    story.Register(kWho, "s2", 7);
    story.Receive(kWho, "s2", story.Full(7, 10, 30, {GrantOf("a", "192.0.2.1")}));
  });
}

TEST(Updates, AnEpochThatIsNotTheSessionsIsFound) {
  ExpectFound(ViolationKind::kUpdate, "epoch",
              [](Story& story) { story.Receive(kWho, "s1", story.Full(8, 11, 30, {})); });
}

TEST(Updates, ADeltaOnAnythingButTheAcceptedReferenceIsFound) {
  ExpectFound(ViolationKind::kUpdate, "accepted reference", [](Story& story) {
    const auto unanswered = story.Full(7, 11, 30, {});
    story.Receive(kWho, "s1", unanswered);
    wire::WatchSnapshotsRequest watch;
    watch.set_session_id("s1");
    story.Hear(kWho, WatchOpened{watch});
    story.Receive(kWho, "s1", story.Renewal(unanswered, 12, 30));
  });
  ExpectFound(ViolationKind::kUpdate, "first update", [](Story& story) {
    story.Register(kWho, "s2", 7);
    const auto update = story.Renewal(story.Full(7, 10, 30, {}), 11, 30);
    story.Hear(kWho, AckSent{story.Ack(kWho, "s2", story.Full(7, 10, 30, {})).request});
    story.Receive(kWho, "s2", update);
  });
  ExpectNothing([](Story& story) {
    story.Receive(kWho, "s1", story.Renewal(story.Full(7, 10, 30, {GrantOf("a", "192.0.2.1")}), 11, 30));
  });
}

TEST(Updates, TwoOutstandingOnOneStreamAreFound) {
  ExpectFound(ViolationKind::kUpdate, "outstanding", [](Story& story) {
    story.Receive(kWho, "s1", story.Full(7, 11, 30, {}));
    story.Receive(kWho, "s1", story.Full(7, 12, 30, {}));
  });
}

TEST(Updates, WhatMayNotBeInOneIsFound) {
  ExpectFound(ViolationKind::kUpdate, "nothing is set",
              [](Story& story) { story.Receive(kWho, "s1", wire::SnapshotUpdate()); });
  ExpectFound(ViolationKind::kUpdate, "valid_until", [](Story& story) {
    auto update = story.Full(7, 11, 30, {});
    update.mutable_full()->clear_valid_until();
    story.Receive(kWho, "s1", update);
  });
  ExpectFound(ViolationKind::kUpdate, "ascend", [](Story& story) {
    story.Receive(kWho, "s1", story.Full(7, 11, 30, {GrantOf("b", "192.0.2.1"), GrantOf("a", "192.0.2.2")}));
  });
  ExpectFound(ViolationKind::kUpdate, "usable until", [](Story& story) {
    auto grant = GrantOf("a", "192.0.2.1");
    *grant.mutable_usable_until() = Stamp(story.LogNow());
    story.Receive(kWho, "s1", story.Full(7, 11, 30, {grant}));
  });
  ExpectFound(ViolationKind::kUpdate, "SECRET_REF", [](Story& story) {
    auto grant = GrantOf("a", "192.0.2.1");
    grant.set_secret_ref("ref");
    story.Receive(kWho, "s1", story.Full(7, 11, 30, {grant}));
  });
  ExpectFound(ViolationKind::kUpdate, "no known state", [](Story& story) {
    auto grant = GrantOf("a", "192.0.2.1", wire::GRANT_STATE_UNSPECIFIED);
    story.Receive(kWho, "s1", story.Full(7, 11, 30, {grant}));
  });
  ExpectFound(ViolationKind::kUpdate, "never given it", [](Story& story) {
    story.Receive(kWho, "s1", story.Full(7, 11, 30, {GrantOf("b", "192.0.2.9", wire::GRANT_STATE_DRAINING)}));
  });
}

// Registers a second session with one thing changed in its answer.
std::function<void(Story&)> Registered(const std::function<void(RegisterAnswered&)>& change) {
  return [change](Story& story) {
    RegisterAnswered answered = story.Registration(kWho, "s2", 7);
    change(answered);
    story.Hear(kWho, RegisterSent{answered.request});
    story.Hear(kWho, answered);
  };
}

TEST(Answers, ARegistrationAgainstTheContractIsFound) {
  ExpectNothing(Registered([](RegisterAnswered&) {}));
  const auto found = [](const std::string& word, const std::function<void(RegisterAnswered&)>& change) {
    ExpectFound(ViolationKind::kAnswer, word, Registered(change));
  };
  found("used before", [](RegisterAnswered& answered) { answered.response.set_session_id("s1"); });
  found("ownership_epoch", [](RegisterAnswered& answered) { answered.response.set_ownership_epoch(6); });
  found("not in handshaking",
        [](RegisterAnswered& answered) { answered.response.set_session_state(wire::SESSION_STATE_ACTIVE); });
  found("not offered", [](RegisterAnswered& answered) { answered.response.set_protocol_version(2); });
  found("log_id", [](RegisterAnswered& answered) { answered.response.set_log_id("another"); });
  found("duration", [](RegisterAnswered& answered) { answered.response.clear_session_ttl(); });
  found("max_batch", [](RegisterAnswered& answered) { answered.response.clear_max_batch(); });
  found("server_time", [](RegisterAnswered& answered) { answered.response.clear_server_time(); });
}

TEST(Answers, AnotherInstanceUnderTheSameEpochIsFound) {
  ExpectFound(ViolationKind::kAnswer, "another instance",
              [](Story& story) { story.Register(Story::Process("w1", "i2"), "s2", 7); });
  ExpectNothing([](Story& story) { story.Register(Story::Process("w1", "i2"), "s2", 8); });
}

TEST(Answers, AnAckAnsweredAgainstTheContractIsFound) {
  const auto ack = [](const std::function<void(AckAnswered&)>& change) {
    return [change](Story& story) {
      const auto update = story.Full(7, 11, 30, {});
      story.Receive(kWho, "s1", update);
      AckAnswered answered = story.Ack(kWho, "s1", update);
      story.Hear(kWho, AckSent{answered.request});
      change(answered);
      story.Hear(kWho, answered);
    };
  };
  ExpectNothing(ack([](AckAnswered&) {}));
  ExpectFound(ViolationKind::kAnswer, "accepted_version",
              ack([](AckAnswered& answered) { answered.response.set_accepted_version(10); }));
  ExpectFound(ViolationKind::kAnswer, "fence",
              ack([](AckAnswered& answered) { answered.response.set_runtime_fenced(true); }));
  ExpectFound(ViolationKind::kAnswer, "checksum",
              ack([](AckAnswered& answered) { answered.request.set_checksum("another"); }));
  ExpectFound(ViolationKind::kAnswer, "not closed", ack([](AckAnswered& answered) {
                answered.request.set_accepted(false);
                answered.response.set_runtime_fenced(false);
              }));
}

TEST(Answers, AnAcceptedVersionThatGoesBackIsFound) {
  ExpectFound(ViolationKind::kAnswer, "accepted after", [](Story& story) {
    const auto later = story.Full(7, 11, 30, {});
    const AckAnswered old = story.Ack(kWho, "s1", story.Full(7, 10, 30, {GrantOf("a", "192.0.2.1")}));
    story.Receive(kWho, "s1", later);
    const AckAnswered answered = story.Ack(kWho, "s1", later);
    story.Hear(kWho, AckSent{answered.request});
    // Only its own answer can be late: the version is kept as long as nothing newer is accepted.
    AckAnswered first = answered;
    story.Hear(kWho, first);
    AckAnswered again = old;
    again.request.set_version(11);
    again.request.set_checksum(later.full().checksum());
    again.response.set_accepted_version(11);
    story.Hear(kWho, again);
    ASSERT_EQ(story.Kinds(), Kinds{}) << "the same again is the same answer\n" << story.Texts();
    const auto much_later = story.Full(7, 12, 30, {});
    story.Receive(kWho, "s1", much_later);
    const AckAnswered newest = story.Ack(kWho, "s1", much_later);
    story.Hear(kWho, AckSent{newest.request});
    story.Receive(kWho, "s1", story.Full(7, 13, 30, {}));
    story.Hear(kWho, AckSent{story.Ack(kWho, "s1", story.Full(7, 13, 30, {})).request});
    story.Hear(kWho, story.Ack(kWho, "s1", story.Full(7, 13, 30, {})));
    AckAnswered back = newest;
    back.request.set_version(13);
    back.request.set_checksum(story.Full(7, 13, 30, {}).full().checksum());
    back.response.set_accepted_version(13);
    story.Hear(kWho, back);
    ASSERT_EQ(story.Kinds(), Kinds{}) << story.Texts();
    story.Hear(kWho, newest);
    // Two things are wrong with it: it goes back, and that version is no longer one of the session's.
    ASSERT_EQ(story.violations.size(), 2U);
    story.violations.pop_back();
  });
}

TEST(Answers, AReportAcceptedAgainstTheContractIsFound) {
  const auto report = [](const std::function<void(ReportAnswered&)>& change) {
    return [change](Story& story) {
      ReportAnswered answered = story.Report("s1", 5, 10);
      change(answered);
      story.Hear(kWho, answered);
    };
  };
  ExpectNothing(report([](ReportAnswered&) {}));
  ExpectFound(ViolationKind::kAnswer, "accepted_sequence",
              report([](ReportAnswered& answered) { answered.response.set_accepted_sequence(4); }));
  ExpectFound(ViolationKind::kAnswer, "report on version 9",
              report([](ReportAnswered& answered) { answered.request.set_snapshot_version(9); }));
  ExpectFound(ViolationKind::kAnswer, "revoked ids", report([](ReportAnswered& answered) {
                for (int i = 0; i < 1'001; ++i) answered.response.add_revoke_proxy_ids("p");
              }));
}

TEST(Answers, AReportAcceptedBehindAClosedFenceIsFound) {
  ExpectFound(ViolationKind::kAnswer, "behind a closed fence", [](Story& story) {
    const auto update = story.Full(7, 11, 30, {});
    story.Receive(kWho, "s1", update);
    AckAnswered refusal = story.Ack(kWho, "s1", update);
    refusal.request.set_accepted(false);
    refusal.response.set_runtime_fenced(true);
    story.Hear(kWho, AckSent{refusal.request});
    story.Hear(kWho, refusal);
    story.Hear(kWho, story.Report("s1", 5, 10));
  });
}

TEST(Answers, OutcomesAcceptedUnderAnotherNumberAreFound) {
  const auto batch = [](std::uint64_t sequence, std::uint64_t accepted) {
    return [=](Story& story) {
      OutcomesAnswered answered;
      answered.request.set_session_id("s1");
      answered.request.set_sequence(sequence);
      answered.response.set_accepted_sequence(accepted);
      answered.response.set_session_state(wire::SESSION_STATE_ACTIVE);
      *answered.response.mutable_server_time() = Stamp(story.LogNow());
      answered.sent_us = story.now;
      story.Hear(kWho, answered);
    };
  };
  ExpectNothing(batch(3, 3));
  ExpectFound(ViolationKind::kAnswer, "accepted_sequence", batch(3, 2));
  ExpectFound(ViolationKind::kAnswer, "accepted_sequence", batch(3, 4));
}

TEST(States, AStateThatNoEdgeLeadsToIsFound) {
  const auto state = [](wire::SessionState value) {
    return [value](Story& story) {
      ReportAnswered answered = story.Report("s1", 5, 10);
      answered.response.set_session_state(value);
      story.Hear(kWho, answered);
    };
  };
  ExpectNothing(state(wire::SESSION_STATE_DRAINING));
  ExpectNothing(state(wire::SESSION_STATE_CLOSED));
  ExpectFound(ViolationKind::kState, "HANDSHAKING", state(wire::SESSION_STATE_HANDSHAKING));
  ExpectFound(ViolationKind::kState, "UNSPECIFIED", state(wire::SESSION_STATE_UNSPECIFIED));
  ExpectFound(ViolationKind::kState, "ACTIVE after SESSION_STATE_DRAINING", [](Story& story) {
    ReportAnswered draining = story.Report("s1", 5, 10);
    draining.response.set_session_state(wire::SESSION_STATE_DRAINING);
    story.Hear(kWho, draining);
    story.now += kSecond;
    story.Hear(kWho, story.Report("s1", 6, 10));
  });
}

TEST(States, AnAnswerThatWasOnItsWayProvesNothing) {
  ExpectNothing([](Story& story) {
    ReportAnswered early = story.Report("s1", 5, 10);
    story.now += kSecond;
    ReportAnswered draining = story.Report("s1", 6, 10);
    draining.response.set_session_state(wire::SESSION_STATE_DRAINING);
    story.Hear(kWho, draining);
    // Sent before the drain was known; its time says so as well, so only the state is looked at here.
    *early.response.mutable_server_time() = Stamp(story.LogNow());
    story.Hear(kWho, early);
  });
}

TEST(Time, LogTimeThatGoesBackIsFoundAlsoBetweenWorkers) {
  ExpectFound(ViolationKind::kTime, "server_time", [](Story& story) {
    const Who other = Story::Process("w2", "i1");
    story.Register(other, "s2", 7);
    story.now += kSecond;
    ReportAnswered answered = story.Report("s1", 5, 10);
    *answered.response.mutable_server_time() = Stamp(story.LogNow() - 2 * kSecond);
    story.Hear(kWho, answered);
  });
  // What was sent before the other answer came may have been decided before it.
  ExpectNothing([](Story& story) {
    ReportAnswered slow = story.Report("s1", 5, 10);
    story.now += kSecond;
    story.Register(Story::Process("w2", "i1"), "s2", 7);
    story.Hear(kWho, slow);
  });
}

TEST(Rejections, AReasonACodeOrADetailAgainstTheTableIsFound) {
  const auto refused = [](const CallEnd& end) {
    return [end](Story& story) {
      ReportAnswered answered = story.Report("s1", 5, 10);
      answered.end = end;
      story.Hear(kWho, answered);
    };
  };
  ExpectNothing(refused(Story::Refused(9, wire::REJECT_REASON_RUNTIME_FENCED)));
  ExpectNothing(refused(Story::Refused(14, wire::REJECT_REASON_SHUTTING_DOWN)));
  ExpectNothing(refused({14, std::nullopt}));
  ExpectNothing(refused({4, std::nullopt}));
  ExpectFound(ViolationKind::kRejection, "no reason of this call",
              refused(Story::Refused(9, wire::REJECT_REASON_CHECKSUM_MISMATCH)));
  ExpectFound(ViolationKind::kRejection, "came with code 3",
              refused(Story::Refused(3, wire::REJECT_REASON_RUNTIME_FENCED)));
  ExpectFound(ViolationKind::kRejection, "without an ErrorDetail", refused({9, std::nullopt}));
  ExpectFound(ViolationKind::kRejection, "MALFORMED", refused(Story::Refused(3, wire::REJECT_REASON_MALFORMED)));
  ExpectFound(ViolationKind::kRejection, "retry_after", refused(Story::Refused(8, wire::REJECT_REASON_OVERLOADED)));
}

TEST(Rejections, ASessionThatExpiredTooEarlyOrWasSupersededByNobodyIsFound) {
  const auto refused = [](std::int64_t silent_us, wire::RejectReason reason) {
    return [=](Story& story) {
      story.Hear(kWho, story.Report("s1", 5, 10));
      story.now += silent_us;
      ReportAnswered answered = story.Report("s1", 6, 10);
      answered.end = Story::Refused(9, reason);
      story.Hear(kWho, answered);
    };
  };
  ExpectFound(ViolationKind::kAnswer, "expired", refused(14 * kSecond, wire::REJECT_REASON_SESSION_EXPIRED));
  ExpectNothing(refused(15 * kSecond, wire::REJECT_REASON_SESSION_EXPIRED));
  ExpectFound(ViolationKind::kAnswer, "superseded", refused(kSecond, wire::REJECT_REASON_SESSION_SUPERSEDED));
  ExpectNothing([&](Story& story) {
    story.now += kSecond;
    story.Register(Story::Process("w1", "i2"), "s2", 8);
    refused(kSecond, wire::REJECT_REASON_SESSION_SUPERSEDED)(story);
  });
}

}  // namespace
}  // namespace holdfast::judge
