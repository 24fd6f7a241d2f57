// What operators send about members, alarms and the clock: each field by its name, each limit by its number.

#include <gtest/gtest.h>

#include "tests/controller/validate_case.h"

namespace holdfast::testing {
namespace {

using admin::v1::AcceptClockRequest;
using admin::v1::ALARM_KIND_SYNC_STALLED;
using admin::v1::ClearAlarmRequest;
using admin::v1::DrainSessionRequest;
using admin::v1::FenceSessionRequest;
using admin::v1::ReclaimProxiesRequest;
using admin::v1::SetEligibilityRequest;
using admin::v1::WatchDrainRequest;
using controlplane::v1::SESSION_KIND_AGENT;
using controlplane::v1::SESSION_KIND_WORKER;

const std::string kLongReason(1025, 'r');

DrainSessionRequest GoodDrain() {
  DrainSessionRequest request;
  request.set_kind(SESSION_KIND_WORKER);
  request.set_member_id("w1");
  return request;
}

FenceSessionRequest GoodFence() {
  FenceSessionRequest request;
  request.set_kind(SESSION_KIND_WORKER);
  request.set_member_id("w1");
  request.set_reason("stolen");
  return request;
}

ReclaimProxiesRequest GoodReclaim() {
  ReclaimProxiesRequest request;
  request.add_proxy_ids("http://198.18.0.1:8080");
  request.add_proxy_ids("http://cred-1@198.18.0.1:8080");
  request.set_reason("needed elsewhere");
  return request;
}

TEST(ValidateFleet, ADrainSaysWhichFieldIsMalformed) {
  using R = DrainSessionRequest;
  ExpectMalformed<R>(GoodDrain(), {{"kind", [](R& r) { r.clear_kind(); }},
                                   {"kind", [](R& r) { r.set_kind(SESSION_KIND_AGENT); }},
                                   {"kind", [](R& r) { r.set_kind(static_cast<controlplane::v1::SessionKind>(44)); }},
                                   {"member_id", [](R& r) { r.clear_member_id(); }},
                                   {"member_id", [](R& r) { r.set_member_id("a b"); }},
                                   {"grace", [](R& r) { r.mutable_grace()->set_seconds(-1); }},
                                   {"grace", [](R& r) { r.mutable_grace()->set_nanos(1); }},
                                   {"grace",
                                    [](R& r) {
                                      r.mutable_grace()->set_seconds(86'400);
                                      r.mutable_grace()->set_nanos(1'000);
                                    }},
                                   {"no_deadline",
                                    [](R& r) {
                                      r.mutable_grace()->set_seconds(1);
                                      r.set_no_deadline(true);
                                    }},
                                   {"reason", [](R& r) { r.set_reason(kLongReason); }},
                                   {"reason", [](R& r) { r.set_reason("a\nb"); }},
                                   {"reason", [](R& r) { r.set_reason("see http://user:pass@host"); }},
                                   {"expected_session_id", [](R& r) { r.set_expected_session_id("a/b"); }}});
}

TEST(ValidateFleet, WhatADrainMayLeaveOutOrSetToTheMost) {
  using R = DrainSessionRequest;
  ExpectGood<R>(GoodDrain(), {[](R& r) { r.mutable_grace(); }, [](R& r) { r.mutable_grace()->set_seconds(86'400); },
                              [](R& r) { r.mutable_grace()->set_nanos(1'000); }, [](R& r) { r.set_no_deadline(true); },
                              [](R& r) { r.set_reason(std::string(1024, 'r')); },
                              [](R& r) { r.set_expected_session_id("s1"); }, [](R& r) { r.set_keep_eligible(true); }});
}

TEST(ValidateFleet, AWatchOfADrainSaysWhichFieldIsMalformed) {
  using R = WatchDrainRequest;
  R good;
  good.set_kind(SESSION_KIND_WORKER);
  good.set_member_id("w1");

  ExpectMalformed<R>(good, {{"kind", [](R& r) { r.clear_kind(); }},
                            {"member_id", [](R& r) { r.clear_member_id(); }},
                            {"session_id", [](R& r) { r.set_session_id("a/b"); }}});
  ExpectGood<R>(good, {[](R& r) { r.set_session_id("s1"); }});
}

TEST(ValidateFleet, AFenceSaysWhichFieldIsMalformed) {
  using R = FenceSessionRequest;
  ExpectMalformed<R>(GoodFence(), {{"kind", [](R& r) { r.set_kind(SESSION_KIND_AGENT); }},
                                   {"member_id", [](R& r) { r.clear_member_id(); }},
                                   {"reason", [](R& r) { r.clear_reason(); }},
                                   {"reason", [](R& r) { r.set_reason(kLongReason); }},
                                   {"expected_session_id", [](R& r) { r.set_expected_session_id("a/b"); }}});
}

TEST(ValidateFleet, AReclaimSaysWhichFieldIsMalformedAndWhatIsTooMuch) {
  using R = ReclaimProxiesRequest;
  ExpectMalformed<R>(GoodReclaim(),
                     {{"proxy_ids[2]", [](R& r) { r.add_proxy_ids(""); }},
                      {"proxy_ids[0]", [](R& r) { r.set_proxy_ids(0, "a\nb"); }},
                      {"proxy_ids[1]", [](R& r) { r.set_proxy_ids(1, "http://user:pass@198.18.0.1:8080"); }},
                      {"reason", [](R& r) { r.clear_reason(); }}});
  ExpectGood<R>(GoodReclaim(), {[](R& r) { r.add_proxy_ids(r.proxy_ids(0)); }, [](R& r) { r.clear_proxy_ids(); }});

  Settings settings;
  settings.max_batch = 1;
  EXPECT_EQ(Validate(GoodReclaim(), settings)->reason, RejectReason::kLimitExceeded);
}

TEST(ValidateFleet, EligibilitySaysWhichFieldIsMalformed) {
  using R = SetEligibilityRequest;
  R good;
  good.set_kind(SESSION_KIND_WORKER);
  good.set_member_id("never-seen");

  ExpectMalformed<R>(good, {{"kind", [](R& r) { r.clear_kind(); }},
                            {"member_id", [](R& r) { r.set_member_id(std::string(129, 'a')); }},
                            {"reason", [](R& r) { r.set_reason(kLongReason); }}});
}

TEST(ValidateFleet, AClearedAlarmAndAnAcceptedClockSayWhichFieldIsMalformed) {
  using Clear = ClearAlarmRequest;
  Clear clear;
  clear.set_kind(ALARM_KIND_SYNC_STALLED);
  clear.set_reason("seen");
  ExpectMalformed<Clear>(clear, {{"kind", [](Clear& r) { r.clear_kind(); }},
                                 {"kind", [](Clear& r) { r.set_kind(static_cast<admin::v1::AlarmKind>(99)); }},
                                 {"subject", [](Clear& r) { r.set_subject("a b"); }},
                                 {"reason", [](Clear& r) { r.clear_reason(); }}});
  ExpectGood<Clear>(
      clear, {[](Clear& r) { r.set_subject("worker-1"); }, [](Clear& r) { r.set_subject("target/shop@checker-1"); }});

  using Accept = AcceptClockRequest;
  Accept accept;
  accept.set_reason("the host slept");
  ExpectMalformed<Accept>(
      accept, {{"reason", [](Accept& r) { r.clear_reason(); }}, {"reason", [](Accept& r) { r.set_reason("a\tb"); }}});
}

}  // namespace
}  // namespace holdfast::testing
