#include "events/event_codec.h"

#include <absl/strings/str_cat.h>

#include "events/field_codec.h"

namespace holdfast {
namespace wire {

bool Reader::Skip(Type type) {
  std::uint64_t ignored = 0;
  std::string_view bytes;
  switch (type) {
    case Type::kVarint:
      return Varint(ignored);
    case Type::kLength:
      return Bytes(bytes);
    case Type::kFixed64:
    case Type::kFixed32: {
      const std::size_t size = type == Type::kFixed64 ? 8 : 4;
      if (bytes_.size() < size) return false;
      bytes_.remove_prefix(size);
      return true;
    }
  }
  return false;
}

}  // namespace wire

namespace {

constexpr std::uint32_t kEventsField = 1;

enum class Found { kUnknown, kMalformed, kGood };

template <class E>
Found DecodeAs(std::string_view body, std::vector<Event>& out) {
  E event;
  if (!wire::GetStruct(body, event)) return Found::kMalformed;
  out.emplace_back(std::move(event));
  return Found::kGood;
}

// Walks the alternatives of the variant for the one with this number.
template <class... Es>
Found DecodeNumber(std::uint32_t number, std::string_view body, std::vector<Event>& out, std::variant<Es...>*) {
  Found found = Found::kUnknown;
  (void)((Es::kNumber == number ? (found = DecodeAs<Es>(body, out), true) : false) || ...);
  return found;
}

absl::Status DecodeOne(std::string_view bytes, std::vector<Event>& out) {
  wire::Reader in(bytes);
  std::uint32_t number = 0;
  wire::Type type{};
  std::string_view body;
  if (!in.Tag(number, type) || type != wire::Type::kLength || !in.Bytes(body) || !in.done()) {
    return absl::InvalidArgumentError("an event is malformed");
  }
  switch (DecodeNumber(number, body, out, static_cast<EventVariant*>(nullptr))) {
    case Found::kGood:
      return absl::OkStatus();
    case Found::kMalformed:
      return absl::InvalidArgumentError(absl::StrCat("event number ", number, " is malformed"));
    case Found::kUnknown:
      break;
  }
  return absl::UnimplementedError(
      absl::StrCat("event number ", number, " is not known to this version; use the version that wrote the log"));
}

}  // namespace

void EncodeEvents(const std::vector<Event>& events, std::string& out) {
  std::string body;
  std::string head;
  for (const Event& event : events) {
    std::visit(
        [&]<class E>(const E& e) {
          body.clear();
          head.clear();
          wire::PutStruct(body, e);
          wire::PutTag(head, E::kNumber, wire::Type::kLength);
          wire::PutVarint(head, body.size());
        },
        event);
    wire::PutTag(out, kEventsField, wire::Type::kLength);
    wire::PutVarint(out, head.size() + body.size());
    out.append(head).append(body);
  }
}

absl::Status DecodeEvents(std::string_view bytes, std::vector<Event>& out) {
  wire::Reader in(bytes);
  while (!in.done()) {
    std::uint32_t number = 0;
    wire::Type type{};
    std::string_view event;
    if (!in.Tag(number, type) || type != wire::Type::kLength || !in.Bytes(event)) {
      return absl::InvalidArgumentError("the list of events is malformed");
    }
    if (number != kEventsField) continue;
    if (absl::Status status = DecodeOne(event, out); !status.ok()) return status;
  }
  return absl::OkStatus();
}

std::string_view EventName(const Event& event) {
  return std::visit([]<class E>(const E&) { return E::kName; }, event);
}

}  // namespace holdfast
