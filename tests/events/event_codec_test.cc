// The codec of events against the generated messages: what it writes is what log.v1 says, and the other way about.

#include "events/event_codec.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "events/field_codec.h"
#include "holdfast/log/v1/event.pb.h"
#include "tests/events/event_drive.h"
#include "tests/events/filled_message.h"
#include "tests/events/seeded_random.h"

namespace holdfast {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using ::testing::HasSubstr;

const Descriptor& EventType() { return *log::v1::Event::descriptor(); }

// One event of the kind, every field of it set.
log::v1::Events FilledEvents(const FieldDescriptor& kind, std::uint64_t seed) {
  log::v1::Events events;
  log::v1::Event& event = *events.add_events();
  testing::Fill(*event.GetReflection()->MutableMessage(&event, &kind), seed);
  return events;
}

std::vector<Event> Decoded(const std::string& bytes) {
  std::vector<Event> events;
  EXPECT_TRUE(DecodeEvents(bytes, events).ok());
  return events;
}

std::string Encoded(const std::vector<Event>& events) {
  std::string bytes;
  EncodeEvents(events, bytes);
  return bytes;
}

// The codec's structs by their place in the variant. F: void(struct).
template <class F, std::size_t... Is>
void ForEachKind(F&& f, std::index_sequence<Is...>) {
  (f(std::variant_alternative_t<Is, EventVariant>()), ...);
}
template <class F>
void ForEachKind(F&& f) {
  ForEachKind(f, std::make_index_sequence<std::variant_size_v<EventVariant>>());
}

TEST(EventCodec, EveryEventOfTheSchemaIsDecodedWithAllItsFields) {
  for (int i = 0; i < EventType().field_count(); ++i) {
    for (const std::uint64_t seed : {3u, 100u, 4711u}) {
      const log::v1::Events stored = FilledEvents(*EventType().field(i), seed);

      const std::vector<Event> events = Decoded(stored.SerializeAsString());

      ASSERT_EQ(events.size(), 1u) << EventType().field(i)->name();
      EXPECT_EQ(EventName(events.front()), EventType().field(i)->name());
      log::v1::Events again;
      ASSERT_TRUE(again.ParseFromString(Encoded(events))) << EventType().field(i)->name();
      EXPECT_FALSE(testing::HasUnknownFields(again)) << EventType().field(i)->name();
      std::string difference;
      google::protobuf::util::MessageDifferencer differencer;
      differencer.ReportDifferencesToString(&difference);
      EXPECT_TRUE(differencer.Compare(stored, again)) << EventType().field(i)->name() << ": " << difference;
    }
  }
}

TEST(EventCodec, WhatIsEncodedIsDecodedToTheSame) {
  std::vector<Event> events;
  for (int i = 0; i < EventType().field_count(); ++i) {
    for (Event& event : Decoded(FilledEvents(*EventType().field(i), 17).SerializeAsString()))
      events.push_back(std::move(event));
  }
  ForEachKind([&](auto empty) { events.emplace_back(std::move(empty)); });

  const std::vector<Event> again = Decoded(Encoded(events));

  EXPECT_EQ(events.size(), 2 * std::variant_size_v<EventVariant>);
  EXPECT_EQ(again, events);
}

TEST(EventCodec, AZeroIsReadAsZeroWhateverTheDefaultOfTheStructIs) {
  SettingsChanged changed;
  Settings::Fields(changed.settings, [](std::uint32_t, auto& member) { member = {}; });
  ProxyAdded added;
  ProxySpec spec;
  spec.endpoint.scheme = Scheme{};
  added.spec = Boxed<ProxySpec>(spec);
  const std::vector<Event> events = {changed, added};

  EXPECT_EQ(Decoded(Encoded(events)), events);
}

TEST(EventCodec, EveryEventOfTheVariantStandsInTheSchemaUnderItsNumberAndName) {
  int kinds = 0;
  ForEachKind([&]<class E>(const E&) {
    const FieldDescriptor* field = EventType().FindFieldByNumber(E::kNumber);
    ASSERT_NE(field, nullptr) << E::kName;
    EXPECT_EQ(field->name(), E::kName);
    ++kinds;
  });

  EXPECT_EQ(kinds, EventType().field_count());
}

TEST(EventCodec, EveryStructHasTheFieldsOfItsMessageAndNoOthers) {
  ForEachKind([&]<class E>(E event) {
    std::vector<int> numbers;
    E::Fields(event, [&](std::uint32_t number, auto&) { numbers.push_back(static_cast<int>(number)); });
    std::vector<int> in_schema;
    const Descriptor& type = *EventType().FindFieldByNumber(E::kNumber)->message_type();
    for (int i = 0; i < type.field_count(); ++i) in_schema.push_back(type.field(i)->number());

    EXPECT_EQ(numbers, in_schema) << E::kName;
  });
}

TEST(EventCodec, AFieldAtItsDefaultTakesNoRoom) {
  const std::string bytes = Encoded({SessionHeard{}});

  EXPECT_EQ(bytes.size(), 5u);  // the list's tag and length, the event's tag of two bytes and length
  EXPECT_EQ(Decoded(bytes), std::vector<Event>{SessionHeard{}});
}

TEST(EventCodec, AnEventOfANewerVersionIsAnErrorThatNamesItsNumber) {
  log::v1::Events known = FilledEvents(*EventType().field(0), 1);
  std::string event, bytes = known.SerializeAsString();
  wire::PutTag(event, 4321, wire::Type::kLength);
  wire::PutVarint(event, 0);
  wire::PutTag(bytes, 1, wire::Type::kLength);
  wire::PutVarint(bytes, event.size());
  bytes += event;

  std::vector<Event> events;
  const absl::Status status = DecodeEvents(bytes, events);

  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("4321"));
}

