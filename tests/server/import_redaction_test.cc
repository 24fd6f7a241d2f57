// No password reaches the log, an answer, or a line of text, by whatever field it comes.

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include "controller/import_item.h"
#include "server/import_call_redaction.h"
#include "tests/server/operator_fixture.h"

namespace holdfast::server {
namespace {

using admin::v1::ImportProxiesRequest;
using admin::v1::RemoveProxiesRequest;
using admin::v1::RemoveProxiesResponse;

constexpr char kSecret[] = "hunter2secret";
constexpr LogTime kNow = LogTimeFromMicros(1'900'000'000'000'000);

// Each carries the secret in another field, or in another way.
std::vector<admin::v1::ProxySpec> Leaks() {
  const std::string secret = kSecret;
  std::vector<admin::v1::ProxySpec> leaks(13, MadeProxy(1));
  leaks[0].mutable_endpoint()->set_host("alice:" + secret + "@198.18.0.9");
  leaks[1].mutable_endpoint()->set_host("198.18.0.9:8080:alice:" + secret);
  leaks[2].mutable_endpoint()->set_host(secret + ".198.18.0.9");
  leaks[3].mutable_endpoint()->set_host("fe80::1%" + secret);
  leaks[4].mutable_endpoint()->set_host("-" + secret + "-");
  leaks[5].set_secret_ref("alice:" + secret);
  leaks[6].set_proxy_id("http://alice:" + secret + "@198.18.0.9:8080");
  leaks[7].set_proxy_id("http://ref@http://alice:" + secret + "@h");
  leaks[7].set_secret_ref("ref");
  (*leaks[8].mutable_labels())["panel"] = "see https://alice:" + secret + "@shop.example";
  (*leaks[9].mutable_labels())["https://alice:" + secret + "@shop.example"] = "x";
  leaks[10].set_zone("http://alice:" + secret + "@z");
  leaks[11].set_source("http://alice:" + secret + "@s");
  leaks[12].mutable_endpoint()->set_host("a b " + secret);
  return leaks;
}

TEST(ImportRedaction, WhatIsTakenOutIsRefusedForTheSameReasonAsBefore) {
  for (const admin::v1::ProxySpec& leak : Leaks()) {
    ImportProxiesRequest request;
    *request.add_proxies() = leak;

    RedactSecrets(Settings(), &request);

    const ImportItem before = ReadImportItem(leak, Settings(), kNow);
    const ImportItem after = ReadImportItem(request.proxies(0), Settings(), kNow);
    EXPECT_EQ(request.SerializeAsString().find(kSecret), std::string::npos) << leak.ShortDebugString();
    ASSERT_TRUE(before.rejection || leak.endpoint().host().find(".198.18.0.9") != std::string::npos)
        << leak.ShortDebugString();
    ASSERT_TRUE(after.rejection) << leak.ShortDebugString();
    EXPECT_EQ(after.rejection->reason, before.rejection->reason);
    EXPECT_EQ(after.rejection->detail, before.rejection->detail);
  }
}

TEST(ImportRedaction, WhatIsFineIsLeftAsItIs) {
  ImportProxiesRequest request;
  for (const char* host : {"198.18.0.1", "2001:DB8::1", "Proxy.Example.NET.", "10.0.0.1"}) {
    admin::v1::ProxySpec* spec = request.add_proxies();
    *spec = MadeProxy(1);
    spec->mutable_endpoint()->set_host(host);
    spec->set_secret_ref("shop-7");
    spec->set_proxy_id("http://shop-7@198.18.0.1:8080");
    (*spec->mutable_labels())["url"] = "http://shop.example/a?b";
  }
  const std::string before = request.SerializeAsString();

  RedactSecrets(Settings(), &request);

  EXPECT_EQ(request.SerializeAsString(), before);
}

TEST(ImportRedaction, NoSecretOfAnImportStandsInAnswersListsLinesOrTheLog) {
  OperatorDaemon daemon;
  ImportProxiesRequest batch;
  for (const admin::v1::ProxySpec& leak : Leaks()) *batch.add_proxies() = leak;

  const auto imported = daemon.Import({batch});
  grpc::ClientContext context;
  RemoveProxiesRequest removal;
  removal.add_proxy_ids(absl::StrCat("http://alice:", kSecret, "@198.18.0.9:8080"));
  RemoveProxiesResponse removed;
  const grpc::Status refused = daemon.pool().RemoveProxies(&context, removal, &removed);

  ASSERT_TRUE(imported.status.ok());
  EXPECT_EQ(imported.messages[0].rejected(), Leaks().size());
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  std::string all = imported.messages[0].DebugString() + refused.error_message() + refused.error_details();
  for (const auto& proxy : daemon.List()) all += proxy.DebugString();
  for (const auto& line : daemon.ReadLog()) all += line.DebugString() + line.json();
  for (const auto& entry : daemon.daemon().Entries()) all += entry.input_bytes;
  all += daemon.Status().DebugString();
  EXPECT_EQ(all.find(kSecret), std::string::npos);
  EXPECT_GT(daemon.ReadLog().size(), 1u);
}

}  // namespace
}  // namespace holdfast::server
