#include "controller/log_render.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "controller/log_render_events.h"
#include "events/block_builder.h"
#include "events/block_codec.h"
#include "tests/controller/entry_maker.h"

namespace holdfast::testing {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::util::JsonStringToMessage;
using google::protobuf::util::MessageDifferencer;
using ::testing::HasSubstr;
using ::testing::StartsWith;

void FillField(Message* message, const FieldDescriptor* field);

// Every field set to something; of a oneof the last.
void Fill(Message* message) {
  for (int i = 0; i < message->GetDescriptor()->field_count(); ++i)
    FillField(message, message->GetDescriptor()->field(i));
}

void FillMap(Message* message, const FieldDescriptor* field) {
  Message* entry = message->GetReflection()->AddMessage(message, field);
  Fill(entry);
}

void FillField(Message* message, const FieldDescriptor* field) {
  const auto* reflection = message->GetReflection();
  const bool repeated = field->is_repeated();
  const auto set = [&](auto set_one, auto add_one, auto value) {
    repeated ? (reflection->*add_one)(message, field, value) : (reflection->*set_one)(message, field, value);
  };
  using R = google::protobuf::Reflection;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      if (field->is_map()) return FillMap(message, field);
      if (field->message_type()->full_name().rfind("google.protobuf.", 0) == 0)
        return;  // checked in the flow of an import
      return Fill(repeated ? reflection->AddMessage(message, field) : reflection->MutableMessage(message, field));
    case FieldDescriptor::CPPTYPE_STRING:
      if (field->type() == FieldDescriptor::TYPE_BYTES)
        return set(&R::SetString, &R::AddString, std::string("\x00\xff\x10", 3));
      return set(&R::SetString, &R::AddString, std::string("text \"quoted\" \xc3\xa4"));
    case FieldDescriptor::CPPTYPE_ENUM:
      return set(&R::SetEnumValue, &R::AddEnumValue, 1);
    case FieldDescriptor::CPPTYPE_BOOL:
      return set(&R::SetBool, &R::AddBool, true);
    case FieldDescriptor::CPPTYPE_INT32:
      return set(&R::SetInt32, &R::AddInt32, 12);
    case FieldDescriptor::CPPTYPE_UINT32:
      return set(&R::SetUInt32, &R::AddUInt32, 4'000'000'000u);
    case FieldDescriptor::CPPTYPE_INT64:
      return set(&R::SetInt64, &R::AddInt64, std::int64_t{1} << 52);
    case FieldDescriptor::CPPTYPE_UINT64:
      return set(&R::SetUInt64, &R::AddUInt64, (std::uint64_t{1} << 53) - 1);
    default:
      FAIL() << "a field of a type that no test fills: " << field->full_name();
  }
}

EntryMessages Parse(const MadeEntry& entry) {
  EntryMessages messages;
  const absl::Status status = ParseEntry(entry.view(), messages);
  EXPECT_TRUE(status.ok()) << status;
  return messages;
}

nlohmann::json JsonOf(const EntryMessages& messages, std::size_t most_bytes = SIZE_MAX) {
  const absl::StatusOr<std::string> json = EntryJson(messages, most_bytes);
  EXPECT_TRUE(json.ok()) << json.status();
  return nlohmann::json::parse(*json);
}

template <class M>
void ExpectSame(const nlohmann::json& json, const M& message) {
  M parsed;
  const auto status = JsonStringToMessage(json.dump(), &parsed);
  ASSERT_TRUE(status.ok()) << std::string(status.message()) << json.dump();
  EXPECT_TRUE(MessageDifferencer::Equals(parsed, message)) << parsed.DebugString() << message.DebugString();
}

log::v1::Input RegisterInput() {
  log::v1::Input input;
  input.mutable_register_worker()->mutable_request()->set_worker_id("gw-1");
  input.mutable_register_worker()->set_session_id("s1");
  return input;
}

SessionOpened OpenedEvent() {
  SessionOpened opened;
  opened.worker = WorkerKey(3);
  opened.worker_id = WorkerId("gw-1");
  opened.session_id = SessionId("s1");
  opened.epoch = Epoch(1'900'000'001);
  return opened;
}

TEST(LogRender, InputAndEventsStandUnderTheirNamesInTheLog) {
  const MadeEntry entry = MakeEntry(RegisterInput(), {OpenedEvent()});

  const EntryMessages messages = Parse(entry);
  const nlohmann::json json = JsonOf(messages);

  EXPECT_EQ(EntryKind(messages), "register_worker");
  EXPECT_EQ(json["input"]["register_worker"]["request"]["workerId"], "gw-1");
  ASSERT_EQ(json["events"].size(), 1u);
  EXPECT_EQ(json["events"][0]["session_opened"]["epoch"], "1900000001");
  EXPECT_EQ(json.size(), 2u);
}

TEST(LogRender, EveryInputOfTheVocabularyParsesBackFromItsJson) {
  const auto* oneof = log::v1::Input::descriptor()->oneof_decl(0);
  for (int i = 0; i < oneof->field_count(); ++i) {
    log::v1::Input input;
    FillField(&input, oneof->field(i));
    const EntryMessages messages = Parse(MakeEntry(input, {}));

    const nlohmann::json json = JsonOf(messages);

    EXPECT_EQ(EntryKind(messages), oneof->field(i)->name());
    ASSERT_TRUE(json["input"].contains(oneof->field(i)->name()));
    ExpectSame(json["input"], input);
  }
}

TEST(LogRender, EveryEventOfTheVocabularyParsesBackFromItsJsonAndHasWords) {
  const auto* oneof = log::v1::Event::descriptor()->oneof_decl(0);
  for (int i = 0; i < oneof->field_count(); ++i) {
    log::v1::Events events;
    FillField(events.add_events(), oneof->field(i));
    MadeEntry entry = MakeEntry(RegisterInput(), {});
    entry.events = events.SerializeAsString();

    const EntryMessages messages = Parse(entry);
    const nlohmann::json json = JsonOf(messages);

    ASSERT_TRUE(json["events"][0].contains(oneof->field(i)->name()));
    ExpectSame(json["events"][0], events.events(0));
    EXPECT_NE(DescribeEvent(events.events(0)), "");
    EXPECT_EQ(EntrySummary(messages).find('\n'), std::string::npos);
  }
}

TEST(LogRender, ADroppedBodyIsNullAndItsKindIsWhatTheEventsTell) {
  RuntimeAccepted accepted;
  accepted.worker = WorkerKey(3);
  accepted.report_sequence = 9;
  MadeEntry entry = MakeEntry(RegisterInput(), {accepted});
  entry.dropped = true;

  const EntryMessages messages = Parse(entry);
  const nlohmann::json json = JsonOf(messages);

  EXPECT_EQ(EntryKind(messages), "report_runtime");
  EXPECT_TRUE(json["input"]["report_runtime"].is_null());
  EXPECT_EQ(json["inputDropped"], true);
  EXPECT_EQ(json["events"][0]["runtime_accepted"]["reportSequence"], "9");
}

TEST(LogRender, ADroppedReportOfACheckerIsToldByItsEvents) {
  MadeEntry entry = MakeEntry(RegisterInput(), {CheckerHeard{CheckerKey(2), 9, {}, 1, 0, {"17"}}});
  entry.dropped = true;

  const EntryMessages messages = Parse(entry);

  EXPECT_EQ(EntryKind(messages), "report_observations");
  EXPECT_EQ(EntrySummary(messages),
            "(input no longer kept); report 9 accepted, 1 tasks running, 1 observations ignored");
}

TEST(LogRender, WhatACheckerFoundIsToldInWordsWithWhatFollowed) {
  log::v1::Input input;
  input.mutable_report_observations()->mutable_request()->set_checker_id("checker-1");
  CheckObserved seen;
  seen.task = TaskId(12);
  seen.checker = CheckerKey(2);
  seen.proxy = ProxyKey(7);
  seen.level = CheckLevel::kTarget;
  seen.routing = RoutingKey(3);
  seen.verdict = Verdict::kFail;
  seen.phase = OutcomePhase::kResponseHeaders;
  seen.error = OutcomeError::kTimeout;
  seen.latency = std::chrono::milliseconds(1500);
  seen.http_status = 503;
  seen.failures = 3;
  HealthChanged changed{ProxyKey(7), CheckLevel::kTarget, RoutingKey(3), HealthState::kUnhealthy, CheckerKey(2), {},
                        {}};

  const std::string text = EntrySummary(Parse(MakeEntry(input, {seen, changed})));

  EXPECT_EQ(text,
            "checker-1; task 12 of checker #2, proxy #7 target of routing #3: fail at response headers, timeout, "
            "status 503 in 1.5s; 3 failures in a row; proxy #7 target of routing #3 is unhealthy, by checker #2");
}

TEST(LogRender, EveryEventOfCheckersAndHealthSaysMoreThanItsName) {
  const auto* oneof = log::v1::Event::descriptor()->oneof_decl(0);
  for (int i = 0; i < oneof->field_count(); ++i) {
    if (oneof->field(i)->number() < 100) continue;
    log::v1::Event event;
    FillField(&event, oneof->field(i));

    EXPECT_NE(DescribeEvent(event), EventWords(event));
  }
}

TEST(LogRender, ADroppedBodyWithoutTellingEventsIsOfTheKindDropped) {
  MadeEntry entry = MakeEntry(RegisterInput(), {SessionHeard{WorkerKey(3)}});
  entry.dropped = true;

  const EntryMessages messages = Parse(entry);

  EXPECT_EQ(EntryKind(messages), kDroppedKind);
  EXPECT_TRUE(JsonOf(messages)["input"]["dropped"].is_null());
}

TEST(LogRender, AnEventOfANewerVersionIsAnErrorWithSequenceAndNumber) {
  MadeEntry entry = MakeEntry(RegisterInput(), {OpenedEvent()});
  log::v1::Events events;
  events.add_events()->GetReflection()->MutableUnknownFields(events.mutable_events(0))->AddLengthDelimited(97, "x");
  entry.events = events.SerializeAsString();

  EntryMessages messages;
  const absl::Status status = ParseEntry(entry.view(), messages);

  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("sequence 7: an event of kind 97"));
}

TEST(LogRender, AnInputOfANewerVersionAndBytesThatAreNoneAreErrorsWithTheSequence) {
  log::v1::Input newer;
  newer.GetReflection()->MutableUnknownFields(&newer)->AddLengthDelimited(99, "x");
  MadeEntry unknown = MakeEntry(newer, {});
  MadeEntry broken = MakeEntry(RegisterInput(), {});
  broken.input = "\xff\xff";

  EntryMessages messages;
  const absl::Status of_unknown = ParseEntry(unknown.view(), messages);
  const absl::Status of_broken = ParseEntry(broken.view(), messages);

  EXPECT_EQ(of_unknown.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(of_unknown.message()), HasSubstr("an input of kind 99"));
  EXPECT_EQ(of_broken.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(of_broken.message()), HasSubstr("sequence 7"));
}

TEST(LogRender, JsonOverTheLimitStaysJsonAndSaysWhatIsLeftOut) {
  log::v1::Input input = RegisterInput();
  input.mutable_register_worker()->mutable_request()->set_zone(std::string(5'000, 'z'));
  const EntryMessages messages = Parse(MakeEntry(input, std::vector<Event>(100, OpenedEvent())));

  const std::string whole = *EntryJson(messages);
  const nlohmann::json cut = JsonOf(messages, 4'000);

  EXPECT_GT(whole.size(), 10'000u);
  EXPECT_LE(EntryJson(messages, 4'000)->size(), 4'100u);
  EXPECT_TRUE(cut["input"]["register_worker"].is_null());
  EXPECT_EQ(cut["inputCut"], true);
  EXPECT_EQ(cut["events"].size() + cut["eventsCut"].get<std::size_t>(), 100u);
  EXPECT_GT(cut["events"].size(), 0u);
}

TEST(LogRender, TheLineTellsSequenceTimePrincipalKindAndWhatHappened) {
  const MadeEntry entry = MakeEntry(RegisterInput(), {OpenedEvent()});

  const std::string line = EntryLine(entry.view(), Parse(entry));

  EXPECT_EQ(
      line,
      "7 2030-03-17T17:46:40.000123Z loopback register_worker: gw-1; session s1 opened, epoch 1900000001, the same "
      "process");
}

TEST(LogRender, TheLineSumsUpLikeEventsAndSaysWhenNothingFollowed) {
  std::vector<Event> events;
  for (std::uint32_t i = 1; i <= 5; ++i) events.emplace_back(ProxyExpired{ProxyKey(i)});
  log::v1::Input tick;
  tick.mutable_tick()->set_scope(log::v1::Tick::SCOPE_OWNERSHIP);

  const std::string many = EntrySummary(Parse(MakeEntry(tick, events)));
  const std::string none = EntrySummary(Parse(MakeEntry(RegisterInput(), {})));

  EXPECT_EQ(many, "proxy #1 expired (and 4 more: proxy expired)");
  EXPECT_EQ(none, "gw-1; nothing followed");
}

TEST(LogRender, ALineBreakInADetailNeverBreaksTheLine) {
  InputRejected rejected;
  rejected.reason = RejectReason::kMalformed;
  rejected.message = "first\nsecond\tthird";

  const std::string text = EntrySummary(Parse(MakeEntry(RegisterInput(), {rejected})));

  EXPECT_THAT(text, HasSubstr("refused, malformed: first second third"));
}

TEST(LogRender, TheEntryHashIsTheOneThatTheChainIsMadeOf) {
  BlockBuilder builder(LogId{1, 2, 3}, "boot");
  builder.Begin(Sequence(1));
  const MadeEntry plain = MakeEntry(RegisterInput(), {OpenedEvent()});
  for (const bool bulk : {false, true}) {
    builder.Add({plain.at, "loopback", "", plain.input, bulk, plain.events});
  }
  const EncodedBlock encoded = builder.Seal({});
  const StoredBlock stored{Sequence(1), encoded.block, encoded.bulk};

  BlockView view;
  ASSERT_TRUE(view.Parse(stored.block, stored.bulk).ok());
  const absl::StatusOr<DecodedBlock> decoded = DecodeBlock(stored);
  ASSERT_TRUE(decoded.ok()) << decoded.status();

  Sha256 hasher;
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(EntryHashOf(view.entries()[i], hasher), decoded->entries[i].hash);
  EXPECT_THAT(EntryLine(view.entries()[1], Parse(plain)), StartsWith("2 "));
}

}  // namespace
}  // namespace holdfast::testing
