// ReadLog where retention has been: blocks that are gone, bodies that are gone.

#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>

#include "tests/server/call_detail.h"
#include "tests/server/operator_fixture.h"

namespace holdfast::server {
namespace {

using audit::v1::LogLine;
using audit::v1::ReadLogRequest;

class NoEffects final : public EffectSink {
 public:
  void Carry(Effect) override {}
};

class Answered final : public ReplySink {
 public:
  explicit Answered(std::promise<void>* done) : done_(done) {}
  void Deliver(Reply) override { done_->set_value(); }

 private:
  std::promise<void>* const done_;
};

// Three blocks of the operators' services' own: the start of the run, an import, a report of a worker that is not
// known.
class ReadLogKept : public ::testing::Test {
 protected:
  ReadLogKept() {
    ControllerLoop::Options options;
    options.bootstrap = true;
    auto loop = ControllerLoop::Open(log_, {&clocks_.boot(), &clocks_.wall()}, random_, effects_, options);
    EXPECT_TRUE(loop.ok()) << loop.status();
    loop_ = std::move(*loop);
    server_ = std::make_unique<OperatorServer>(*loop_, admission_, Settings(), StatusSources{});
    server_->ImportMade(0, 2);
    log::v1::Input report;
    report.mutable_report_runtime()->mutable_request()->set_worker_id("worker-1");
    report.mutable_report_runtime()->mutable_request()->set_session_id("nobodys");
    std::promise<void> done;
    Command command = MakeCommand(report, kLoopbackPrincipal, "test", std::make_unique<Answered>(&done));
    EXPECT_TRUE(loop_->Submit(command, CallClass::kNeverShed));
    done.get_future().wait();
  }
  ~ReadLogKept() override {
    server_->Stop();
    loop_->Stop();
  }

  Sequence FirstBlocksEnd() {
    auto reader = log_.NewReader(Sequence());
    (*reader)->Next().value();
    return Sequence((*reader)->Next().value()->first.value() - 1);
  }

  MemoryLog log_;
  ManualClocks clocks_;
  CountingRandom random_;
  NoEffects effects_;
  Admission admission_{8};
  std::unique_ptr<ControllerLoop> loop_;
  std::unique_ptr<OperatorServer> server_;
};

TEST_F(ReadLogKept, BelowTheFirstThatIsKeptIsTypedAndZeroBeginsThere) {
  const std::uint64_t kept = FirstBlocksEnd().value() + 1;
  log_.ReplaceBlock(Sequence(1), "");
  ReadLogRequest first, at;
  first.set_from_sequence(1);
  at.set_from_sequence(kept);

  grpc::ClientContext context;
  const auto below = ReadAll(*server_->audit().ReadLog(&context, first));

  EXPECT_EQ(below.status.error_code(), grpc::StatusCode::OUT_OF_RANGE);
  const auto detail = DetailOf(below.status);
  ASSERT_TRUE(detail);
  EXPECT_EQ(detail->detail.reason(), controlplane::v1::REJECT_REASON_NO_LONGER_KEPT);
  EXPECT_EQ(detail->detail.metadata().at("first_sequence"), std::to_string(kept));
  EXPECT_EQ(server_->ReadLog().front().sequence(), kept);
  EXPECT_EQ(server_->ReadLog(at).front().sequence(), kept);
  EXPECT_EQ(server_->Status().first_sequence(), kept);
}

TEST_F(ReadLogKept, ABodyThatIsGoneIsSaidAndTheEntryKeepsItsHash) {
  const LogLine before = server_->ReadLog().back();
  log_.DropBulk(Next(log_.Tip()));

  const LogLine after = server_->ReadLog().back();

  EXPECT_EQ(before.kind(), "report_runtime");
  EXPECT_EQ(after.kind(), "dropped");  // a refusal does not tell what was refused
  const nlohmann::json json = nlohmann::json::parse(after.json());
  EXPECT_EQ(json["inputDropped"], true);
  EXPECT_EQ(json["events"][0]["input_rejected"]["reason"], "REJECT_REASON_SESSION_UNKNOWN");
  EXPECT_EQ(after.entry_hash(), before.entry_hash());
}

TEST_F(ReadLogKept, AMissingBlockEndsTheReadWithItsSequence) {
  const std::uint64_t missing = FirstBlocksEnd().value() + 1;
  log_.ReplaceBlock(Sequence(missing), "");

  grpc::ClientContext context;
  const auto read = ReadAll(*server_->audit().ReadLog(&context, ReadLogRequest()));

  EXPECT_EQ(read.status.error_code(), grpc::StatusCode::DATA_LOSS);
  EXPECT_NE(read.status.error_message().find("sequence " + std::to_string(missing)), std::string::npos);
}

}  // namespace
}  // namespace holdfast::server