TEST(EventCodec, AnUnknownFieldOfAKnownEventIsSkipped) {
  for (const wire::Type type : {wire::Type::kVarint, wire::Type::kFixed64, wire::Type::kLength, wire::Type::kFixed32}) {
    std::string body, event, bytes;
    wire::PutTag(body, 1000, type);
    if (type == wire::Type::kVarint) wire::PutVarint(body, 99);
    if (type == wire::Type::kFixed64) body += "12345678";
    if (type == wire::Type::kFixed32) body += "1234";
    if (type == wire::Type::kLength) body += std::string("\3abc");
    wire::PutTag(body, 1, wire::Type::kVarint);
    wire::PutVarint(body, 7);
    wire::PutTag(event, SessionHeard::kNumber, wire::Type::kLength);
    wire::PutVarint(event, body.size());
    event += body;
    wire::PutTag(bytes, 1, wire::Type::kLength);
    wire::PutVarint(bytes, event.size());
    bytes += event;

    EXPECT_EQ(Decoded(bytes), std::vector<Event>{SessionHeard{WorkerKey(7)}});
  }
}

TEST(EventCodec, AListThatIsNotPackedIsReadAsWell) {
  std::string body, event, bytes;
  for (const std::uint64_t key : {5u, 300u}) {
    wire::PutTag(body, 1, wire::Type::kVarint);
    wire::PutVarint(body, key);
  }
  wire::PutTag(event, ProxiesNamed::kNumber, wire::Type::kLength);
  wire::PutVarint(event, body.size());
  event += body;
  wire::PutTag(bytes, 1, wire::Type::kLength);
  wire::PutVarint(bytes, event.size());
  bytes += event;

  const std::vector<Event> events = Decoded(bytes);

  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<ProxiesNamed>(events[0]).proxies, (std::vector<ProxyKey>{ProxyKey(5), ProxyKey(300)}));
}

TEST(EventCodec, AHashOfTheWrongLengthIsMalformed) {
  log::v1::Events events;
  events.add_events()->mutable_snapshot_issued()->set_checksum(std::string(31, 'x'));

  std::vector<Event> out;
  const absl::Status status = DecodeEvents(events.SerializeAsString(), out);

  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("40"));
}

TEST(EventCodec, NoBytesCrashIt) {
  testing::SeededRandom random(7);
  int sound = 0;

  for (int i = 0; i < 20'000; ++i) sound += testing::DriveEvents(random.Bytes(random.Below(200))) ? 1 : 0;

  EXPECT_LT(sound, 2'000);  // the empty list, and little else
}

TEST(EventCodec, ChangedBytesAreAnErrorOrEventsThatRoundTrip) {
  testing::SeededRandom random(11);
  int sound = 0, broken = 0;

  for (int i = 0; i < EventType().field_count(); ++i) {
    const std::string bytes = FilledEvents(*EventType().field(i), 5).SerializeAsString();
    for (int mutation = 0; mutation < 300; ++mutation) {
      std::string changed = bytes;
      const std::size_t at = random.Below(changed.size());
      if (random.Below(3) == 0)
        changed.resize(at);
      else if (random.Below(2) == 0)
        changed[at] = static_cast<char>(random.Number());
      else
        changed.insert(at, random.Bytes(1 + random.Below(9)));
      (testing::DriveEvents(changed) ? sound : broken) += 1;
    }
  }

  EXPECT_GT(sound, 0);
  EXPECT_GT(broken, 0);
}

}  // namespace
}  // namespace holdfast
