// GetStatus over real gRPC: figures that belong together, counts, what is held off and why.

#include <gtest/gtest.h>

#include "controller/rules_version.h"
#include "events/block_view.h"
#include "tests/server/operator_fixture.h"
#include "tests/server/test_checker.h"
#include "tests/server/test_worker.h"

namespace holdfast::server {
namespace {

using audit::v1::GetStatusResponse;

std::string Bytes(const auto& bytes) { return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()); }

TEST(AuditStatus, ChainHashAndStateDigestAreThoseOfTheBlockThatEndsWithTheLastSequence) {
  OperatorDaemon daemon;
  daemon.daemon().Import(50);

  const GetStatusResponse status = daemon.Status();

  const auto reader = daemon.daemon().log().NewReader(Sequence(status.last_sequence()));
  ASSERT_TRUE(reader.ok());
  const auto block = (*reader)->Next();
  ASSERT_TRUE(block.ok() && block->has_value());
  BlockView view;
  ASSERT_TRUE(view.Parse((*block)->block, (*block)->bulk).ok());
  EXPECT_EQ(view.last().value(), status.last_sequence());
  EXPECT_EQ(Bytes(view.hash()), status.chain_hash());
  EXPECT_EQ(Bytes(view.header().state_digest), status.state_digest());
  EXPECT_EQ(status.first_sequence(), 1u);
  EXPECT_EQ(status.last_sequence(), daemon.daemon().log().Tip().value());
}

TEST(AuditStatus, WhereTheStateIsBehindTheLogThePairStillBelongsTogether) {
  TestDaemon daemon;
  daemon.Import(5);
  GetStatusResponse status;
  status.set_last_sequence(1);  // as a state gives it that has folded the first block alone
  LoopStatus loop = daemon.loop().status();

  const absl::Status read = PutLogStatus(daemon.log(), loop, &status);

  ASSERT_TRUE(read.ok()) << read;
  EXPECT_NE(status.chain_hash(), Bytes(loop.chain_hash));
  const auto reader = daemon.log().NewReader(Sequence(1));
  const auto block = (*reader)->Next();
  BlockView view;
  ASSERT_TRUE(view.Parse((*block)->block, (*block)->bulk).ok());
  EXPECT_EQ(status.chain_hash(), Bytes(view.hash()));
  EXPECT_EQ(status.last_sequence(), view.last().value());
}

TEST(AuditStatus, CountsSessionsAndProxiesByState) {
  OperatorDaemon daemon;
  daemon.daemon().Import(4);
  TestWorker active(daemon.daemon(), "worker-1"), idle(daemon.daemon(), "worker-2");
  const auto watch = active.Activate();
  active.ReadAndAcknowledge(*watch);
  idle.Register();

  const GetStatusResponse status = daemon.Status();

  EXPECT_EQ(status.sessions().at("worker/active"), 1u);
  EXPECT_EQ(status.sessions().at("worker/handshaking"), 1u);
  EXPECT_EQ(status.proxies().at("available/granted"), 4u);
  EXPECT_EQ(status.proxies().size(), 1u);
}

TEST(AuditStatus, TellsOfCheckersOfChecksUnderWayAndOfWhatNobodyChecks) {
  TestDaemon::Options options;
  options.config = TestDaemon::Checked();
  OperatorDaemon daemon(options);
  daemon.daemon().Import(3);
  daemon.Advance(std::chrono::seconds(7));
  const GetStatusResponse before = daemon.Status();
  TestChecker active(daemon.daemon(), "checker-1"), idle(daemon.daemon(), "checker-2");
  const auto tasks = active.Activate();
  idle.Register();
  for (int i = 0; i < 3; ++i) active.ReadTask(*tasks);

  const GetStatusResponse status = daemon.Status();

  ASSERT_EQ(before.unchecked_age().size(), 1u);
  EXPECT_EQ(before.unchecked_age().at("basic").seconds(), 7);
  EXPECT_EQ(before.checks_outstanding(), 0u);
  EXPECT_EQ(status.sessions().at("checker/active"), 1u);
  EXPECT_EQ(status.sessions().at("checker/handshaking"), 1u);
  EXPECT_EQ(status.proxies().at("pending/unowned"), 3u);
  EXPECT_EQ(status.checks_outstanding(), 3u);
  EXPECT_TRUE(status.unchecked_age().empty());
}

TEST(AuditStatus, TellsTheRunTheRulesAndWhatTheProcessKnows) {
  StatusSources sources;
  sources.verified_through = [] { return Sequence(3); };
  sources.disk_free_bytes = [] { return std::uint64_t{123'456}; };
  sources.config_hash = std::string(32, 'h');
  sources.pool = [] {
    pool::ProjectorStatus pool;
    pool.phase = pool::ProjectorPhase::kReady;
    pool.applied = Sequence(2);
    pool.waiting = 7;
    return pool;
  };
  OperatorDaemon daemon({}, sources);

  const GetStatusResponse status = daemon.Status();

  EXPECT_EQ(status.software_version(), "test");
  EXPECT_EQ(status.log_id().size(), 32u);
  EXPECT_EQ(status.rules_version(), kRulesVersion);
  EXPECT_EQ(status.role(), audit::v1::ROLE_LEADER);
  EXPECT_EQ(status.pool_backend(), "embedded");
  EXPECT_EQ(status.pool_condition(), "ready");
  EXPECT_EQ(status.pool_applied_sequence(), 2u);
  EXPECT_EQ(status.pool_rows_waiting(), 7u);
  EXPECT_EQ(status.verified_sequence(), 3u);
  EXPECT_EQ(status.disk_free_bytes(), 123'456u);
  EXPECT_EQ(status.config_hash(), std::string(32, 'h'));
  EXPECT_TRUE(status.insecure());
  EXPECT_TRUE(status.serving());
  EXPECT_EQ(status.started_at().seconds(), status.log_time().seconds());
  EXPECT_EQ(status.clock_offset().seconds(), 0);
  EXPECT_FALSE(status.has_hold_off_until());
}

TEST(AuditStatus, SaysUntilWhenAndWhyANewLogHoldsOff) {
  TestDaemon::Options options;
  options.bootstrap = false;
  OperatorDaemon daemon(options);

  const GetStatusResponse status = daemon.Status();

  EXPECT_GT(status.hold_off_until().seconds(), status.log_time().seconds());
  EXPECT_NE(status.hold_off_because().find("a new log"), std::string::npos);
}

TEST(AuditStatus, SaysWhyItIsNotServing) {
  StatusSources sources;
  sources.not_serving_because = [] { return std::string("the disk is nearly full"); };
  OperatorDaemon daemon({}, sources);

  const GetStatusResponse status = daemon.Status();

  EXPECT_FALSE(status.serving());
  EXPECT_EQ(status.not_serving_because(), "the disk is nearly full");
}

}  // namespace
}  // namespace holdfast::server
