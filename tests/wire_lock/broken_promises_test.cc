// Plants one difference at a time into a small schema and expects the comparison to name it.
#include "tests/wire_lock/broken_promises.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <functional>

namespace holdfast::wire_lock {
namespace {

using google::protobuf::DescriptorProto;
using google::protobuf::EnumDescriptorProto;
using google::protobuf::FieldDescriptorProto;
using google::protobuf::FileDescriptorProto;
using google::protobuf::FileDescriptorSet;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kSchema[] = R"pb(
  name: "sample.proto"
  package: "sample.v1"
  syntax: "proto3"
  message_type {
    name: "Grant"
    field { name: "proxy_id" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
    field { name: "capacity" number: 2 type: TYPE_UINT32 label: LABEL_OPTIONAL }
    field {
      name: "labels"
      number: 3
      type: TYPE_MESSAGE
      type_name: ".sample.v1.Grant.LabelsEntry"
      label: LABEL_REPEATED
    }
    field { name: "full" number: 5 type: TYPE_BOOL label: LABEL_OPTIONAL oneof_index: 0 }
    field { name: "state" number: 6 type: TYPE_ENUM type_name: ".sample.v1.State" label: LABEL_OPTIONAL }
    nested_type {
      name: "LabelsEntry"
      field { name: "key" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
      field { name: "value" number: 2 type: TYPE_STRING label: LABEL_OPTIONAL }
      options { map_entry: true }
    }
    oneof_decl { name: "update" }
    reserved_range { start: 10 end: 13 }
    reserved_name: "zone"
  }
  enum_type {
    name: "State"
    value { name: "STATE_UNSPECIFIED" number: 0 }
    value { name: "STATE_ACTIVE" number: 1 }
    value { name: "STATE_HELD" number: 2 }
  }
  service {
    name: "Plane"
    method { name: "Watch" input_type: ".sample.v1.Grant" output_type: ".sample.v1.Grant" server_streaming: true }
  }
)pb";

FileDescriptorProto Sample() {
  FileDescriptorProto file;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(kSchema, &file));
  return file;
}

Schema Compiled(const FileDescriptorProto& file) {
  FileDescriptorSet set;
  *set.add_file() = file;
  absl::StatusOr<Schema> schema = Schema::FromSet(set);
  EXPECT_TRUE(schema.ok()) << schema.status();
  return *std::move(schema);
}

std::vector<std::string> BrokenAfter(const std::function<void(FileDescriptorProto&)>& change) {
  FileDescriptorProto changed = Sample();
  change(changed);
  return FindBrokenPromises(Compiled(Sample()), Compiled(changed), Part::kWire);
}

DescriptorProto& Grant(FileDescriptorProto& file) { return *file.mutable_message_type(0); }
EnumDescriptorProto& State(FileDescriptorProto& file) { return *file.mutable_enum_type(0); }
FieldDescriptorProto& Capacity(FileDescriptorProto& file) { return *Grant(file).mutable_field(1); }

void RemoveCapacity(FileDescriptorProto& file) { Grant(file).mutable_field()->DeleteSubrange(1, 1); }
void RemoveHeld(FileDescriptorProto& file) { State(file).mutable_value()->DeleteSubrange(2, 1); }
void ReserveTwo(DescriptorProto& message) {
  message.add_reserved_range()->set_start(2);
  message.mutable_reserved_range()->rbegin()->set_end(3);
}

TEST(BrokenPromises, AnUnchangedSchemaBreaksNone) {
  EXPECT_THAT(BrokenAfter([](FileDescriptorProto&) {}), IsEmpty());
}

TEST(BrokenPromises, AdditionsBreakNone) {
  const auto broken = BrokenAfter([](FileDescriptorProto& file) {
    FieldDescriptorProto& field = *Grant(file).add_field();
    field.set_name("weight");
    field.set_number(7);
    field.set_type(FieldDescriptorProto::TYPE_INT64);
    file.add_message_type()->set_name("Extra");
    State(file).add_value()->set_name("STATE_NEW");
    State(file).mutable_value(3)->set_number(3);
    *file.mutable_service(0)->add_method() = file.service(0).method(0);
    file.mutable_service(0)->mutable_method(1)->set_name("Again");
  });

  EXPECT_THAT(broken, IsEmpty());
}

TEST(BrokenPromises, ARenamedFieldIsNamedWithBothItsNames) {
  const auto broken = BrokenAfter([](FileDescriptorProto& file) { Capacity(file).set_name("limit"); });

  EXPECT_THAT(broken, ElementsAre(HasSubstr("its name was capacity and is limit"), HasSubstr("its JSON name was")));
}

TEST(BrokenPromises, ARenumberedFieldIsRefused) {
  const auto broken = BrokenAfter([](FileDescriptorProto& file) { Capacity(file).set_number(9); });

  EXPECT_THAT(broken, ElementsAre(HasSubstr("its number was 2 and is 9")));
}

TEST(BrokenPromises, ARetypedFieldIsRefused) {
  const auto broken =
      BrokenAfter([](FileDescriptorProto& file) { Capacity(file).set_type(FieldDescriptorProto::TYPE_UINT64); });

  EXPECT_THAT(broken, ElementsAre(HasSubstr("its type was uint32 and is uint64")));
}

TEST(BrokenPromises, ARetypedMapValueIsRefused) {
  const auto broken = BrokenAfter([](FileDescriptorProto& file) {
    Grant(file).mutable_nested_type(0)->mutable_field(1)->set_type(FieldDescriptorProto::TYPE_BYTES);
  });

  EXPECT_THAT(broken, ElementsAre(HasSubstr("its type was map<string, string> and is map<string, bytes>")));
}

TEST(BrokenPromises, AFieldMadeRepeatedIsRefused) {
  const auto broken =
      BrokenAfter([](FileDescriptorProto& file) { Capacity(file).set_label(FieldDescriptorProto::LABEL_REPEATED); });

  EXPECT_THAT(broken, ElementsAre(HasSubstr("its cardinality was without presence and is repeated")));
}

TEST(BrokenPromises, AFieldTakenOutOfItsOneofIsRefused) {
  const auto broken = BrokenAfter([](FileDescriptorProto& file) {
    Grant(file).mutable_field(3)->clear_oneof_index();
    Grant(file).clear_oneof_decl();
  });

  EXPECT_THAT(broken, ElementsAre(HasSubstr("its cardinality was"), HasSubstr("its oneof was update and is none")));
}

TEST(BrokenPromises, AChangedJsonNameIsRefused) {
  const auto broken = BrokenAfter([](FileDescriptorProto& file) { Capacity(file).set_json_name("cap"); });

  EXPECT_THAT(broken, ElementsAre(HasSubstr("its JSON name was capacity and is cap")));
}

TEST(BrokenPromises, AFieldRemovedWithoutReservingIsRefusedForNumberAndName) {
  const auto broken = BrokenAfter(RemoveCapacity);

  EXPECT_THAT(broken, ElementsAre(HasSubstr("add `reserved 2;`"), HasSubstr("add `reserved \"capacity\";`")));
}

TEST(BrokenPromises, AFieldRemovedWithOnlyItsNumberReservedIsRefusedForTheName) {
  const auto broken = BrokenAfter([](FileDescriptorProto& file) {
    RemoveCapacity(file);
    ReserveTwo(Grant(file));
  });

  EXPECT_THAT(broken, ElementsAre(HasSubstr("its name is not reserved")));
}

TEST(BrokenPromises, AFieldRemovedWithNumberAndNameReservedIsAllowed) {
  const auto broken = BrokenAfter([](FileDescriptorProto& file) {
    RemoveCapacity(file);
    ReserveTwo(Grant(file));
    Grant(file).add_reserved_name("capacity");
  });

  EXPECT_THAT(broken, IsEmpty());
}

TEST(BrokenPromises, ANumberOrNameThatIsNoLongerReservedIsRefused) {
  const auto broken = BrokenAfter([](FileDescriptorProto& file) {
    Grant(file).mutable_reserved_range(0)->set_end(12);
    Grant(file).clear_reserved_name();
  });

  EXPECT_THAT(broken, ElementsAre(HasSubstr("number 12 of sample.v1.Grant was reserved"),
                                  HasSubstr("name \"zone\" of sample.v1.Grant was reserved")));
}

TEST(BrokenPromises, AMessageThatVanishedIsRefused) {
  const auto broken = BrokenAfter([](FileDescriptorProto& file) {
    Grant(file).set_name("Other");
    Grant(file).mutable_field(2)->set_type_name(".sample.v1.Other.LabelsEntry");
    file.mutable_service(0)->mutable_method(0)->set_input_type(".sample.v1.Other");
    file.mutable_service(0)->mutable_method(0)->set_output_type(".sample.v1.Other");
  });

  EXPECT_THAT(broken, ElementsAre(HasSubstr("message sample.v1.Grant has vanished"), HasSubstr("its request was"),
                                  HasSubstr("its response was")));
}

TEST(BrokenPromises, ARenamedEnumValueIsRefused) {
  const auto broken =
      BrokenAfter([](FileDescriptorProto& file) { State(file).mutable_value(2)->set_name("STATE_KEPT"); });

  EXPECT_THAT(broken, ElementsAre(HasSubstr("its name was STATE_HELD and is STATE_KEPT")));
}

TEST(BrokenPromises, ARenumberedEnumValueIsRefused) {
  const auto broken = BrokenAfter([](FileDescriptorProto& file) { State(file).mutable_value(2)->set_number(8); });

  EXPECT_THAT(broken, ElementsAre(HasSubstr("its number was 2 and is 8")));
}

TEST(BrokenPromises, AnEnumValueRemovedIsAllowedOnlyWithNumberAndNameReserved) {
  const auto bare = BrokenAfter(RemoveHeld);
  const auto reserved = BrokenAfter([](FileDescriptorProto& file) {
    RemoveHeld(file);
    State(file).add_reserved_name("STATE_HELD");
    State(file).add_reserved_range()->set_start(2);
    State(file).mutable_reserved_range(0)->set_end(2);
  });

  EXPECT_THAT(bare, ElementsAre(HasSubstr("add `reserved 2;`"), HasSubstr("add `reserved \"STATE_HELD\";`")));
  EXPECT_THAT(reserved, IsEmpty());
}

TEST(BrokenPromises, AMethodThatStreamsOtherwiseIsRefused) {
  const auto broken = BrokenAfter(
      [](FileDescriptorProto& file) { file.mutable_service(0)->mutable_method(0)->set_server_streaming(false); });

  EXPECT_THAT(broken, ElementsAre(AllOf(HasSubstr("one in, stream out"), HasSubstr("one in, one out"))));
}

TEST(BrokenPromises, AMethodOrServiceThatVanishedIsRefused) {
  const auto method = BrokenAfter([](FileDescriptorProto& file) { file.mutable_service(0)->clear_method(); });
  const auto service = BrokenAfter([](FileDescriptorProto& file) { file.clear_service(); });

  EXPECT_THAT(method, ElementsAre(HasSubstr("method sample.v1.Plane.Watch has vanished")));
  EXPECT_THAT(service, ElementsAre(HasSubstr("service sample.v1.Plane has vanished")));
}

TEST(BrokenPromises, TheStoredFormatAndTheWireAreComparedApart) {
  FileDescriptorProto log = Sample();
  log.set_package("holdfast.log.v1");
  for (FieldDescriptorProto& field : *Grant(log).mutable_field()) field.clear_type_name();
  Grant(log).mutable_field()->DeleteSubrange(2, 3);
  Grant(log).clear_nested_type();
  Grant(log).clear_oneof_decl();
  log.clear_service();
  FileDescriptorProto changed = log;
  Capacity(changed).set_name("limit");

  const auto wire = FindBrokenPromises(Compiled(log), Compiled(changed), Part::kWire);
  const auto stored = FindBrokenPromises(Compiled(log), Compiled(changed), Part::kLog);

  EXPECT_THAT(wire, IsEmpty());
  EXPECT_THAT(stored, ElementsAre(HasSubstr("holdfast.log.v1.Grant.capacity"), HasSubstr("JSON name")));
}

}  // namespace
}  // namespace holdfast::wire_lock
