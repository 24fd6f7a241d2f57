// OwnershipHistory over real gRPC: periods that are over and those under way, by proxy and by holder.

#include <gtest/gtest.h>

#include "controller/period_rows.h"
#include "controller/proto_time.h"
#include "server/read_history.h"
#include "tests/server/call_detail.h"
#include "tests/server/operator_fixture.h"
#include "tests/server/test_worker.h"

namespace holdfast::server {
namespace {

using audit::v1::OwnershipHistoryRequest;
using audit::v1::OwnershipPeriod;
using std::chrono::minutes;
using std::chrono::seconds;

OwnershipHistoryRequest ByProxy(const std::string& proxy_id) {
  OwnershipHistoryRequest request;
  request.set_proxy_id(proxy_id);
  return request;
}

OwnershipHistoryRequest ByHolder(const std::string& holder_id) {
  OwnershipHistoryRequest request;
  request.set_holder_id(holder_id);
  return request;
}

// proxy-0 was worker-1's until its session expired and the window was over; now it is worker-2's.
class AuditHistory : public ::testing::Test {
 protected:
  AuditHistory() {
    daemon_.daemon().Import(1);
    {
      const auto watch = first_.Activate();
      first_.ReadAndAcknowledge(*watch);
    }
    daemon_.Advance(minutes(2));
    watch_ = second_.Activate();
    second_.ReadAndAcknowledge(*watch_);
  }

