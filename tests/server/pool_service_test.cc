// Lists, removals and routings over real gRPC.

#include <gtest/gtest.h>

#include <set>

#include "tests/server/call_detail.h"
#include "tests/server/operator_fixture.h"
#include "tests/server/test_worker.h"

namespace holdfast::server {
namespace {

using admin::v1::ApplyRoutingsRequest;
using admin::v1::ApplyRoutingsResponse;
using admin::v1::ImportProxiesRequest;
using admin::v1::ListProxiesRequest;
using admin::v1::ListProxiesResponse;
using admin::v1::ListRoutingsRequest;
using admin::v1::ListRoutingsResponse;
using admin::v1::OWNERSHIP_STATE_GRANTED;
using admin::v1::POOL_STATE_AVAILABLE;
using admin::v1::POOL_STATE_UNHEALTHY;
using admin::v1::ProxyStatus;
using admin::v1::RemoveProxiesRequest;
using admin::v1::RemoveProxiesResponse;
using std::chrono::seconds;

std::set<std::string> Ids(const std::vector<ProxyStatus>& proxies) {
  std::set<std::string> ids;
  for (const ProxyStatus& proxy : proxies) ids.insert(proxy.spec().proxy_id());
  return ids;
}

TEST(PoolService, AListOfThirtyThousandComesInBoundedSlicesEachProxyOnce) {
  OperatorDaemon daemon;
  daemon.ImportMade(0, 30'000);

  grpc::ClientContext context;
  const auto all = ReadAll(*daemon.pool().ListProxies(&context, ListProxiesRequest()));

  ASSERT_TRUE(all.status.ok()) << all.status.error_message();
  EXPECT_GE(all.messages.size(), 60u);
  std::set<std::string> ids;
  std::size_t shown = 0;
  for (const ListProxiesResponse& message : all.messages) {
    EXPECT_LE(message.proxies_size(), 500);
    EXPECT_GT(message.as_of_sequence(), 0u);
    shown += static_cast<std::size_t>(message.proxies_size());
    for (const ProxyStatus& proxy : message.proxies()) ids.insert(proxy.spec().proxy_id());
  }
  EXPECT_EQ(shown, 30'000u);
  EXPECT_EQ(ids.size(), 30'000u);
}

TEST(PoolService, AFilterThatLeavesAlmostAllOutStillFindsTheLastOne) {
  OperatorDaemon daemon;
  daemon.ImportMade(0, 20'000);
  ImportProxiesRequest rare;
  *rare.add_proxies() = MadeProxy(20'001);
  rare.mutable_proxies(0)->set_source("rare");
  (*rare.mutable_proxies(0)->mutable_labels())["tier"] = "gold";
  ASSERT_TRUE(daemon.Import({rare}).status.ok());

  ListProxiesRequest by_source, by_label, by_both;
  by_source.set_source("rare");
  (*by_label.mutable_labels())["tier"] = "gold";
  by_both.set_source("rare");
  (*by_both.mutable_labels())["tier"] = "silver";

  EXPECT_EQ(Ids(daemon.List(by_source)), std::set<std::string>{"http://198.18.80.2:8080"});
  EXPECT_EQ(daemon.List(by_label).size(), 1u);
  EXPECT_TRUE(daemon.List(by_both).empty());
}

TEST(PoolService, LimitAndIdsBoundAListAndAnEmptyOneStillSaysAsOfWhen) {
  OperatorDaemon daemon;
  daemon.ImportMade(0, 700);
  ListProxiesRequest limited, named, nothing;
  limited.set_limit(600);
  for (const char* id : {"http://198.18.0.3:8080", "http://198.18.9.9:8080", "http://198.18.0.1:8080"}) {
    named.add_proxy_ids(id);
  }
  nothing.add_states(POOL_STATE_UNHEALTHY);

  grpc::ClientContext context;
  const auto none = ReadAll(*daemon.pool().ListProxies(&context, nothing));

  EXPECT_EQ(daemon.List(limited).size(), 600u);
  EXPECT_EQ(Ids(daemon.List(named)), (std::set<std::string>{"http://198.18.0.1:8080", "http://198.18.0.3:8080"}));
  ASSERT_EQ(none.messages.size(), 1u);
  EXPECT_TRUE(none.messages[0].proxies().empty());
  EXPECT_EQ(none.messages[0].as_of_sequence(), daemon.daemon().log().Tip().value());
}

TEST(PoolService, AListedProxyShowsOwnerUseAndWhatIsLeft) {
  OperatorDaemon daemon;
  ImportProxiesRequest batch;
  *batch.add_proxies() = MadeProxy(0);
  batch.mutable_proxies(0)->set_capacity(4);
  batch.mutable_proxies(0)->set_zone("zone-a");
  ASSERT_TRUE(daemon.Import({batch}).status.ok());
  TestWorker worker(daemon.daemon(), "worker-1");
  const auto watch = worker.Activate();
  worker.ReadAndAcknowledge(*watch);
  auto report = worker.ReportRequest(1);
  auto* counter = report.add_counters();
  counter->set_proxy_id("http://198.18.0.1:8080");
  counter->set_active(2);
  counter->set_reserved(1);
  ASSERT_TRUE(worker.Call(report).ok());

  const ProxyStatus fresh = daemon.Proxy("http://198.18.0.1:8080");
  daemon.Advance(seconds(4));
  const ProxyStatus late = daemon.Proxy("http://198.18.0.1:8080");

  EXPECT_EQ(fresh.spec().zone(), "zone-a");
  EXPECT_EQ(fresh.spec().endpoint().host(), "198.18.0.1");
  EXPECT_EQ(fresh.pool_state(), POOL_STATE_AVAILABLE);
  EXPECT_EQ(fresh.ownership_state(), OWNERSHIP_STATE_GRANTED);
  EXPECT_EQ(fresh.owner_worker_id(), "worker-1");
  EXPECT_EQ(fresh.ownership_epoch(), worker.session().ownership_epoch());
  EXPECT_GT(fresh.owned_until().seconds(), 0);
  EXPECT_EQ(fresh.spec().expires_at().seconds() - fresh.usable_until().seconds(), 60);
  EXPECT_EQ(fresh.active(), 2u);
  EXPECT_EQ(fresh.reserved(), 1u);
  EXPECT_EQ(fresh.available_capacity(), 1u);
  EXPECT_EQ(late.available_capacity(), 0u);
  EXPECT_EQ(late.active(), 0u);
}

TEST(PoolService, RemovalTellsWhatIsGoneWhatDrainsAndWhatIsUnknown) {
  OperatorDaemon daemon;
  daemon.ImportMade(0, 1);
  TestWorker worker(daemon.daemon(), "worker-1");
  const auto watch = worker.Activate();
  worker.ReadAndAcknowledge(*watch);
  ASSERT_EQ(daemon.Proxy("http://198.18.0.1:8080").ownership_state(), OWNERSHIP_STATE_GRANTED);
  ImportProxiesRequest secret;  // no worker may have it: nobody here resolves secrets
  *secret.add_proxies() = MadeProxy(5);
  secret.mutable_proxies(0)->set_secret_ref("shop");
  ASSERT_TRUE(daemon.Import({secret}).status.ok());

  grpc::ClientContext context;
  RemoveProxiesRequest request;
  for (const char* id : {"http://198.18.0.1:8080", "http://shop@198.18.0.6:8080", "nobody"}) request.add_proxy_ids(id);
  RemoveProxiesResponse removed;
  const grpc::Status status = daemon.pool().RemoveProxies(&context, request, &removed);

  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(removed.removed() + removed.draining(), 2u);
  EXPECT_GE(removed.draining(), 1u);
  ASSERT_EQ(removed.unknown_proxy_ids_size(), 1);
  EXPECT_EQ(removed.unknown_proxy_ids(0), "nobody");
  EXPECT_EQ(removed.log_sequence(), daemon.daemon().Entries(log::v1::Input::kRemoveProxies)[0].sequence.value());
  const std::vector<ProxyStatus> left = daemon.List();  // held: gone when it is given back
  ASSERT_EQ(left.size(), removed.draining());
  EXPECT_NE(left[0].ownership_state(), OWNERSHIP_STATE_GRANTED);
}

TEST(PoolService, RoutingsAreListedAsTheyWereAppliedAndARevisionGuardsThem) {
  OperatorDaemon daemon;
  ApplyRoutingsRequest request;
  for (const char* id : {"shop", "rest"}) {
    admin::v1::RoutingSpec* spec = request.add_routings();
    spec->mutable_routing()->set_routing_id(id);
    spec->mutable_routing()->add_host_patterns("*.example.com");
    spec->mutable_routing()->add_ports(443);
    (*spec->mutable_routing()->mutable_proxy_labels())["tier"] = "gold";
    spec->mutable_routing()->add_zones("zone-a");
    spec->add_targets()->set_url("https://judge.example.com/");
    spec->mutable_targets(0)->mutable_timeout()->set_seconds(3);
    spec->set_min_anonymity(controlplane::v1::ANONYMITY_ELITE);
  }
  grpc::ClientContext first_context, second_context, list_context;
  ApplyRoutingsResponse applied;
  ASSERT_TRUE(daemon.pool().ApplyRoutings(&first_context, request, &applied).ok());

  request.set_expected_revision(applied.revision() + 7);
  ApplyRoutingsResponse stale_applied;
  const grpc::Status stale = daemon.pool().ApplyRoutings(&second_context, request, &stale_applied);
  ListRoutingsResponse listed;
  ASSERT_TRUE(daemon.pool().ListRoutings(&list_context, ListRoutingsRequest(), &listed).ok());

  EXPECT_EQ(ReasonOf(stale), controlplane::v1::REJECT_REASON_FAILED_CONDITION);
  EXPECT_EQ(listed.revision(), applied.revision());
  ASSERT_EQ(listed.routings_size(), 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(listed.routings(i).DebugString(), request.routings(i).DebugString());
  }
}

TEST(PoolService, WhatIsMalformedNamesItsField) {
  OperatorDaemon daemon;
  ListProxiesRequest list;
  list.add_states(static_cast<admin::v1::PoolState>(77));
  RemoveProxiesRequest removal;
  removal.add_proxy_ids("");
  grpc::ClientContext list_context, removal_context;
  RemoveProxiesResponse removed;

  const auto listed = ReadAll(*daemon.pool().ListProxies(&list_context, list));
  const grpc::Status refused = daemon.pool().RemoveProxies(&removal_context, removal, &removed);

  EXPECT_EQ(listed.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(DetailOf(listed.status)->detail.field(), "states[0]");
  EXPECT_EQ(DetailOf(refused)->detail.field(), "proxy_ids[0]");
}

}  // namespace
}  // namespace holdfast::server
