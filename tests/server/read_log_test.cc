// ReadLog over real gRPC: whole, from a sequence, followed, filtered; readers that are slow or too late.

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>

#include "events/block_codec.h"
#include "server/read_log_scan.h"
#include "server/rejection_status.h"
#include "tests/server/call_detail.h"
#include "tests/server/operator_fixture.h"
#include "tests/server/test_worker.h"

namespace holdfast::server {
namespace {

using audit::v1::LogLine;
using audit::v1::ReadLogRequest;
using audit::v1::ReadLogResponse;
using google::protobuf::util::JsonStringToMessage;
using google::protobuf::util::MessageDifferencer;
using std::chrono::seconds;

std::vector<DecodedBlock> Blocks(const EventLog& log) {
  std::vector<DecodedBlock> blocks;
  const auto reader = log.NewReader(Sequence(1));
  while (true) {
    const auto stored = (*reader)->Next();
    if (!stored.ok() || !stored->has_value()) return blocks;
    blocks.push_back(*DecodeBlock(**stored));
  }
}

// A life with most kinds of inputs in it.
void Live(OperatorDaemon& daemon) {
  daemon.daemon().Import(3);
  TestWorker worker(daemon.daemon(), "worker-1");
  const auto watch = worker.Activate();
  worker.ReadAndAcknowledge(*watch);
  auto report = worker.ReportRequest(1);
  report.add_counters()->set_proxy_id("proxy-0");
  report.mutable_counters(0)->set_active(1);
  ASSERT_TRUE(worker.Call(report).ok());
  ASSERT_TRUE(worker.Call(worker.OutcomesRequest(1)).ok());
  log::v1::Input removal;
  removal.mutable_remove_proxies()->add_proxy_ids("proxy-2");
  daemon.daemon().Decide(removal);
  daemon.Advance(seconds(1));
}

TEST(ReadLog, EveryEntryComesOnceWithItsHashAndJsonThatMeansTheStoredBytes) {
  OperatorDaemon daemon;
  Live(daemon);

  const std::vector<LogLine> lines = daemon.ReadLog();

  std::size_t next = 0;
  for (const DecodedBlock& block : Blocks(daemon.daemon().log())) {
    for (const StoredEntry& entry : block.entries) {
      ASSERT_LT(next, lines.size());
      const LogLine& line = lines[next++];
      EXPECT_EQ(line.sequence(), entry.sequence.value());
      EXPECT_EQ(line.principal(), entry.principal);
      EXPECT_EQ(line.entry_hash(), AsBytes(entry.hash));
      log::v1::Input input, parsed_input;
      ASSERT_TRUE(input.ParseFromString(entry.input));
      const nlohmann::json json = nlohmann::json::parse(line.json());
      ASSERT_TRUE(json["input"].contains(line.kind()));
      ASSERT_TRUE(JsonStringToMessage(json["input"].dump(), &parsed_input).ok());
      EXPECT_TRUE(MessageDifferencer::Equals(input, parsed_input)) << line.json();
      log::v1::Events events, parsed_events;
      ASSERT_TRUE(events.ParseFromString(entry.events));
      const std::string wrapped = "{\"events\":" + json["events"].dump() + "}";
      ASSERT_TRUE(JsonStringToMessage(wrapped, &parsed_events).ok());
      EXPECT_TRUE(MessageDifferencer::Equals(events, parsed_events)) << line.json();
    }
  }
  EXPECT_EQ(next, lines.size());
  EXPECT_GT(next, 10u);
}

TEST(ReadLog, AReaderGoesOnWhereItWasTold) {
  OperatorDaemon daemon;
  daemon.ImportMade(0, 3);
  const std::size_t whole = daemon.ReadLog().size();
  ReadLogRequest from;
  from.set_from_sequence(2);
  ReadLogRequest beyond;
  beyond.set_from_sequence(daemon.daemon().log().Tip().value() + 100);

  grpc::ClientContext context;
  const auto all = ReadAll(*daemon.audit().ReadLog(&context, from));

  ASSERT_EQ(all.messages.size(), 1u);
  EXPECT_EQ(all.messages[0].lines(0).sequence(), 2u);
  EXPECT_EQ(static_cast<std::size_t>(all.messages[0].lines_size()), whole - 1);
  EXPECT_EQ(all.messages[0].next_sequence(), daemon.daemon().log().Tip().value() + 1);
  EXPECT_TRUE(daemon.ReadLog(beyond).empty());
}

TEST(ReadLog, FollowShowsWhatIsCommittedLaterAndEndsWithTheService) {
  OperatorDaemon daemon;
  ReadLogRequest request;
  request.set_follow(true);
  request.set_from_sequence(daemon.daemon().log().Tip().value() + 1);
  request.add_kinds("import_proxies");
  grpc::ClientContext context;
  const auto reader = daemon.audit().ReadLog(&context, request);

  std::vector<std::uint64_t> expected, followed;
  for (int i = 0; i < 20; ++i) {
    expected.push_back(daemon.daemon().Import(1, "p" + std::to_string(i) + "-").log_sequence());
    daemon.daemon().Settle();
    ReadLogResponse response;
    ASSERT_TRUE(reader->Read(&response));
    for (const LogLine& line : response.lines()) followed.push_back(line.sequence());
  }
  daemon.services().CloseAll(ShuttingDownRejection());
  const auto rest = ReadAll(*reader);

  EXPECT_EQ(followed, expected);
  EXPECT_EQ(ReasonOf(rest.status), controlplane::v1::REJECT_REASON_SHUTTING_DOWN);
}

TEST(ReadLog, AFollowerThatGoesAwayWhileItWaitsLeavesNothingBehind) {
  OperatorDaemon daemon;
  ReadLogRequest request;
  request.set_follow(true);
  grpc::ClientContext context;
  const auto reader = daemon.audit().ReadLog(&context, request);
  ReadLogResponse response;
  ASSERT_TRUE(reader->Read(&response));

  context.TryCancel();
  reader->Finish();

  EXPECT_TRUE(daemon.AdvanceUntil([&] { return daemon.services().streams() == 0; }));
}

TEST(ReadLog, FiltersFindAProxyAMemberASessionAndKinds) {
  OperatorDaemon daemon;
  Live(daemon);
  const std::string session = daemon.Sessions()[0].session_id();
  ReadLogRequest proxy, member, of_session, kinds;
  proxy.set_proxy_id("proxy-2");
  member.set_member_id("worker-1");
  of_session.set_session_id(session);
  kinds.add_kinds("register_worker");
  kinds.add_kinds("report_runtime");

  std::set<std::string> proxy_kinds, found;
  for (const LogLine& line : daemon.ReadLog(proxy)) proxy_kinds.insert(line.kind());
  for (const LogLine& line : daemon.ReadLog(kinds)) found.insert(line.kind());

  EXPECT_TRUE(proxy_kinds.contains("import_proxies"));
  EXPECT_TRUE(proxy_kinds.contains("remove_proxies"));
  EXPECT_TRUE(proxy_kinds.contains("place"));  // grants name an address alone
  EXPECT_FALSE(proxy_kinds.contains("report_outcomes"));
  EXPECT_EQ(found, (std::set<std::string>{"register_worker", "report_runtime"}));
  EXPECT_GE(daemon.ReadLog(member).size(), daemon.ReadLog(of_session).size());
  EXPECT_GT(daemon.ReadLog(of_session).size(), 4u);
}

TEST(ReadLog, AFilterThatLeavesMuchOutSaysHowFarItIs) {
  OperatorDaemon daemon;
  for (int i = 0; i < 30; ++i) daemon.daemon().Settle();
  ReadLogRequest nothing;
  nothing.set_proxy_id("nobody");

  grpc::ClientContext context;
  const auto all = ReadAll(*daemon.audit().ReadLog(&context, nothing));

  ASSERT_EQ(all.messages.size(), 1u);
  EXPECT_TRUE(all.messages[0].lines().empty());
  EXPECT_EQ(all.messages[0].next_sequence(), daemon.daemon().log().Tip().value() + 1);
}

TEST(ReadLog, AReaderThatDoesNotReadIsCutWithTheSequenceToGoOnFrom) {
  OperatorDaemon daemon;
  daemon.ImportMade(0, 30'000);
  grpc::ClientContext context;
  const auto stub = audit::v1::Audit::NewStub(daemon.NarrowChannel());
  const auto reader = stub->ReadLog(&context, ReadLogRequest());

  ASSERT_TRUE(daemon.AdvanceUntil([&] { return daemon.services().slow_readers() > 0; }));
  const auto read = ReadAll(*reader);

  const auto detail = DetailOf(read.status);
  ASSERT_TRUE(detail);
  EXPECT_EQ(detail->detail.reason(), controlplane::v1::REJECT_REASON_SLOW_READER);
  const std::uint64_t next = std::stoull(detail->detail.metadata().at("next_sequence"));
  std::uint64_t last = 0;
  for (const auto& message : read.messages) {
    for (const LogLine& line : message.lines()) last = line.sequence();
  }
  EXPECT_EQ(next, last + 1);
  ReadLogRequest rest;
  rest.set_from_sequence(next);
  EXPECT_EQ(daemon.ReadLog(rest).back().sequence(), daemon.daemon().log().Tip().value());
}

TEST(ReadLog, AnEntryLargerThanAClientTakesIsCutAndStaysJson) {
  OperatorDaemon daemon;
  log::v1::Input input;
  for (int i = 0; i < 9'000; ++i) {
    auto* spec = input.mutable_import_proxies()->mutable_request()->add_proxies();
    *spec = MadeProxy(i);
    (*spec->mutable_labels())["note"] = std::string(200, 'n');
  }
  daemon.daemon().Decide(input);
  ReadLogRequest imports;
  imports.add_kinds("import_proxies");

  const std::vector<LogLine> lines = daemon.ReadLog(imports);

  ASSERT_EQ(lines.size(), 1u);
  EXPECT_LT(lines[0].json().size(), 4u * 1024 * 1024 - 1024);
  const nlohmann::json json = nlohmann::json::parse(lines[0].json());
  EXPECT_TRUE(json["input"]["import_proxies"].is_null());
  EXPECT_EQ(json["events"].size() + json["eventsCut"].get<std::size_t>(), 9'000u);
}

TEST(ReadLog, WhatIsMalformedNamesItsField) {
  OperatorDaemon daemon;
  ReadLogRequest kind, sequence, member;
  kind.add_kinds("tick");
  kind.add_kinds("session_opened");
  sequence.set_from_sequence(std::uint64_t{1} << 53);
  member.set_member_id("no spaces");

  for (const auto& [request, field] :
       {std::pair(kind, "kinds[1]"), std::pair(sequence, "from_sequence"), std::pair(member, "member_id")}) {
    grpc::ClientContext context;
    const auto all = ReadAll(*daemon.audit().ReadLog(&context, request));
    EXPECT_EQ(DetailOf(all.status)->detail.field(), field);
  }
}

}  // namespace
}  // namespace holdfast::server
