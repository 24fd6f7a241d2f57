// Every reason has the code of the contract's table, whether or not this version gives it.

#include "server/rejection_status.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/server/call_detail.h"

namespace holdfast::server {
namespace {

using namespace controlplane::v1;
using grpc::StatusCode;

const std::map<int, StatusCode>& Table() {
  static const std::map<int, StatusCode> table = {
      {REJECT_REASON_MALFORMED, StatusCode::INVALID_ARGUMENT},
      {REJECT_REASON_PROTOCOL_VERSION, StatusCode::FAILED_PRECONDITION},
      {REJECT_REASON_FAILED_CONDITION, StatusCode::FAILED_PRECONDITION},
      {REJECT_REASON_IDENTITY_MISMATCH, StatusCode::PERMISSION_DENIED},
      {REJECT_REASON_SESSION_UNKNOWN, StatusCode::FAILED_PRECONDITION},
      {REJECT_REASON_SESSION_SUPERSEDED, StatusCode::FAILED_PRECONDITION},
      {REJECT_REASON_SESSION_EXPIRED, StatusCode::FAILED_PRECONDITION},
      {REJECT_REASON_SESSION_CLOSED, StatusCode::FAILED_PRECONDITION},
      {REJECT_REASON_EPOCH_STALE, StatusCode::FAILED_PRECONDITION},
      {REJECT_REASON_EPOCH_AHEAD, StatusCode::FAILED_PRECONDITION},
      {REJECT_REASON_REFERENCE_NOT_ISSUED, StatusCode::FAILED_PRECONDITION},
      {REJECT_REASON_REFERENCE_SUPERSEDED, StatusCode::FAILED_PRECONDITION},
      {REJECT_REASON_CHECKSUM_MISMATCH, StatusCode::FAILED_PRECONDITION},
      {REJECT_REASON_SNAPSHOT_EXPIRED, StatusCode::FAILED_PRECONDITION},
      {REJECT_REASON_RUNTIME_FENCED, StatusCode::FAILED_PRECONDITION},
      {REJECT_REASON_VERSION_NOT_ACKNOWLEDGED, StatusCode::FAILED_PRECONDITION},
      {REJECT_REASON_SEQUENCE_REGRESSED, StatusCode::ALREADY_EXISTS},
      {REJECT_REASON_SEQUENCE_CONFLICT, StatusCode::ALREADY_EXISTS},
      {REJECT_REASON_REQUEST_CONFLICT, StatusCode::ALREADY_EXISTS},
      {REJECT_REASON_LIMIT_EXCEEDED, StatusCode::RESOURCE_EXHAUSTED},
      {REJECT_REASON_OVERLOADED, StatusCode::RESOURCE_EXHAUSTED},
      {REJECT_REASON_NOT_ENOUGH_PROXIES, StatusCode::RESOURCE_EXHAUSTED},
      {REJECT_REASON_POOL_UNAVAILABLE, StatusCode::UNAVAILABLE},
      {REJECT_REASON_NOT_READY, StatusCode::UNAVAILABLE},
      {REJECT_REASON_NOT_LEADER, StatusCode::UNAVAILABLE},
      {REJECT_REASON_SHUTTING_DOWN, StatusCode::UNAVAILABLE},
      {REJECT_REASON_DRAINING, StatusCode::UNAVAILABLE},
      {REJECT_REASON_NOT_FOUND, StatusCode::NOT_FOUND},
      {REJECT_REASON_TASK_UNKNOWN, StatusCode::NOT_FOUND},
      {REJECT_REASON_NO_LONGER_KEPT, StatusCode::OUT_OF_RANGE},
      {REJECT_REASON_STREAM_REPLACED, StatusCode::ABORTED},
      {REJECT_REASON_SLOW_READER, StatusCode::ABORTED},
      {REJECT_REASON_ACK_TIMEOUT, StatusCode::DEADLINE_EXCEEDED},
  };
  return table;
}

TEST(RejectionStatus, EveryReasonHasTheCodeOfTheContract) {
  const google::protobuf::EnumDescriptor* reasons = RejectReason_descriptor();

  for (int i = 0; i < reasons->value_count(); ++i) {
    const int number = reasons->value(i)->number();
    if (number == REJECT_REASON_UNSPECIFIED) continue;
    ASSERT_TRUE(Table().contains(number)) << reasons->value(i)->name();
    EXPECT_EQ(StatusCodeOf(static_cast<holdfast::RejectReason>(number)), Table().at(number))
        << reasons->value(i)->name();
  }
}

TEST(RejectionStatus, AllOfARejectionArrives) {
  Rejection rejection;
  rejection.reason = holdfast::RejectReason::kOverloaded;
  rejection.message = "too much";
  rejection.field = "a.b[3]";
  rejection.metadata = {{"min", "1"}, {"max", "2"}};
  rejection.retry_after = std::chrono::milliseconds(1500);

  const auto detail = DetailOf(StatusOf(rejection));

  ASSERT_TRUE(detail);
  EXPECT_EQ(detail->code, 8);
  EXPECT_EQ(detail->message, "too much");
  EXPECT_EQ(detail->detail.message(), "too much");
  EXPECT_EQ(detail->detail.field(), "a.b[3]");
  EXPECT_EQ(detail->detail.metadata().at("min"), "1");
  EXPECT_EQ(detail->detail.metadata().at("max"), "2");
  EXPECT_EQ(detail->detail.retry_after().seconds(), 1);
  EXPECT_EQ(detail->detail.retry_after().nanos(), 500'000'000);
}

TEST(RejectionStatus, ALongMessageIsCutWhereACharacterBegins) {
  Rejection rejection;
  rejection.reason = holdfast::RejectReason::kMalformed;
  for (int i = 0; i < 1'000; ++i) rejection.message += "é";

  const grpc::Status status = StatusOf(rejection);

  EXPECT_EQ(status.error_message().size(), 1'024u);
  rejection.message = "x" + rejection.message;
  EXPECT_EQ(StatusOf(rejection).error_message().size(), 1'023u);
}

}  // namespace
}  // namespace holdfast::server
