// A list that is not read: cut, told, and in the end freed, whether its reader ever reads or not.

#include <gtest/gtest.h>

#include "tests/server/call_detail.h"
#include "tests/server/operator_fixture.h"

namespace holdfast::server {
namespace {

using admin::v1::ListProxiesRequest;
using admin::v1::ListProxiesResponse;
using admin::v1::PoolAdmin;

// 30,000 proxies are some megabytes; the client takes 64 KiB that it does not read.
class SlowList : public ::testing::Test {
 protected:
  SlowList() {
    daemon_.ImportMade(0, 30'000);
    reader_ = stub_->ListProxies(&context_, ListProxiesRequest());
  }

  OperatorDaemon daemon_;
  std::unique_ptr<PoolAdmin::Stub> stub_ = PoolAdmin::NewStub(daemon_.NarrowChannel());
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<ListProxiesResponse>> reader_;
};

TEST_F(SlowList, IsCutBehindWhatWasWrittenAndSaysThatItCannotBeResumed) {
  const bool cut = daemon_.AdvanceUntil([&] { return daemon_.services().slow_readers() > 0; });

  const auto read = ReadAll(*reader_);

  EXPECT_TRUE(cut);
  EXPECT_EQ(ReasonOf(read.status), controlplane::v1::REJECT_REASON_SLOW_READER);
  EXPECT_NE(read.status.error_message().find("cannot be resumed"), std::string::npos);
  EXPECT_LT(read.messages.size(), 60u);
}

TEST_F(SlowList, IsFreedWhenItsReaderDoesNotEvenTakeTheEnd) {
  ListProxiesResponse first;
  ASSERT_TRUE(reader_->Read(&first));

  const bool freed = daemon_.AdvanceUntil([&] { return daemon_.services().streams() == 0; });
  const auto rest = ReadAll(*reader_);

  EXPECT_TRUE(freed);
  EXPECT_EQ(daemon_.services().slow_readers(), 1u);
  EXPECT_FALSE(rest.status.ok());
}

}  // namespace
}  // namespace holdfast::server
