// Sessions and alarms over real gRPC: every field through a session's life, paging, filters.

#include <gtest/gtest.h>

#include <set>

#include "controller/proto_time.h"
#include "tests/server/call_detail.h"
#include "tests/server/operator_fixture.h"
#include "tests/server/test_worker.h"

namespace holdfast::server {
namespace {

using admin::v1::ALARM_KIND_CLOCK_JUMPED;
using admin::v1::BackupRequest;
using admin::v1::CLOSE_REASON_EXPIRED;
using admin::v1::ListAlarmsRequest;
using admin::v1::ListAlarmsResponse;
using admin::v1::ListSessionsRequest;
using admin::v1::ListSessionsResponse;
using admin::v1::SendOpsRequest;
using admin::v1::SendOpsResponse;
using admin::v1::SessionStatus;
using admin::v1::SNAPSHOT_SYNC_NOT_SENT;
using admin::v1::SNAPSHOT_SYNC_PENDING;
using admin::v1::SNAPSHOT_SYNC_REJECTED;
using admin::v1::SNAPSHOT_SYNC_STALE;
using admin::v1::SNAPSHOT_SYNC_SYNCED;
using admin::v1::SNAPSHOT_SYNC_UNSPECIFIED;
using std::chrono::seconds;

ListSessionsRequest All() {
  ListSessionsRequest request;
  request.set_include_closed(true);
  return request;
}

SessionStatus Only(OperatorDaemon& daemon) {
  const auto sessions = daemon.Sessions(All());
  EXPECT_EQ(sessions.size(), 1u);
  return sessions.empty() ? SessionStatus() : sessions.front();
}

TEST(FleetService, ARegisteredSessionShowsWhoItIsAndThatNothingWasSent) {
  OperatorDaemon daemon;
  TestWorker worker(daemon.daemon(), "worker-1");
  auto request = worker.RegisterRequest();
  request.set_zone("zone-a");
  request.set_software_version("gw 7");
  request.set_reconnect_attempt(3);

  ASSERT_TRUE(worker.Call(request).ok());
  const SessionStatus session = Only(daemon);

  EXPECT_EQ(session.kind(), controlplane::v1::SESSION_KIND_WORKER);
  EXPECT_EQ(session.member_id(), "worker-1");
  EXPECT_EQ(session.instance_id(), request.instance_id());
  EXPECT_FALSE(session.session_id().empty());
  EXPECT_EQ(session.zone(), "zone-a");
  EXPECT_EQ(session.software_version(), "gw 7");
  EXPECT_EQ(session.reconnect_attempt(), 3u);
  EXPECT_EQ(session.peer(), "loopback");
  EXPECT_EQ(session.state(), controlplane::v1::SESSION_STATE_HANDSHAKING);
  EXPECT_EQ(session.sync(), SNAPSHOT_SYNC_NOT_SENT);
  EXPECT_TRUE(session.eligible());
  EXPECT_FALSE(session.attached());
  EXPECT_EQ(session.issued_version(), 0u);
  EXPECT_EQ(*ReadTime(session.expires_at()) - *ReadTime(session.opened_at()), seconds(15));
}

TEST(FleetService, AnUpdateIsPendingUntilItIsAnsweredThenSyncedOrRejected) {
  OperatorDaemon daemon;
  daemon.daemon().Import(3);
  TestWorker worker(daemon.daemon(), "worker-1");
  worker.Register();
  const auto watch = worker.Watch();
  const auto first = watch->Read();
  ASSERT_TRUE(first);
  const SessionStatus pending = Only(daemon);

  ASSERT_TRUE(worker.Call(worker.AckRequest(HeadOf(*first))).ok());
  const UpdateHead second = worker.ReadAndAcknowledge(*watch);
  daemon.daemon().Settle();
  const SessionStatus synced = Only(daemon);
  auto refusal = worker.AckRequest(second);
  refusal.set_accepted(false);
  refusal.set_refusal(controlplane::v1::SNAPSHOT_REFUSAL_CHECKSUM);
  ASSERT_TRUE(worker.Call(refusal).ok());
  const SessionStatus rejected = Only(daemon);

  EXPECT_EQ(pending.sync(), SNAPSHOT_SYNC_PENDING);
  EXPECT_TRUE(pending.attached());
  EXPECT_EQ(pending.issued_version(), HeadOf(*first).version);
  EXPECT_EQ(pending.accepted_version(), 0u);
  EXPECT_EQ(synced.state(), controlplane::v1::SESSION_STATE_ACTIVE);
  EXPECT_EQ(synced.sync(), SNAPSHOT_SYNC_SYNCED);
  EXPECT_EQ(synced.accepted_version(), second.version);
  EXPECT_EQ(synced.owned_proxies(), 3u);
  EXPECT_FALSE(synced.runtime_fenced());
  EXPECT_EQ(rejected.sync(), SNAPSHOT_SYNC_REJECTED);
  EXPECT_TRUE(rejected.runtime_fenced());
}

TEST(FleetService, ContentThatIsNewerThanTheAcceptedIsStaleWhileNobodyListens) {
  OperatorDaemon daemon;
  daemon.daemon().Import(2);
  TestWorker worker(daemon.daemon(), "worker-1");
  auto watch = worker.Activate();
  worker.ReadAndAcknowledge(*watch);
  watch.reset();
  while (Only(daemon).attached()) daemon.daemon().Settle();

  log::v1::Input removal;
  removal.mutable_remove_proxies()->add_proxy_ids("proxy-0");
  daemon.daemon().Decide(removal);

  EXPECT_EQ(Only(daemon).sync(), SNAPSHOT_SYNC_STALE);
}

TEST(FleetService, ReportsOutcomesAndADrainShowUntilTheSessionIsClosed) {
  OperatorDaemon daemon;
  daemon.daemon().Import(1);
  TestWorker worker(daemon.daemon(), "worker-1");
  const auto watch = worker.Activate();
  worker.ReadAndAcknowledge(*watch);
  auto report = worker.ReportRequest(1);
  report.set_queued_request_count(11);
  auto* counter = report.add_counters();
  counter->set_proxy_id("proxy-0");
  counter->set_active(2);
  counter->set_reserved(1);
  ASSERT_TRUE(worker.Call(report).ok());
  auto outcomes = worker.OutcomesRequest(1);
  outcomes.set_dropped_total(17);
  ASSERT_TRUE(worker.Call(outcomes).ok());
  const SessionStatus busy = Only(daemon);

  report.set_report_sequence(2);
  report.set_draining(true);
  ASSERT_TRUE(worker.Call(report).ok());
  const SessionStatus draining = Only(daemon);
  daemon.Advance(seconds(16));
  const SessionStatus closed = Only(daemon);

  EXPECT_EQ(busy.inflight_count(), 3u);
  EXPECT_EQ(busy.queued_request_count(), 11u);
  EXPECT_EQ(busy.outcomes_dropped(), 17u);
  EXPECT_EQ(draining.state(), controlplane::v1::SESSION_STATE_DRAINING);
  EXPECT_TRUE(draining.draining());
  EXPECT_EQ(draining.drain_reason(), controlplane::v1::DRAIN_REASON_SHUTDOWN);
  EXPECT_GT(*ReadTime(draining.drain_deadline_at()), *ReadTime(draining.drain_started_at()));
  EXPECT_EQ(closed.state(), controlplane::v1::SESSION_STATE_CLOSED);
  EXPECT_EQ(closed.close_reason(), CLOSE_REASON_EXPIRED);
  EXPECT_EQ(closed.sync(), SNAPSHOT_SYNC_UNSPECIFIED);
  EXPECT_EQ(closed.inflight_count(), 0u);
  EXPECT_FALSE(closed.has_expires_at());
  EXPECT_TRUE(daemon.Sessions().empty());  // closed ones are shown when asked for
}

TEST(FleetService, PagesFollowEachOtherWithoutGapsAndFiltersHoldOverAllOfThem) {
  OperatorDaemon daemon;
  for (int i = 0; i < 7; ++i) {
    TestWorker worker(daemon.daemon(), "worker-" + std::to_string(i));
    worker.Register();
  }
  ListSessionsRequest request;
  request.set_page_size(3);
  std::vector<int> sizes;
  std::set<std::string> members;

  do {
    grpc::ClientContext context;
    ListSessionsResponse page;
    ASSERT_TRUE(daemon.fleet().ListSessions(&context, request, &page).ok());
    EXPECT_GT(page.as_of_sequence(), 0u);
    sizes.push_back(page.sessions_size());
    for (const SessionStatus& session : page.sessions()) members.insert(session.member_id());
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());

  EXPECT_EQ(sizes, (std::vector<int>{3, 3, 1}));
  EXPECT_EQ(members.size(), 7u);
  ListSessionsRequest named;
  for (const char* member : {"worker-5", "nobody", "worker-1", "worker-5"}) named.add_member_ids(member);
  const auto two = daemon.Sessions(named);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].member_id(), "worker-1");
  ListSessionsRequest checkers;
  checkers.set_kind(controlplane::v1::SESSION_KIND_CHECKER);
  EXPECT_TRUE(daemon.Sessions(checkers).empty());
}

