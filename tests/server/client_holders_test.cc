// Clients as holders: what operators are shown of what they have, and had.

#include <gtest/gtest.h>

#include "controller/proto_time.h"
#include "tests/server/operator_fixture.h"
#include "tests/server/test_client.h"
#include "tests/server/test_worker.h"

namespace holdfast::server {
namespace {

using audit::v1::OwnershipHistoryRequest;
using distribution::v1::ExtractResponse;
using std::chrono::seconds;

// client-1 has two of three machines.
class ClientHolders : public ::testing::Test {
 protected:
  ClientHolders() {
    daemon_.daemon().Import(3);
    store_.Meet();
    auto request = client_.Request("r1", 2);
    request.mutable_hold()->set_seconds(60);
    extracted_ = store_.Extract(client_, request);
  }

  OwnershipHistoryRequest ByHolder(const std::string& holder_id) {
    OwnershipHistoryRequest request;
    request.set_holder_id(holder_id);
    return request;
  }
  OwnershipHistoryRequest ByProxy(const std::string& proxy_id) {
    OwnershipHistoryRequest request;
    request.set_proxy_id(proxy_id);
    return request;
  }
  void Release(const std::vector<std::string>& proxy_ids) {
    auto request = client_.ReleaseRequest("g" + std::to_string(++releases_), extracted_.extraction_id());
    for (const std::string& id : proxy_ids) request.add_proxy_ids(id);
    EXPECT_TRUE(client_.Call(request).ok());
  }

  OperatorDaemon daemon_;
  PlayedStore store_{daemon_.daemon()};
  TestClient client_{daemon_.daemon(), "client-1"};
  ExtractResponse extracted_;
  int releases_ = 0;
};

TEST_F(ClientHolders, AListSaysWhoHasItByWhichExtractionAndUntilWhen) {
  int held = 0;
  for (const auto& proxy : daemon_.List()) {
    const bool extracted = proxy.ownership_state() == admin::v1::OWNERSHIP_STATE_EXTRACTED;
    held += extracted;
    EXPECT_EQ(proxy.extraction_id(), extracted ? extracted_.extraction_id() : "");
    EXPECT_EQ(proxy.extracted_by(), extracted ? "client-1" : "");
    EXPECT_EQ(proxy.owner_worker_id(), "");
    ASSERT_EQ(proxy.has_owned_until(), extracted);
    if (!extracted) continue;
    EXPECT_GE(*ReadTime(proxy.owned_until()), *ReadTime(extracted_.extracted_until()));
  }
  EXPECT_EQ(held, 2);
}

TEST_F(ClientHolders, AnIntentHasNoClientYet) {
  const auto call = client_.Begin(client_.Request("r2", 1));
  const ExtractionRow intent = store_.NextIntent();

  admin::v1::ListProxiesRequest request;
  request.add_ownership_states(admin::v1::OWNERSHIP_STATE_EXTRACTING);
  const auto asked = daemon_.List(request);
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].extracted_by(), "");
  store_.MoveAll(intent);
  EXPECT_TRUE(call->End().ok());
}

TEST_F(ClientHolders, AClientsPeriodsAreShownWhileTheyRunAndWhenTheyAreOver) {
  const std::string first = extracted_.proxies(0).proxy_id();
  Release({first});

  const auto periods = daemon_.History(ByHolder("client-1"));

  ASSERT_EQ(periods.size(), 2u);
  for (const auto& period : periods) {
    EXPECT_EQ(period.holder_kind(), audit::v1::HOLDER_KIND_CLIENT);
    EXPECT_EQ(period.holder_id(), "client-1");
    EXPECT_EQ(period.extraction_id(), extracted_.extraction_id());
    EXPECT_EQ(period.session_id(), "");
    EXPECT_EQ(period.granted_sequence(), extracted_.log_sequence());
    EXPECT_TRUE(period.has_owned_until());
    EXPECT_EQ(period.has_ended_at(), period.proxy_id() == first);
    const auto reason = period.proxy_id() == first ? audit::v1::END_REASON_RELEASED : audit::v1::END_REASON_UNSPECIFIED;
    EXPECT_EQ(period.end_reason(), reason);
  }
}

TEST_F(ClientHolders, AProxysHistoryShowsClientsBesideWorkers) {
  const std::string id = extracted_.proxies(0).proxy_id();
  EXPECT_EQ(daemon_.History(ByProxy(id)).size(), 1u);

  daemon_.Advance(seconds(75));  // the hold is over
  TestWorker worker(daemon_.daemon(), "worker-1");
  const auto watch = worker.Activate();
  worker.ReadAndAcknowledge(*watch);

  const auto periods = daemon_.History(ByProxy(id));
  ASSERT_EQ(periods.size(), 2u);
  EXPECT_EQ(periods[0].holder_kind(), audit::v1::HOLDER_KIND_CLIENT);
  EXPECT_EQ(periods[0].end_reason(), audit::v1::END_REASON_HOLD_OVER);
  EXPECT_EQ(periods[1].holder_kind(), audit::v1::HOLDER_KIND_WORKER);
  EXPECT_GE(*ReadTime(periods[1].granted_at()), *ReadTime(periods[0].ended_at()));
  EXPECT_TRUE(daemon_.History(ByHolder("client-2")).empty());
}

// More than one step's worth of extractions is walked.
TEST_F(ClientHolders, ManyExtractionsAreWalkedInSlices) {
  daemon_.daemon().Import(1'200, "more-");
  for (int i = 0; i < 4; ++i) store_.Extract(client_, client_.Request("many-" + std::to_string(i), 300));

  EXPECT_EQ(daemon_.History(ByHolder("client-1")).size(), 1'202u);
}

}  // namespace
}  // namespace holdfast::server
