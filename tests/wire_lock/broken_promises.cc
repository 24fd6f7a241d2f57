#include "tests/wire_lock/broken_promises.h"

#include <string_view>

#include "absl/strings/str_cat.h"

namespace holdfast::wire_lock {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::MethodDescriptor;
using google::protobuf::ServiceDescriptor;

std::string TypeOf(const FieldDescriptor& field) {
  if (field.is_map()) {
    const Descriptor& entry = *field.message_type();
    return absl::StrCat("map<", TypeOf(*entry.map_key()), ", ", TypeOf(*entry.map_value()), ">");
  }
  if (field.message_type() != nullptr) return field.message_type()->full_name();
  if (field.enum_type() != nullptr) return field.enum_type()->full_name();
  return field.type_name();
}

std::string CardinalityOf(const FieldDescriptor& field) {
  if (field.is_repeated()) return "repeated";
  return field.has_presence() ? "with presence" : "without presence";
}

std::string OneofOf(const FieldDescriptor& field) {
  return field.real_containing_oneof() == nullptr ? "none" : field.real_containing_oneof()->name();
}

std::string StreamingOf(const MethodDescriptor& method) {
  return absl::StrCat(method.client_streaming() ? "stream" : "one", " in, ",
                      method.server_streaming() ? "stream" : "one", " out");
}

class Comparison {
 public:
  explicit Comparison(const Schema& now) : now_(now) {}

  void CompareFile(const FileDescriptor& file) {
    for (int i = 0; i < file.message_type_count(); ++i) CompareMessage(*file.message_type(i));
    for (int i = 0; i < file.enum_type_count(); ++i) CompareEnum(*file.enum_type(i));
    for (int i = 0; i < file.service_count(); ++i) CompareService(*file.service(i));
  }

  std::vector<std::string> TakeLines() { return std::move(lines_); }

 private:
  void CompareMessage(const Descriptor& locked) {
    if (locked.options().map_entry()) return;  // compared as the type of its field
    const Descriptor* now = now_.pool().FindMessageTypeByName(locked.full_name());
    if (now == nullptr) return Vanished("message", locked.full_name());
    for (int i = 0; i < locked.field_count(); ++i) CompareField(*locked.field(i), *now);
    for (int i = 0; i < locked.nested_type_count(); ++i) CompareMessage(*locked.nested_type(i));
    for (int i = 0; i < locked.enum_type_count(); ++i) CompareEnum(*locked.enum_type(i));
    for (int i = 0; i < locked.reserved_range_count(); ++i) {
      const auto& range = *locked.reserved_range(i);  // half-open
      CompareReservedNumbers(range.start, range.end - 1, *now);
    }
    CompareReservedNames(locked, *now);
  }

  void CompareField(const FieldDescriptor& locked, const Descriptor& parent) {
    const std::string where = absl::StrCat("field ", locked.full_name(), " = ", locked.number());
    const FieldDescriptor* now = parent.FindFieldByNumber(locked.number());
    if (now == nullptr) {
      if (const FieldDescriptor* moved = parent.FindFieldByName(locked.name())) {
        return Changed(where, "number", absl::StrCat(locked.number()), absl::StrCat(moved->number()));
      }
      return CompareRemoval(where, locked.number(), locked.name(), parent);
    }
    Compare(where, "name", locked.name(), now->name());
    Compare(where, "type", TypeOf(locked), TypeOf(*now));
    Compare(where, "cardinality", CardinalityOf(locked), CardinalityOf(*now));
    Compare(where, "oneof", OneofOf(locked), OneofOf(*now));
    Compare(where, "JSON name", locked.json_name(), now->json_name());
  }

  void CompareEnum(const EnumDescriptor& locked) {
    const EnumDescriptor* now = now_.pool().FindEnumTypeByName(locked.full_name());
    if (now == nullptr) return Vanished("enum", locked.full_name());
    for (int i = 0; i < locked.value_count(); ++i) CompareEnumValue(*locked.value(i), *now);
    for (int i = 0; i < locked.reserved_range_count(); ++i) {
      const auto& range = *locked.reserved_range(i);  // closed
      CompareReservedNumbers(range.start, range.end, *now);
    }
    CompareReservedNames(locked, *now);
  }

