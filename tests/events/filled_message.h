// Fills every field of a generated message with values that are not the default, by reflection: what a codec forgets
// shows.
//
// Thread: plain functions.

#pragma once

#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace holdfast::testing {

// Bytes fields whose length is part of the format.
inline std::size_t BytesOf(const google::protobuf::FieldDescriptor& field) {
  static const std::map<std::string, std::size_t> kSizes = {
      {"log_id", 16}, {"content_hash", 16}, {"checksum", 32}, {"content_sum", 32}};
  const auto found = kSizes.find(field.name());
  return found == kSizes.end() ? 5 : found->second;
}

inline void Fill(google::protobuf::Message& message, std::uint64_t seed);

// Sets one field, or adds to a repeated one.
inline void FillOne(google::protobuf::Message& message, const google::protobuf::FieldDescriptor& field,
                    std::uint64_t seed) {
  using Field = google::protobuf::FieldDescriptor;
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  const bool many = field.is_repeated();
  const std::string text = field.name() + "-" + std::to_string(seed);
  const auto put = [&](auto set, auto add, auto value) {
    many ? (reflection.*add)(&message, &field, value) : (reflection.*set)(&message, &field, value);
  };
  using Reflection = google::protobuf::Reflection;
  switch (field.cpp_type()) {
    case Field::CPPTYPE_UINT32:
      // Packed GrantState: one byte in memory.
      if (field.name() == "states")
        return put(&Reflection::SetUInt32, &Reflection::AddUInt32, std::uint32_t(1 + seed % 4));
      return put(&Reflection::SetUInt32, &Reflection::AddUInt32, static_cast<std::uint32_t>(1 + seed % 60'000));
    case Field::CPPTYPE_UINT64:
      return put(&Reflection::SetUInt64, &Reflection::AddUInt64, 0x1234'5678'9abcull + seed);
    case Field::CPPTYPE_INT64:
      return put(&Reflection::SetInt64, &Reflection::AddInt64,
                 seed % 3 == 0 ? -static_cast<std::int64_t>(seed) - 1
                               : 1'800'000'000'000'000 + static_cast<std::int64_t>(seed));
    case Field::CPPTYPE_BOOL:
      return put(&Reflection::SetBool, &Reflection::AddBool, true);
    case Field::CPPTYPE_ENUM: {
      const google::protobuf::EnumDescriptor& type = *field.enum_type();
      const int index = 1 + static_cast<int>(seed % static_cast<std::uint64_t>(type.value_count() - 1));
      return put(&Reflection::SetEnumValue, &Reflection::AddEnumValue, type.value(index)->number());
    }
    case Field::CPPTYPE_STRING: {
      std::string value = text;
      if (field.type() == Field::TYPE_BYTES) value = std::string(BytesOf(field), static_cast<char>('a' + seed % 26));
      return many ? reflection.AddString(&message, &field, value) : reflection.SetString(&message, &field, value);
    }
    case Field::CPPTYPE_MESSAGE:
      return Fill(many ? *reflection.AddMessage(&message, &field) : *reflection.MutableMessage(&message, &field), seed);
    default:
      FAIL() << field.full_name() << " has a type that the stored format does not use";
  }
}

inline void Fill(google::protobuf::Message& message, std::uint64_t seed) {
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const google::protobuf::FieldDescriptor& field = *type.field(i);
    FillOne(message, field, seed + static_cast<std::uint64_t>(i));
    if (field.is_repeated()) FillOne(message, field, seed + static_cast<std::uint64_t>(i) + 7);
  }
}

// Whether it, or a message inside, was sent something that its schema does not know.
inline bool HasUnknownFields(const google::protobuf::Message& message) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  if (!reflection.GetUnknownFields(message).empty()) return true;
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const google::protobuf::FieldDescriptor* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    for (int i = 0; field->is_repeated() && i < reflection.FieldSize(message, field); ++i) {
      if (HasUnknownFields(reflection.GetRepeatedMessage(message, field, i))) return true;
    }
    if (!field->is_repeated() && HasUnknownFields(reflection.GetMessage(message, field))) return true;
  }
  return false;
}

}  // namespace holdfast::testing
