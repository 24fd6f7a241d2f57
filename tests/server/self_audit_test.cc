// The daemon's audit of its own log: how far it came, what it finds, who is told.

#include "server/self_audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "tests/server/daemon_fixture.h"
#include "tests/server/test_worker.h"
#include "tests/server/watched_log.h"

namespace holdfast::server {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using Divergence = SelfAudit::Divergence;

// A log with an import, a worker that was given it, and the end of its daemon.
class SelfAuditOfALog : public ::testing::Test {
 protected:
  SelfAuditOfALog() {
    daemon_.Import(20);
    TestWorker worker(daemon_, "worker-1");
    const auto watch = worker.Activate();
    worker.ReadAndAcknowledge(*watch);
    daemon_.Settle();
  }

  TestDaemon daemon_;
  WatchedLog log_{daemon_.log()};
};

TEST_F(SelfAuditOfALog, EveryEntryIsDecidedAgainAndEqual) {
  daemon_.Stop();
  SelfAudit audit(log_, [](const Divergence& divergence) { ADD_FAILURE() << divergence.text; });

  audit.Start();
  log_.WaitUntilReadThrough(log_.Tip());

  EXPECT_EQ(audit.verified(), log_.Tip());
}

TEST_F(SelfAuditOfALog, WhatIsCommittedLaterFollowsWithTheNextNudge) {
  SelfAudit audit(log_, [](const Divergence& divergence) { ADD_FAILURE() << divergence.text; });
  audit.Start();
  log_.WaitUntilReadThrough(log_.Tip());
  daemon_.Import(5, "later-");
  daemon_.Stop();

  audit.Nudge();
  log_.WaitUntilReadThrough(log_.Tip());

  EXPECT_EQ(audit.verified(), log_.Tip());
}

TEST_F(SelfAuditOfALog, AChangedByteIsToldWithItsSequence) {
  daemon_.Stop();
  log_.DamageFrom(Sequence(3));
  std::promise<Divergence> told;
  SelfAudit audit(log_, [&](const Divergence& divergence) { told.set_value(divergence); });

  audit.Start();
  const Divergence divergence = told.get_future().get();

  EXPECT_GE(divergence.sequence, Sequence(3));
  EXPECT_EQ(Next(audit.verified()), divergence.sequence);
  EXPECT_THAT(divergence.text, StartsWith("sequence " + std::to_string(divergence.sequence.value())));
}

TEST(SelfAuditInTheDaemon, SaysHowFarItCame) {
  TestDaemon daemon;
  daemon.Import(5);
  const Sequence tip = daemon.log().Tip();

  while (daemon.daemon().verified() < tip) daemon.daemon().LookAround();

  EXPECT_GE(daemon.daemon().verified(), tip);
}

TEST(SelfAuditInTheDaemon, WhatItFindsIsAnAlarm) {
  TestDaemon daemon;
  daemon.log().DamageReads();
  daemon.Import(5);

  std::string detail;
  while (detail.empty()) {
    daemon.daemon().LookAround();
    daemon.Settle();
    std::promise<std::string> read;
    daemon.loop().follower().Read([&](const ControllerState& state) {
      const auto alarm = state.run().alarms().find({AlarmKind::kReplayDiverged, ""});
      read.set_value(alarm == state.run().alarms().end() ? "" : alarm->second.detail);
    });
    detail = read.get_future().get();
  }

  EXPECT_THAT(detail, HasSubstr("sequence"));
}

TEST(SelfAuditInTheDaemon, IsNotThereWhenSwitchedOff) {
  TestDaemon::Options options;
  options.config.self_audit = false;
  TestDaemon daemon(options);
  daemon.Import(5);

  daemon.daemon().LookAround();

  EXPECT_EQ(daemon.daemon().verified(), Sequence(0));
}

}  // namespace
}  // namespace holdfast::server