TEST(FleetService, ATokenThatNoPageGaveAndAnUnknownKindAreMalformed) {
  OperatorDaemon daemon;
  ListSessionsRequest token, kind;
  token.set_page_token("17");
  kind.set_kind(static_cast<controlplane::v1::SessionKind>(99));

  for (const auto& [request, field] : {std::pair(token, "page_token"), std::pair(kind, "kind")}) {
    grpc::ClientContext context;
    ListSessionsResponse response;
    const grpc::Status status = daemon.fleet().ListSessions(&context, request, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(DetailOf(status)->detail.field(), field);
  }
}

TEST(FleetService, AnAlarmIsListedWithWhatRaisedIt) {
  OperatorDaemon daemon;
  log::v1::Input jump;
  jump.mutable_observe_clock()->set_wall_micros(1);
  jump.mutable_observe_clock()->set_offset_micros(60'000'000);
  daemon.daemon().Decide(jump);

  grpc::ClientContext context;
  ListAlarmsResponse alarms;
  ASSERT_TRUE(daemon.fleet().ListAlarms(&context, ListAlarmsRequest(), &alarms).ok());

  ASSERT_EQ(alarms.alarms_size(), 1);
  EXPECT_EQ(alarms.alarms(0).kind(), ALARM_KIND_CLOCK_JUMPED);
  EXPECT_FALSE(alarms.alarms(0).detail().empty());
  EXPECT_EQ(alarms.alarms(0).raised_sequence(),
            daemon.daemon().Entries(log::v1::Input::kObserveClock)[0].sequence.value());
}

TEST(FleetService, WhatThisVersionDoesNotServeSaysSo) {
  OperatorDaemon daemon;
  grpc::ClientContext ops_context, backup_context;
  SendOpsResponse answer;

  const grpc::Status ops = daemon.fleet().SendOps(&ops_context, SendOpsRequest(), &answer);
  const auto backup = ReadAll(*daemon.fleet().Backup(&backup_context, BackupRequest()));

  EXPECT_EQ(ops.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(backup.status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_NE(backup.status.error_message().find("FleetAdmin.Backup"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::server