  void CompareEnumValue(const EnumValueDescriptor& locked, const EnumDescriptor& parent) {
    const std::string where = absl::StrCat("value ", locked.name(), " = ", locked.number(), " of ", parent.full_name());
    if (const EnumValueDescriptor* now = parent.FindValueByName(locked.name())) {
      return Compare(where, "number", absl::StrCat(locked.number()), absl::StrCat(now->number()));
    }
    if (const EnumValueDescriptor* now = parent.FindValueByNumber(locked.number())) {
      return Changed(where, "name", locked.name(), now->name());
    }
    CompareRemoval(where, locked.number(), locked.name(), parent);
  }

  void CompareService(const ServiceDescriptor& locked) {
    const ServiceDescriptor* now = now_.pool().FindServiceByName(locked.full_name());
    if (now == nullptr) return Vanished("service", locked.full_name());
    for (int i = 0; i < locked.method_count(); ++i) {
      const MethodDescriptor& method = *locked.method(i);
      const MethodDescriptor* other = now->FindMethodByName(method.name());
      if (other == nullptr) {
        Vanished("method", method.full_name());
        continue;
      }
      const std::string where = absl::StrCat("method ", method.full_name());
      Compare(where, "request", method.input_type()->full_name(), other->input_type()->full_name());
      Compare(where, "response", method.output_type()->full_name(), other->output_type()->full_name());
      Compare(where, "streaming", StreamingOf(method), StreamingOf(*other));
    }
  }

  // `Parent` is the message or the enum as it is now.
  template <class Parent>
  void CompareRemoval(const std::string& where, int number, const std::string& name, const Parent& parent) {
    if (!parent.IsReservedNumber(number)) {
      lines_.push_back(
          absl::StrCat(where, " was removed and its number is not reserved; add `reserved ", number, ";`"));
    }
    if (!parent.IsReservedName(name)) {
      lines_.push_back(
          absl::StrCat(where, " was removed and its name is not reserved; add `reserved \"", name, "\";`"));
    }
  }

  // `first` and `last` are both included. A range may be as wide as all numbers, so only its own pieces are walked.
  template <class Parent>
  void CompareReservedNumbers(int64_t first, int64_t last, const Parent& now) {
    for (int64_t number = first; number <= last;) {
      const int64_t covered_until = LastReservedFrom(number, now);
      if (covered_until < number) {
        lines_.push_back(absl::StrCat("number ", number, " of ", now.full_name(),
                                      " was reserved and no longer is; reserve it again, it is never used anew"));
        return;
      }
      number = covered_until + 1;
    }
  }

  static int64_t LastReservedFrom(int64_t number, const Descriptor& now) {
    for (int i = 0; i < now.reserved_range_count(); ++i) {
      const auto& range = *now.reserved_range(i);
      if (range.start <= number && number < range.end) return int64_t{range.end} - 1;
    }
    return number - 1;
  }

  static int64_t LastReservedFrom(int64_t number, const EnumDescriptor& now) {
    for (int i = 0; i < now.reserved_range_count(); ++i) {
      const auto& range = *now.reserved_range(i);
      if (range.start <= number && number <= range.end) return range.end;
    }
    return number - 1;
  }

  template <class Parent>
  void CompareReservedNames(const Parent& locked, const Parent& now) {
    for (int i = 0; i < locked.reserved_name_count(); ++i) {
      if (now.IsReservedName(locked.reserved_name(i))) continue;
      lines_.push_back(absl::StrCat("name \"", locked.reserved_name(i), "\" of ", now.full_name(),
                                    " was reserved and no longer is; reserve it again, it is never used anew"));
    }
  }

  void Compare(const std::string& where, std::string_view what, const std::string& locked, const std::string& now) {
    if (locked != now) Changed(where, what, locked, now);
  }

  void Changed(const std::string& where, std::string_view what, const std::string& locked, const std::string& now) {
    lines_.push_back(absl::StrCat(where, ": its ", std::string(what), " was ", locked, " and is ", now,
                                  "; put it back and add something new beside it"));
  }

  void Vanished(std::string_view kind, const std::string& name) {
    lines_.push_back(
        absl::StrCat(std::string(kind), " ", name, " has vanished; put it back, it may only be deprecated"));
  }

  const Schema& now_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> FindBrokenPromises(const Schema& locked, const Schema& now, Part part) {
  Comparison comparison(now);
  for (const FileDescriptor* file : locked.Files(part)) comparison.CompareFile(*file);
  return comparison.TakeLines();
}

}  // namespace holdfast::wire_lock