  OperatorDaemon daemon_;
  TestWorker first_{daemon_.daemon(), "worker-1"};
  TestWorker second_{daemon_.daemon(), "worker-2"};
  std::unique_ptr<TestWatch> watch_;
};

TEST_F(AuditHistory, AProxysPeriodsComeInOrderTheLastOneOpen) {
  const auto periods = daemon_.History(ByProxy("proxy-0"));

  ASSERT_EQ(periods.size(), 2u);
  EXPECT_EQ(periods[0].holder_id(), "worker-1");
  EXPECT_EQ(periods[0].holder_kind(), audit::v1::HOLDER_KIND_WORKER);
  EXPECT_EQ(periods[0].session_id(), first_.session().session_id());
  EXPECT_EQ(periods[0].ownership_epoch(), first_.session().ownership_epoch());
  EXPECT_EQ(periods[0].end_reason(), audit::v1::END_REASON_LAPSED);
  EXPECT_GE(*ReadTime(periods[0].ended_at()), *ReadTime(periods[0].owned_until()));
  EXPECT_GT(periods[0].ended_sequence(), periods[0].granted_sequence());
  EXPECT_EQ(periods[1].holder_id(), "worker-2");
  EXPECT_GE(*ReadTime(periods[1].granted_at()), *ReadTime(periods[0].ended_at()));
  EXPECT_FALSE(periods[1].has_ended_at());
  EXPECT_GT(*ReadTime(periods[1].owned_until()), daemon_.daemon().loop().Now());
}

TEST_F(AuditHistory, AHolderSeesItsOwnAndBothFiltersNarrowToOne) {
  OwnershipHistoryRequest both = ByProxy("proxy-0");
  both.set_holder_id("worker-2");

  const auto of_first = daemon_.History(ByHolder("worker-1"));
  const auto of_both = daemon_.History(both);

  ASSERT_EQ(of_first.size(), 1u);
  EXPECT_EQ(of_first[0].proxy_id(), "proxy-0");
  EXPECT_TRUE(of_first[0].has_ended_at());
  ASSERT_EQ(of_both.size(), 1u);
  EXPECT_EQ(of_both[0].holder_id(), "worker-2");
  EXPECT_TRUE(daemon_.History(ByHolder("nobody")).empty());
  EXPECT_TRUE(daemon_.History(ByProxy("proxy-")).empty());  // no prefix of an id stands for it
}

TEST_F(AuditHistory, ASpanIsHalfOpen) {
  const auto periods = daemon_.History(ByProxy("proxy-0"));
  ASSERT_EQ(periods.size(), 2u);
  OwnershipHistoryRequest from_end = ByProxy("proxy-0"), to_grant = ByProxy("proxy-0"), over_end = ByProxy("proxy-0");
  *from_end.mutable_from() = periods[0].ended_at();
  *to_grant.mutable_to() = periods[1].granted_at();
  PutTime(*ReadTime(periods[0].ended_at()) - Duration(1), over_end.mutable_from());

  EXPECT_EQ(daemon_.History(from_end).size(), 1u);
  EXPECT_EQ(daemon_.History(to_grant).size(), 1u);
  EXPECT_EQ(daemon_.History(over_end).size(), 2u);
}

TEST_F(AuditHistory, AProxyThatWasRemovedWhileHeldKeepsItsOpenPeriodUntilItIsOver) {
  log::v1::Input removal;
  removal.mutable_remove_proxies()->add_proxy_ids("proxy-0");
  daemon_.daemon().Decide(removal);

  const auto held = daemon_.History(ByProxy("proxy-0"));
  watch_.reset();
  daemon_.Advance(minutes(2));
  const auto over = daemon_.History(ByProxy("proxy-0"));

  ASSERT_EQ(held.size(), 2u);
  EXPECT_EQ(held[1].revoke_reason(), audit::v1::REVOKE_REASON_REMOVAL);
  EXPECT_TRUE(held[1].has_revoked_at());
  EXPECT_FALSE(held[1].has_ended_at());
  ASSERT_EQ(over.size(), 2u);
  EXPECT_TRUE(over[1].has_ended_at());
}

TEST_F(AuditHistory, WithoutProxyAndHolderOrWithASpanThatEndsBeforeItBeginsItIsMalformed) {
  OwnershipHistoryRequest backwards = ByProxy("proxy-0");
  backwards.mutable_from()->set_seconds(10);
  backwards.mutable_to()->set_seconds(10);

  for (const auto& [request, field] : {std::pair(OwnershipHistoryRequest(), "proxy_id"), std::pair(backwards, "to")}) {
    grpc::ClientContext context;
    const auto all = ReadAll(*daemon_.audit().OwnershipHistory(&context, request));
    EXPECT_EQ(all.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(DetailOf(all.status)->detail.field(), field);
  }
}

holdfast::OwnershipPeriod Period(std::uint64_t sequence, const std::string& proxy_id, bool ended) {
  holdfast::OwnershipPeriod period;
  period.proxy_id = proxy_id;
  period.address = proxy_id + ":1";
  period.worker_id = "worker-1";
  period.granted_at = LogTimeFromMicros(static_cast<std::int64_t>(sequence) * 1'000'000);
  period.granted_sequence = Sequence(sequence);
  if (ended) period.ended_at = period.granted_at + seconds(1);
  return period;
}

// A log that has nothing but rows.
class RowsOnly final : public EventLog {
 public:
  void Put(const holdfast::OwnershipPeriod& period) {
    std::vector<SideRow> rows;
    AppendPeriodRows(period, rows);
    for (const SideRow& row : rows) rows_[row.key] = row.value;
  }
  absl::Status Append(const AppendRequest&) override { return absl::UnimplementedError(""); }
  Sequence Tip() const override { return Sequence(); }
  absl::StatusOr<std::unique_ptr<BlockReader>> NewReader(Sequence) const override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<std::vector<SideRow>> OwnershipPeriods(std::string_view prefix, std::string_view after,
                                                        std::size_t limit) const override {
    std::vector<SideRow> found;
    for (const auto& [key, value] : rows_) {
      if (key.starts_with(prefix) && key > after && found.size() < limit) found.push_back({key, value});
    }
    return found;
  }
  std::uint64_t SizeBytes() const override { return 0; }

 private:
  std::map<std::string, std::string> rows_;
};

// A worker and a client of one id: two sets of rows, one order.
TEST(HistoryMerge, AWorkerAndAClientOfOneIdAreShownInOneOrder) {
  RowsOnly log;
  std::vector<holdfast::OwnershipPeriod> open;
  for (std::uint64_t sequence = 1; sequence <= 1'000; ++sequence) {
    holdfast::OwnershipPeriod period = Period(sequence, "p" + std::to_string(sequence), sequence < 990);
    if (sequence % 7 < 3) std::swap(period.worker_id, period.client_id);
    period.ended_at == LogTime() ? open.push_back(period) : log.Put(period);
  }
  const HistoryQuery query{"", "worker-1", {}, {}};
  HistoryMerge merge(query, open);
  std::vector<std::uint64_t> sequences;

  while (!merge.done()) {
    audit::v1::OwnershipHistoryResponse slice;
    ASSERT_TRUE(merge.Step(log, &slice).ok());
    for (const auto& period : slice.periods()) {
      sequences.push_back(period.granted_sequence());
      const bool of_client = period.granted_sequence() % 7 < 3;
      EXPECT_EQ(period.holder_kind(), of_client ? audit::v1::HOLDER_KIND_CLIENT : audit::v1::HOLDER_KIND_WORKER);
    }
  }

  ASSERT_EQ(sequences.size(), 1'000u);
  EXPECT_TRUE(std::is_sorted(sequences.begin(), sequences.end()));
}

TEST(HistoryMerge, ThousandsOfPeriodsComeInBoundedSlicesInOrderEachOnce) {
  RowsOnly log;
  std::vector<holdfast::OwnershipPeriod> open;
  for (std::uint64_t sequence = 1; sequence <= 2'000; ++sequence) {
    const bool ended = sequence % 3 != 0;
    if (ended) log.Put(Period(sequence, "p" + std::to_string(sequence), true));
    if (!ended || sequence % 10 == 0) open.push_back(Period(sequence, "p" + std::to_string(sequence), false));
  }
  const HistoryQuery query{"", "worker-1", {}, {}};
  HistoryMerge merge(query, open);
  std::vector<std::uint64_t> sequences;

  while (!merge.done()) {
    audit::v1::OwnershipHistoryResponse slice;
    ASSERT_TRUE(merge.Step(log, &slice).ok());
    EXPECT_LE(slice.periods_size(), HistoryMerge::kPeriodsPerStep + 260);
    for (const auto& period : slice.periods()) {
      sequences.push_back(period.granted_sequence());
      EXPECT_EQ(period.has_ended_at(), period.granted_sequence() % 3 != 0);  // in both: as ended
    }
  }

  ASSERT_EQ(sequences.size(), 2'000u);
  EXPECT_TRUE(std::is_sorted(sequences.begin(), sequences.end()));
}

}  // namespace
}  // namespace holdfast::server
