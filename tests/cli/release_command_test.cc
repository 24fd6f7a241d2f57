// holdfast release: what is asked, and what a client that is left without an answer does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/cli_run.h"
#include "tests/cli/fake_daemon.h"
#include "tests/cli/status_details.h"

namespace holdfast::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace controlplane::v1;

class ReleaseCommand : public ::testing::Test {
 protected:
  ReleaseCommand() {
    distribution::v1::ReleaseResponse answer;
    answer.set_released(7);
    answer.set_log_sequence(4712);
    daemon_.distribution.AnswerRelease(answer);
  }
  CliRun Run(std::vector<std::string> arguments, const CliSetup& setup = {}) {
    arguments.insert(arguments.begin(), {"release", "--client", "client-1"});
    return RunAt(daemon_.address(), std::move(arguments), setup);
  }

  FakeDaemon daemon_;
};

TEST_F(ReleaseCommand, GivesBackAllOfItWhereNothingIsNamed) {
  const CliRun run = Run({"e-1"});

  EXPECT_EQ(run.code, ExitCode::kDone) << run.error;
  EXPECT_EQ(run.out, "7 proxies given back; log sequence 4712\n");
  EXPECT_EQ(run.error, "");
  const auto request = daemon_.distribution.releases().at(0);
  EXPECT_EQ(request.client_id(), "client-1");
  EXPECT_EQ(request.extraction_id(), "e-1");
  EXPECT_EQ(request.request_id(), "drawn-1");
  EXPECT_THAT(request.proxy_ids(), IsEmpty());
}

TEST_F(ReleaseCommand, GivesBackTheNamedOnesAlone) {
  const CliRun run = Run({"e-1", "http://a:1", "-", "--request-id", "r-9", "--json"}, {.in = "http://b:1\r\n\n"});

  EXPECT_EQ(run.code, ExitCode::kDone) << run.error;
  EXPECT_EQ(run.Json()["released"], 7);
  const auto request = daemon_.distribution.releases().at(0);
  EXPECT_THAT(request.proxy_ids(), ElementsAre("http://a:1", "http://b:1"));
  EXPECT_EQ(request.request_id(), "r-9");
}

TEST_F(ReleaseCommand, AnEmptyListOfIdsDoesNotGiveBackAllOfIt) {
  const CliRun run = Run({"e-1", "-"}, {.in = "\n"});

  EXPECT_EQ(run.code, ExitCode::kCouldNotRun);
  EXPECT_THAT(run.error, HasSubstr("named no proxy, and nothing was released"));
  EXPECT_THAT(daemon_.distribution.releases(), IsEmpty());
}

TEST_F(ReleaseCommand, ABrokenConnectionIsNoReasonToKeepThem) {
  daemon_.distribution.FailNext({grpc::StatusCode::UNAVAILABLE, "Socket closed"});

  const CliRun run = Run({"e-1"});

  EXPECT_EQ(run.code, ExitCode::kDone) << run.error;
  ASSERT_EQ(daemon_.distribution.releases().size(), 2u);
  EXPECT_EQ(daemon_.distribution.releases()[1].request_id(), "drawn-1");
}

TEST_F(ReleaseCommand, WhatTheClientDoesNotHaveIsRefused) {
  ErrorDetail detail;
  detail.set_reason(REJECT_REASON_NOT_FOUND);
  detail.set_field("extraction_id");
  detail.set_message("this client has no extraction of this id (any more); nothing was released");
  daemon_.distribution.FailNext(Refusal(grpc::StatusCode::NOT_FOUND, detail));

  const CliRun run = Run({"e-1"});

  EXPECT_EQ(run.code, ExitCode::kRefused);
  EXPECT_THAT(run.error, HasSubstr("NOT_FOUND in extraction_id: this client has no extraction of this id"));
  EXPECT_THAT(run.error, HasSubstr("`holdfast proxies --ownership extracted`"));
}

}  // namespace
}  // namespace holdfast::cli
