// What is refused before it is queued: each field by its name, each limit by its number.

#include "controller/validate.h"

#include <gtest/gtest.h>

#include "tests/controller/rule_fixture.h"
#include "tests/controller/validate_case.h"

namespace holdfast::testing {
namespace {

using controlplane::v1::AcknowledgeSnapshotRequest;
using controlplane::v1::RegisterWorkerRequest;
using controlplane::v1::ReportOutcomesRequest;
using controlplane::v1::ReportRuntimeRequest;
using controlplane::v1::WatchSnapshotsRequest;

constexpr std::uint64_t kTooMuch = std::uint64_t{1} << 53;

RegisterWorkerRequest GoodRegister() {
  RegisterWorkerRequest request;
  request.set_worker_id("w-1.A_b");
  request.set_instance_id("i1");
  request.set_supported_protocol_version(1);
  return request;
}

WatchSnapshotsRequest GoodWatch() {
  WatchSnapshotsRequest request;
  request.set_worker_id("w1");
  request.set_session_id("s1");
  request.set_ownership_epoch(kBase);
  return request;
}

AcknowledgeSnapshotRequest GoodAck() {
  AcknowledgeSnapshotRequest request;
  request.set_worker_id("w1");
  request.set_session_id("s1");
  request.set_version(1);
  request.set_checksum(std::string(32, 'c'));
  request.set_accepted(true);
  return request;
}

ReportRuntimeRequest GoodReport() {
  ReportRuntimeRequest request;
  request.set_worker_id("w1");
  request.set_session_id("s1");
  request.set_report_sequence(1);
  for (const char* id : {"c", "a", "b"}) request.add_counters()->set_proxy_id(id);
  return request;
}

ReportOutcomesRequest GoodOutcomes() {
  ReportOutcomesRequest request;
  request.set_worker_id("w1");
  request.set_session_id("s1");
  request.set_sequence(1);
  for (int i = 0; i < 2; ++i) {
    auto& outcome = *request.add_outcomes();
    outcome.set_proxy_id("p");
    outcome.set_phase(controlplane::v1::OUTCOME_PHASE_TUNNEL);
    outcome.set_error(controlplane::v1::OUTCOME_ERROR_NONE);
  }
  return request;
}

admin::v1::ApplyRoutingsRequest GoodRoutings() {
  admin::v1::ApplyRoutingsRequest request;
  *request.add_routings() = Routing("r1", "*.example.com");
  *request.add_routings() = Routing("r2", "*");
  return request;
}

TEST(Validate, ARegistrationSaysWhichFieldIsMalformed) {
  using R = RegisterWorkerRequest;
  ExpectMalformed<R>(
      GoodRegister(),
      {{"worker_id", [](R& r) { r.clear_worker_id(); }},
       {"worker_id", [](R& r) { r.set_worker_id(std::string(129, 'a')); }},
       {"worker_id", [](R& r) { r.set_worker_id("a b"); }},
       {"worker_id", [](R& r) { r.set_worker_id("\xc3\xa9"); }},
       {"instance_id", [](R& r) { r.clear_instance_id(); }},
       {"zone", [](R& r) { r.set_zone("a\tb"); }},
       {"zone", [](R& r) { r.set_zone(std::string(257, 'z')); }},
       {"zone", [](R& r) { r.set_zone("http://user:pass@host"); }},
       {"supported_protocol_version", [](R& r) { r.clear_supported_protocol_version(); }},
       {"min_protocol_version", [](R& r) { r.set_min_protocol_version(2); }},
       {"weight", [](R& r) { r.set_weight(1'000'001); }},
       {"capabilities[0]", [](R& r) { r.add_capabilities(controlplane::v1::WORKER_CAPABILITY_UNSPECIFIED); }},
       {"capabilities[0]", [](R& r) { r.add_capabilities(static_cast<controlplane::v1::WorkerCapability>(40)); }},
       {"capabilities[1]",
        [](R& r) {
          r.add_capabilities(controlplane::v1::WORKER_CAPABILITY_DELTA);
          r.add_capabilities(controlplane::v1::WORKER_CAPABILITY_DELTA);
        }},
       {"labels",
        [](R& r) {
          for (int i = 0; i < 33; ++i) (*r.mutable_labels())[std::to_string(i)] = "v";
        }},
       {"labels", [](R& r) { (*r.mutable_labels())["k"] = std::string(257, 'v'); }},
       {"labels", [](R& r) { (*r.mutable_labels())["k"] = "socks5://u:p@h:1"; }},
       {"last_log_id", [](R& r) { r.set_last_log_id("not an id"); }},
       {"last_ownership_epoch", [](R& r) { r.set_last_ownership_epoch(kTooMuch); }},
       {"last_version", [](R& r) { r.set_last_version(kTooMuch); }},
       {"previous_session_id", [](R& r) { r.set_previous_session_id("a/b"); }},
       {"registration_id", [](R& r) { r.set_registration_id("a/b"); }},
       {"software_version", [](R& r) { r.set_software_version(std::string(257, 'v')); }}});
}

TEST(Validate, WhatARegistrationMayLeaveOutOrSetToTheMost) {
  using R = RegisterWorkerRequest;
  ExpectGood<R>(GoodRegister(),
                {[](R& r) { r.set_worker_id(std::string(128, 'a')); }, [](R& r) { r.set_weight(0); },
                 [](R& r) { r.set_max_proxies(0); }, [](R& r) { r.set_max_proxies(0xffff'ffff); },
                 [](R& r) { r.set_last_version(kTooMuch - 1); }, [](R& r) { r.set_max_message_bytes(1); },
                 [](R& r) {
                   r.set_supported_protocol_version(9);
                   r.set_min_protocol_version(9);
                 }});
}

TEST(Validate, AWatchSaysWhichFieldIsMalformed) {
  using R = WatchSnapshotsRequest;
  ExpectMalformed<R>(GoodWatch(), {{"worker_id", [](R& r) { r.clear_worker_id(); }},
                                   {"session_id", [](R& r) { r.clear_session_id(); }},
                                   {"ownership_epoch", [](R& r) { r.set_ownership_epoch(kTooMuch); }},
                                   {"last_version", [](R& r) { r.set_last_version(kTooMuch); }},
                                   {"last_checksum", [](R& r) { r.set_last_checksum("short"); }}});
  ExpectGood<R>(GoodWatch(), {[](R& r) { r.set_last_checksum(std::string(32, 'c')); }});
}

TEST(Validate, AnAcknowledgementSaysWhichFieldIsMalformed) {
  using R = AcknowledgeSnapshotRequest;
  ExpectMalformed<R>(GoodAck(),
                     {{"worker_id", [](R& r) { r.clear_worker_id(); }},
                      {"session_id", [](R& r) { r.clear_session_id(); }},
                      {"version", [](R& r) { r.clear_version(); }},
                      {"version", [](R& r) { r.set_version(kTooMuch); }},
                      {"ownership_epoch", [](R& r) { r.set_ownership_epoch(kTooMuch); }},
                      {"checksum", [](R& r) { r.set_checksum(std::string(31, 'c')); }},
                      {"computed_checksum", [](R& r) { r.set_computed_checksum(std::string(33, 'c')); }},
                      {"refusal", [](R& r) { r.set_refusal(static_cast<controlplane::v1::SnapshotRefusal>(70)); }},
                      {"refusal", [](R& r) { r.set_refusal(controlplane::v1::SNAPSHOT_REFUSAL_EXPIRED); }},
                      {"reject_detail", [](R& r) { r.set_reject_detail(std::string(4097, 'd')); }}});
  ExpectGood<R>(GoodAck(), {[](R& r) {
                  r.set_accepted(false);
                  r.clear_checksum();
                  r.set_refusal(controlplane::v1::SNAPSHOT_REFUSAL_CHECKSUM);
                  r.set_computed_checksum(std::string(32, 'c'));
                }});
}

TEST(Validate, AReportSaysWhichFieldIsMalformed) {
  using R = ReportRuntimeRequest;
  ExpectMalformed<R>(GoodReport(), {{"worker_id", [](R& r) { r.clear_worker_id(); }},
                                    {"session_id", [](R& r) { r.clear_session_id(); }},
                                    {"report_sequence", [](R& r) { r.clear_report_sequence(); }},
                                    {"report_sequence", [](R& r) { r.set_report_sequence(kTooMuch); }},
                                    {"snapshot_version", [](R& r) { r.set_snapshot_version(kTooMuch); }},
                                    {"ownership_epoch", [](R& r) { r.set_ownership_epoch(kTooMuch); }},
                                    {"queued_request_count", [](R& r) { r.set_queued_request_count(kTooMuch); }},
                                    {"observed_at", [](R& r) { r.mutable_observed_at()->set_nanos(1); }},
                                    {"observed_at", [](R& r) { r.mutable_observed_at()->set_seconds(-1); }},
                                    {"counters[1].proxy_id", [](R& r) { r.mutable_counters(1)->clear_proxy_id(); }},
                                    {"counters[2].proxy_id", [](R& r) { r.mutable_counters(2)->set_proxy_id("a\nb"); }},
                                    {"counters[2].proxy_id",
                                     [](R& r) { r.mutable_counters(2)->set_proxy_id(std::string(1025, 'p')); }},
                                    {"counters[2].proxy_id", [](R& r) { r.mutable_counters(2)->set_proxy_id("c"); }}});
}

TEST(Validate, ADuplicateIsFoundAmongFewAndManyCountersInAnyOrder) {
  for (const int count : {2, 30, 64, 65, 5000}) {
    for (const bool descending : {false, true}) {
      ReportRuntimeRequest request = GoodReport();
      request.clear_counters();
      for (int i = 0; i < count; ++i) {
        const int number = 100'000 + (descending ? count - i : i);
        request.add_counters()->set_proxy_id("http://198.18.0.1:" + std::to_string(number));
      }
      EXPECT_FALSE(Validate(request, Settings()).has_value()) << count;

      request.mutable_counters(count - 1)->set_proxy_id(request.counters(0).proxy_id());
      const std::optional<Rejection> rejection = Validate(request, Settings());

      ASSERT_TRUE(rejection.has_value()) << count;
      EXPECT_EQ(rejection->field, "counters[" + std::to_string(count - 1) + "].proxy_id");
    }
  }
}

TEST(Validate, CountersOverTheBoundAreOverTheLimit) {
  Settings settings;
  settings.max_proxies_per_worker = 2;

  const std::optional<Rejection> rejection = Validate(GoodReport(), settings);

  ASSERT_TRUE(rejection.has_value());
  EXPECT_EQ(rejection->reason, RejectReason::kLimitExceeded);
  EXPECT_EQ(rejection->field, "counters");
  EXPECT_EQ(rejection->metadata.at("limit"), "2");
}

TEST(Validate, WhatIsMalformedIsSaidBeforeWhatIsTooMuch) {
  Settings settings;
  settings.max_proxies_per_worker = 2;
  ReportRuntimeRequest request = GoodReport();
  request.mutable_counters(2)->clear_proxy_id();

  EXPECT_EQ(Validate(request, settings)->reason, RejectReason::kMalformed);
}

TEST(Validate, ABatchOfOutcomesSaysWhichFieldIsMalformed) {
  using R = ReportOutcomesRequest;
  using controlplane::v1::OutcomeError;
  using controlplane::v1::OutcomePhase;
  ExpectMalformed<R>(
      GoodOutcomes(),
      {{"worker_id", [](R& r) { r.clear_worker_id(); }},
       {"session_id", [](R& r) { r.clear_session_id(); }},
       {"sequence", [](R& r) { r.clear_sequence(); }},
       {"sequence", [](R& r) { r.set_sequence(kTooMuch); }},
       {"dropped_total", [](R& r) { r.set_dropped_total(kTooMuch); }},
       {"ownership_epoch", [](R& r) { r.set_ownership_epoch(kTooMuch); }},
       {"outcomes[1].proxy_id", [](R& r) { r.mutable_outcomes(1)->clear_proxy_id(); }},
       {"outcomes[1].routing_id", [](R& r) { r.mutable_outcomes(1)->set_routing_id("no id"); }},
       {"outcomes[0].phase", [](R& r) { r.mutable_outcomes(0)->clear_phase(); }},
       {"outcomes[0].phase", [](R& r) { r.mutable_outcomes(0)->set_phase(static_cast<OutcomePhase>(99)); }},
       {"outcomes[0].error", [](R& r) { r.mutable_outcomes(0)->clear_error(); }},
       {"outcomes[0].error", [](R& r) { r.mutable_outcomes(0)->set_error(static_cast<OutcomeError>(99)); }},
       {"outcomes[0].latency", [](R& r) { r.mutable_outcomes(0)->mutable_latency()->set_seconds(-1); }},
       {"outcomes[0].latency", [](R& r) { r.mutable_outcomes(0)->mutable_latency()->set_nanos(7); }},
       {"outcomes[0].http_status", [](R& r) { r.mutable_outcomes(0)->set_http_status(99); }},
       {"outcomes[0].observed_at", [](R& r) { r.mutable_outcomes(0)->mutable_observed_at()->set_nanos(7); }}});
}

TEST(Validate, BatchesOverTheBoundAreOverTheLimit) {
  Settings settings;
  settings.max_batch = 1;
  admin::v1::ImportProxiesRequest import;
  admin::v1::RemoveProxiesRequest remove;
  admin::v1::ListProxiesRequest list;
  for (int i = 0; i < 2; ++i) {
    import.add_proxies();
    remove.add_proxy_ids("p" + std::to_string(i));
    list.add_proxy_ids("p" + std::to_string(i));
  }
  for (const std::optional<Rejection>& rejection :
       {Validate(GoodOutcomes(), settings), Validate(import, settings), Validate(remove, settings),
        Validate(list, settings), Validate(GoodRoutings(), settings)}) {
    ASSERT_TRUE(rejection.has_value());
    EXPECT_EQ(rejection->reason, RejectReason::kLimitExceeded);
    EXPECT_EQ(rejection->metadata.at("limit"), "1");
  }
}

TEST(Validate, OperatorsCallsSayWhichFieldIsMalformed) {
  using Import = admin::v1::ImportProxiesRequest;
  ExpectMalformed<Import>(Import(), {{"replace_source", [](Import& r) { r.set_replace_source("a\nb"); }},
                                     {"replace_source", [](Import& r) { r.set_replace_source(std::string(257, 's')); }},
                                     {"replace_source", [](Import& r) { r.set_replace_source("http://u:p@h"); }}});
  using Remove = admin::v1::RemoveProxiesRequest;
  ExpectMalformed<Remove>(Remove(), {{"proxy_ids[0]", [](Remove& r) { r.add_proxy_ids(""); }},
                                     {"proxy_ids[0]", [](Remove& r) { r.add_proxy_ids(std::string(1025, 'p')); }},
                                     {"reason", [](Remove& r) { r.set_reason(std::string(1025, 'r')); }}});
  using List = admin::v1::ListProxiesRequest;
  ExpectMalformed<List>(List(), {{"states[0]", [](List& r) { r.add_states(static_cast<admin::v1::PoolState>(44)); }},
                                 {"states[0]", [](List& r) { r.add_states(admin::v1::POOL_STATE_UNSPECIFIED); }},
                                 {"ownership_states[0]",
                                  [](List& r) { r.add_ownership_states(static_cast<admin::v1::OwnershipState>(44)); }},
                                 {"owner_worker_id", [](List& r) { r.set_owner_worker_id("a b"); }},
                                 {"proxy_ids[1]", [](List& r) { r.add_proxy_ids("p"), r.add_proxy_ids(""); }}});
  using Members = admin::v1::ListSessionsRequest;
  ExpectMalformed<Members>(Members(),
                           {{"kind", [](Members& r) { r.set_kind(static_cast<controlplane::v1::SessionKind>(44)); }},
                            {"member_ids[0]", [](Members& r) { r.add_member_ids("a b"); }}});
}

TEST(Validate, RoutingsSayWhichFieldIsMalformed) {
  using R = admin::v1::ApplyRoutingsRequest;
  const auto target = [](R& r, const std::string& url) -> controlplane::v1::CheckTarget& {
    auto& added = *r.mutable_routings(0)->add_targets();
    added.set_url(url);
    return added;
  };
  std::vector<Case<R>> cases = {
      {"expected_revision", [](R& r) { r.set_expected_revision(kTooMuch); }},
      {"routings[0].routing.routing_id", [](R& r) { r.mutable_routings(0)->mutable_routing()->clear_routing_id(); }},
      {"routings[1].routing.routing_id", [](R& r) { r.mutable_routings(1)->mutable_routing()->set_routing_id("r1"); }},
      {"routings[0].routing.host_patterns",
       [](R& r) { r.mutable_routings(0)->mutable_routing()->clear_host_patterns(); }},
      {"routings[0].routing.ports[0]", [](R& r) { r.mutable_routings(0)->mutable_routing()->add_ports(0); }},
      {"routings[0].routing.ports[0]", [](R& r) { r.mutable_routings(0)->mutable_routing()->add_ports(65'536); }},
      {"routings[0].routing.proxy_labels",
       [](R& r) { (*r.mutable_routings(0)->mutable_routing()->mutable_proxy_labels())["k"] = "http://u:p@h"; }},
      {"routings[0].routing.zones[0]", [](R& r) { r.mutable_routings(0)->mutable_routing()->add_zones("a\nb"); }},
      {"routings[0].targets[0].expected_status[0]",
       [&](R& r) { target(r, "https://example.com/").add_expected_status(600); }},
      {"routings[0].targets[0].method", [&](R& r) { target(r, "https://example.com/").set_method("GE T"); }},
      {"routings[0].targets[0].timeout",
       [&](R& r) { target(r, "https://example.com/").mutable_timeout()->set_nanos(1); }},
      {"routings[0].min_anonymity",
       [](R& r) { r.mutable_routings(0)->set_min_anonymity(static_cast<controlplane::v1::Anonymity>(9)); }}};
  for (const char* pattern : {"", "exa mple.com", "*.", "*foo.com", "a.*.com", "**", "*.198.18.0.1", "-a.com"}) {
    cases.push_back({"routings[0].routing.host_patterns[0]",
                     [pattern](R& r) { r.mutable_routings(0)->mutable_routing()->set_host_patterns(0, pattern); }});
  }
  for (const char* url :
       {"", "ftp://example.com", "http://", "http://u:p@example.com/", "http://example.com:0/",
        "http://example.com:99999/", "http://example.com:8a/", "https://a b/", "http://[2001:db8::1/"}) {
    cases.push_back({"routings[0].targets[0].url", [&, url](R& r) { target(r, url); }});
  }

  ExpectMalformed<R>(GoodRoutings(), cases);
  ExpectGood<R>(GoodRoutings(),
                {[&](R& r) { target(r, "https://[2001:db8::1]:8443/x?y=a@b"); },
                 [&](R& r) { target(r, "http://198.18.0.1:80").set_method("HEAD"); },
                 [&](R& r) { r.mutable_routings(0)->mutable_routing()->set_host_patterns(0, "198.18.0.1"); }});
}

TEST(Validate, RoutingsThatWouldFillTheSnapshotAreOverTheLimit) {
  Settings settings;
  settings.max_message = 64 * 1024;
  admin::v1::ApplyRoutingsRequest request;
  for (int i = 0; i < 1000; ++i) *request.add_routings() = Routing("routing-" + std::to_string(i), "*.example.com");

  EXPECT_EQ(Validate(request, settings)->reason, RejectReason::kLimitExceeded);
}

}  // namespace
}  // namespace holdfast::testing
