// ListChecks over real gRPC: which proxies and which of their keys a request asks for.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/proto_time.h"
#include "tests/server/call_detail.h"
#include "tests/server/operator_fixture.h"
#include "tests/server/test_checker.h"

namespace holdfast::server {
namespace {

using admin::v1::HEALTH_STATE_AVAILABLE;
using admin::v1::HEALTH_STATE_SUSPECT;
using admin::v1::HEALTH_STATE_UNHEALTHY;
using admin::v1::HEALTH_STATE_UNKNOWN;
using admin::v1::HealthStatus;
using admin::v1::ImportProxiesRequest;
using admin::v1::ListChecksRequest;
using controlplane::v1::CheckTask;
using controlplane::v1::HealthObservation;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ListChecks : public ::testing::Test {
 protected:
  ListChecks() : daemon_(Options()), checker_(daemon_.daemon(), "checker-1") {}
  static TestDaemon::Options Options() {
    TestDaemon::Options options;
    options.config = TestDaemon::Checked();
    return options;
  }

  // proxy-0 passes, proxy-1 fails, proxy-2 nobody has looked at yet: its task is under way.
  void CheckTwoOfThree() {
    daemon_.daemon().Import(3);
    auto registration = checker_.RegisterRequest();
    registration.clear_levels();
    registration.add_levels(controlplane::v1::CHECK_LEVEL_BASIC);
    ASSERT_TRUE(checker_.Call(registration).ok());
    tasks_ = checker_.Watch();
    for (int i = 0; i < 3; ++i) {
      const CheckTask task = checker_.ReadTask(*tasks_);
      if (task.proxy_id() == "proxy-0") checker_.Answer(task, controlplane::v1::VERDICT_PASS);
      if (task.proxy_id() == "proxy-1") checker_.Answer(task, controlplane::v1::VERDICT_FAIL);
    }
  }
  std::vector<admin::v1::ProxyHealth> List(const ListChecksRequest& request = {}) {
    grpc::ClientContext context;
    const auto all = ReadAll(*daemon_.pool().ListChecks(&context, request));
    EXPECT_TRUE(all.status.ok()) << all.status.error_message();
    std::vector<admin::v1::ProxyHealth> proxies;
    for (const auto& message : all.messages) {
      EXPECT_GT(message.as_of_sequence(), 0u);
      proxies.insert(proxies.end(), message.proxies().begin(), message.proxies().end());
    }
    return proxies;
  }
  std::vector<std::string> Ids(const ListChecksRequest& request) {
    std::vector<std::string> ids;
    for (const admin::v1::ProxyHealth& proxy : List(request)) ids.push_back(proxy.proxy_id());
    return ids;
  }

  OperatorDaemon daemon_;
  TestChecker checker_;
  std::unique_ptr<TestTasks> tasks_;
};

TEST_F(ListChecks, ShowsEachKeyOfEachProxyWithAllThatIsKnownOfIt) {
  CheckTwoOfThree();

  const auto proxies = List();

  ASSERT_EQ(proxies.size(), 3u);
  ASSERT_EQ(proxies[0].health_size(), 2);
  const HealthStatus& passed = proxies[0].health(0);
  EXPECT_EQ(passed.level(), controlplane::v1::CHECK_LEVEL_BASIC);
  EXPECT_EQ(passed.state(), HEALTH_STATE_AVAILABLE);
  EXPECT_EQ(passed.consecutive_passes(), 1u);
  EXPECT_EQ(*ReadTime(passed.last_observed_at()), daemon_.daemon().loop().Now());
  EXPECT_EQ(passed.last_latency().nanos(), 25'000'000);
  EXPECT_EQ(passed.last_error(), controlplane::v1::OUTCOME_ERROR_NONE);
  EXPECT_GT(*ReadTime(passed.next_due_at()), daemon_.daemon().loop().Now());
  EXPECT_TRUE(passed.checker_id().empty());
  const HealthStatus& waiting = proxies[0].health(1);
  EXPECT_EQ(waiting.level(), controlplane::v1::CHECK_LEVEL_EGRESS);
  EXPECT_EQ(waiting.state(), HEALTH_STATE_UNKNOWN);
  EXPECT_EQ(*ReadTime(waiting.next_due_at()), daemon_.daemon().loop().Now());
  ASSERT_EQ(proxies[1].health_size(), 1);
  EXPECT_EQ(proxies[1].health(0).state(), HEALTH_STATE_SUSPECT);
  EXPECT_EQ(proxies[1].health(0).last_phase(), controlplane::v1::OUTCOME_PHASE_DIAL);
  EXPECT_EQ(proxies[1].health(0).last_error(), controlplane::v1::OUTCOME_ERROR_REFUSED);
  ASSERT_EQ(proxies[2].health_size(), 1);
  EXPECT_EQ(proxies[2].health(0).state(), HEALTH_STATE_UNKNOWN);
  EXPECT_EQ(proxies[2].health(0).checker_id(), "checker-1");
  EXPECT_FALSE(proxies[2].health(0).has_next_due_at());
  EXPECT_FALSE(proxies[2].health(0).has_last_observed_at());
}

TEST_F(ListChecks, AnEgressKeyShowsWhichAddressCameOutAndWhatItGaveAway) {
  daemon_.daemon().Import(1);
  tasks_ = checker_.Activate();
  checker_.Answer(checker_.ReadTask(*tasks_), controlplane::v1::VERDICT_PASS);
  HealthObservation seen = Observe(checker_.ReadTask(*tasks_), controlplane::v1::VERDICT_PASS);
  seen.set_egress_ip("198.18.7.7");
  seen.set_anonymity(controlplane::v1::ANONYMITY_ELITE);
  checker_.Report(seen);

  const auto proxies = List();

  ASSERT_EQ(proxies.size(), 1u);
  ASSERT_EQ(proxies[0].health_size(), 2);
  EXPECT_EQ(proxies[0].health(1).egress_ip(), "198.18.7.7");
  EXPECT_EQ(proxies[0].health(1).anonymity(), controlplane::v1::ANONYMITY_ELITE);
  EXPECT_TRUE(proxies[0].health(0).egress_ip().empty());
}

TEST_F(ListChecks, FiltersByLevelAndStateLeaveOutKeysAndProxiesWithoutAny) {
  CheckTwoOfThree();
  ListChecksRequest egress, suspect, both;
  egress.set_level(controlplane::v1::CHECK_LEVEL_EGRESS);
  suspect.set_state(HEALTH_STATE_SUSPECT);
  both.set_level(controlplane::v1::CHECK_LEVEL_EGRESS);
  both.set_state(HEALTH_STATE_SUSPECT);

  const auto of_egress = List(egress);

  ASSERT_EQ(of_egress.size(), 1u);
  EXPECT_EQ(of_egress[0].proxy_id(), "proxy-0");
  ASSERT_EQ(of_egress[0].health_size(), 1);
  EXPECT_EQ(of_egress[0].health(0).level(), controlplane::v1::CHECK_LEVEL_EGRESS);
  EXPECT_THAT(Ids(suspect), ElementsAre("proxy-1"));
  EXPECT_THAT(Ids(both), IsEmpty());
}

TEST_F(ListChecks, UncheckedForFindsWhatNobodyHasConcludedAnythingAboutForSoLong) {
  CheckTwoOfThree();
  ListChecksRequest request;
  request.set_level(controlplane::v1::CHECK_LEVEL_BASIC);
  request.mutable_unchecked_for()->set_seconds(5);

  const auto at_once = Ids(request);
  daemon_.Advance(seconds(3));
  daemon_.daemon().Import(1, "young-");
  daemon_.Advance(seconds(2));
  const auto later = Ids(request);
  request.mutable_unchecked_for()->set_seconds(2);
  const auto of_two_seconds = Ids(request);

  EXPECT_THAT(at_once, IsEmpty());
  EXPECT_THAT(later, ElementsAre("proxy-0", "proxy-1", "proxy-2"));
  EXPECT_THAT(of_two_seconds, ElementsAre("proxy-0", "proxy-1", "proxy-2", "young-0"));
}

TEST_F(ListChecks, WhatIsNotCheckedAnyMoreIsNothingThatNobodyHasChecked) {
  ImportProxiesRequest batch;
  *batch.add_proxies() = MadeProxy(0);
  const LogTime ends = daemon_.daemon().loop().Now() + seconds(70);  // given and checked until a minute before
  PutTime(ends, batch.mutable_proxies(0)->mutable_expires_at());
  ASSERT_TRUE(daemon_.Import({batch}).status.ok());
  ListChecksRequest request;
  request.mutable_unchecked_for()->set_seconds(5);

  daemon_.Advance(seconds(6));
  const auto checked = Ids(request);
  daemon_.Advance(seconds(6));
  const auto no_more = Ids(request);

  EXPECT_THAT(checked, ElementsAre("http://198.18.0.1:8080"));
  EXPECT_THAT(no_more, IsEmpty());
  EXPECT_EQ(List().size(), 1u);
}

TEST_F(ListChecks, NamesAndALimitBoundItAndAnEmptyListStillSaysAsOfWhen) {
  daemon_.ImportMade(0, 1'200);
  ListChecksRequest named, limited, nothing;
  for (const char* id : {"http://198.18.0.3:8080", "nobody", "http://198.18.0.1:8080"}) named.add_proxy_ids(id);
  limited.set_limit(700);
  nothing.set_state(HEALTH_STATE_UNHEALTHY);

  grpc::ClientContext context;
  const auto none = ReadAll(*daemon_.pool().ListChecks(&context, nothing));

  EXPECT_THAT(Ids(named), ElementsAre("http://198.18.0.3:8080", "http://198.18.0.1:8080"));
  EXPECT_EQ(List(limited).size(), 700u);
  EXPECT_EQ(List().size(), 1'200u);
  ASSERT_EQ(none.messages.size(), 1u);
  EXPECT_TRUE(none.messages[0].proxies().empty());
  EXPECT_EQ(none.messages[0].as_of_sequence(), daemon_.daemon().log().Tip().value());
}

TEST_F(ListChecks, WhatIsMalformedNamesItsField) {
  ListChecksRequest state, age;
  state.set_state(static_cast<admin::v1::HealthState>(77));
  age.mutable_unchecked_for()->set_seconds(-1);

  for (const auto& [request, field] : {std::pair(state, "state"), std::pair(age, "unchecked_for")}) {
    grpc::ClientContext context;
    const auto listed = ReadAll(*daemon_.pool().ListChecks(&context, request));
    EXPECT_EQ(listed.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(DetailOf(listed.status)->detail.field(), field);
  }
}

}  // namespace
}  // namespace holdfast::server
