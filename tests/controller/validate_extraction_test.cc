// What clients send, and what is said of their store: each field by its name, each limit by its number.

#include <gtest/gtest.h>

#include "tests/controller/validate_case.h"

namespace holdfast::testing {
namespace {

using distribution::v1::ExtractRequest;
using distribution::v1::ReleaseRequest;

ExtractRequest GoodExtract() {
  ExtractRequest request;
  request.set_client_id("c1");
  request.set_request_id("r1");
  request.set_count(1);
  return request;
}

ReleaseRequest GoodRelease() {
  ReleaseRequest request;
  request.set_client_id("c1");
  request.set_request_id("r1");
  request.set_extraction_id("e1");
  return request;
}

TEST(ValidateExtraction, AnExtractSaysWhichFieldIsMalformed) {
  using R = ExtractRequest;
  ExpectMalformed<R>(GoodExtract(),
                     {{"client_id", [](R& r) { r.clear_client_id(); }},
                      {"client_id", [](R& r) { r.set_client_id("a b"); }},
                      {"request_id", [](R& r) { r.clear_request_id(); }},
                      {"count", [](R& r) { r.clear_count(); }},
                      {"labels", [](R& r) { (*r.mutable_labels())["k"] = std::string(257, 'v'); }},
                      {"labels", [](R& r) { (*r.mutable_labels())["k"] = "http://u:p@host/"; }},
                      {"schemes[0]", [](R& r) { r.add_schemes(controlplane::v1::PROXY_SCHEME_UNSPECIFIED); }},
                      {"min_remaining", [](R& r) { r.mutable_min_remaining()->set_seconds(-1); }},
                      {"min_remaining", [](R& r) { r.mutable_min_remaining()->set_nanos(1); }},
                      {"hold", [](R& r) { r.mutable_hold(); }},
                      {"hold", [](R& r) { r.mutable_hold()->set_seconds(-1); }},
                      {"routing_id", [](R& r) { r.set_routing_id("a/b"); }}});
}

TEST(ValidateExtraction, WhatIsAllowedIsWell) {
  ExtractRequest request = GoodExtract();
  request.set_count(400);
  request.mutable_hold()->set_seconds(60);
  request.mutable_min_remaining()->set_seconds(0);
  request.add_schemes(controlplane::v1::PROXY_SCHEME_SOCKS5H);
  request.set_routing_id("shop");

  EXPECT_FALSE(Validate(request, Settings()).has_value());
}

TEST(ValidateExtraction, MoreMachinesThanTheStoreMovesAtOnceAreOverTheLimit) {
  ExtractRequest request = GoodExtract();
  request.set_count(401);

  const std::optional<Rejection> rejection = Validate(request, Settings());

  ASSERT_TRUE(rejection.has_value());
  EXPECT_EQ(rejection->reason, RejectReason::kLimitExceeded);
  EXPECT_EQ(rejection->field, "count");
}

TEST(ValidateExtraction, AReleaseSaysWhichFieldIsMalformed) {
  using R = ReleaseRequest;
  ExpectMalformed<R>(GoodRelease(), {{"extraction_id", [](R& r) { r.clear_extraction_id(); }},
                                     {"client_id", [](R& r) { r.clear_client_id(); }},
                                     {"request_id", [](R& r) { r.clear_request_id(); }},
                                     {"proxy_ids[1]", [](R& r) { r.add_proxy_ids("p"), r.add_proxy_ids(""); }},
                                     {"proxy_ids[0]", [](R& r) { r.add_proxy_ids("http://u:p@198.18.0.1:80"); }}});
}

TEST(ValidateExtraction, AReleaseNamesAtMostABatch) {
  ReleaseRequest request = GoodRelease();
  for (int i = 0; i <= 10'000; ++i) request.add_proxy_ids("p" + std::to_string(i));

  EXPECT_EQ(Validate(request, Settings())->reason, RejectReason::kLimitExceeded);
}

TEST(ValidateExtraction, AnAdoptionNeedsAReason) {
  using R = admin::v1::AdoptPoolRequest;
  R good;
  good.set_reason("the backup was put back");
  ExpectMalformed<R>(good, {{"reason", [](R& r) { r.clear_reason(); }}});
}

}  // namespace
}  // namespace holdfast::testing
