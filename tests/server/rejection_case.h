// A call that is refused for one reason, and what every refusal must look like over the wire: its code,
// google.rpc.Status, ErrorDetail, metadata. For the tables of rejections_wire_test.cc, checker_rejections_test.cc and
// distribution_rejections_test.cc.
//
// Thread: the test's.

#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "tests/server/call_detail.h"
#include "tests/server/daemon_fixture.h"

namespace holdfast::server {

struct RejectionCase {
  controlplane::v1::RejectReason reason;
  std::string name;  // of the test
  grpc::StatusCode code;
  std::function<grpc::Status(TestDaemon&)> provoke;
  std::string field = {};
  std::vector<std::string> metadata_keys = {};
  TestDaemon::Options daemon = {};
};

inline std::ostream& operator<<(std::ostream& out, const RejectionCase& one) { return out << one.name; }

// Whether waiting helps: then the caller hears for how long.
inline bool PassesWithTime(controlplane::v1::RejectReason reason) {
  return reason == controlplane::v1::REJECT_REASON_OVERLOADED ||
         reason == controlplane::v1::REJECT_REASON_NOT_ENOUGH_PROXIES ||
         reason == controlplane::v1::REJECT_REASON_POOL_UNAVAILABLE ||
         reason == controlplane::v1::REJECT_REASON_NOT_READY;
}

// Has the call refused, and fails the test where the refusal is not what it should be.
inline void ExpectRejection(const RejectionCase& one) {
  TestDaemon daemon(one.daemon);

  const grpc::Status status = one.provoke(daemon);

  const auto detail = DetailOf(status);
  ASSERT_TRUE(detail.has_value()) << status.error_code() << ": " << status.error_message();
  EXPECT_EQ(detail->detail.reason(), one.reason) << RejectReason_Name(detail->detail.reason());
  EXPECT_EQ(status.error_code(), one.code);
  EXPECT_EQ(detail->code, static_cast<int>(one.code));
  EXPECT_EQ(detail->message, status.error_message());
  EXPECT_EQ(detail->detail.message(), status.error_message());
  EXPECT_FALSE(status.error_message().empty());
  EXPECT_EQ(detail->detail.field(), one.field);
  std::vector<std::string> keys;
  for (const auto& [key, value] :
       std::map<std::string, std::string>(detail->detail.metadata().begin(), detail->detail.metadata().end())) {
    keys.push_back(key);
    EXPECT_FALSE(value.empty());
  }
  EXPECT_EQ(keys, one.metadata_keys);
  EXPECT_EQ(detail->detail.has_retry_after(), PassesWithTime(one.reason));
}

// Fails the test for a reason of the contract that is neither tested nor listed as one that these calls never give.
inline void ExpectEveryReason(const std::vector<RejectionCase>& cases,
                              const std::map<controlplane::v1::RejectReason, std::string>& of_others) {
  std::map<controlplane::v1::RejectReason, int> tested;
  for (const RejectionCase& one : cases) ++tested[one.reason];
  const google::protobuf::EnumDescriptor* reasons = controlplane::v1::RejectReason_descriptor();
  for (int i = 0; i < reasons->value_count(); ++i) {
    const auto reason = static_cast<controlplane::v1::RejectReason>(reasons->value(i)->number());
    EXPECT_NE(tested.contains(reason), of_others.contains(reason)) << reasons->value(i)->name();
  }
}

}  // namespace holdfast::server
