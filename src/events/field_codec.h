// Writes and reads structs that describe themselves by `Fields(self, field)` in the protobuf wire format, without
// building the generated message: one description gives both directions, and a replay decodes millions of events a
// second. That what it writes is what log.v1 says is held by a test against the generated messages.
//
// Thread: plain functions. Ensures: equal structs give equal bytes; fields at their default are left out, as proto3
// does. Any bytes decode to a struct or to false, never to undefined behaviour; a field that it does not know is
// skipped.

#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/ids.h"
#include "base/log_time.h"
#include "events/boxed.h"

namespace holdfast::wire {

enum class Type : std::uint32_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

inline void PutVarint(std::string& out, std::uint64_t value) {
  char buffer[10];
  std::size_t n = 0;
  while (value >= 0x80) {
    buffer[n++] = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  buffer[n++] = static_cast<char>(value);
  out.append(buffer, n);
}

inline void PutTag(std::string& out, std::uint32_t number, Type type) {
  PutVarint(out, (static_cast<std::uint64_t>(number) << 3) | static_cast<std::uint32_t>(type));
}

// Takes values off the front of some bytes.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool done() const { return bytes_.empty(); }

  bool Varint(std::uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  bool Bytes(std::string_view& value) {
    std::uint64_t size = 0;
    if (!Varint(size) || size > bytes_.size()) return false;
    value = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return true;
  }
  bool Tag(std::uint32_t& number, Type& type) {
    std::uint64_t tag = 0;
    if (!Varint(tag) || (tag >> 3) == 0 || (tag >> 3) > 536'870'911) return false;
    number = static_cast<std::uint32_t>(tag >> 3);
    type = static_cast<Type>(tag & 7);
    return true;
  }
  bool Skip(Type type);

 private:
  std::string_view bytes_;
};

// How a value stands in a varint; kIsScalar says whether it does.
template <class T>
struct Scalar {
  static constexpr bool kIs = std::is_integral_v<T> || std::is_enum_v<T>;
  static std::uint64_t To(const T& value) { return static_cast<std::uint64_t>(value); }
  static T From(std::uint64_t value) { return static_cast<T>(value); }
};
template <class Tag, class Rep>
requires std::is_integral_v<Rep>
struct Scalar<StrongId<Tag, Rep>> {
  static constexpr bool kIs = true;
  static std::uint64_t To(const StrongId<Tag, Rep>& id) { return id.value(); }
  static StrongId<Tag, Rep> From(std::uint64_t value) { return StrongId<Tag, Rep>(static_cast<Rep>(value)); }
};
template <>
struct Scalar<LogTime> {
  static constexpr bool kIs = true;
  static std::uint64_t To(LogTime time) { return static_cast<std::uint64_t>(ToMicros(time)); }
  static LogTime From(std::uint64_t value) { return LogTimeFromMicros(static_cast<std::int64_t>(value)); }
};
template <>
struct Scalar<Duration> {
  static constexpr bool kIs = true;
  static std::uint64_t To(Duration duration) { return static_cast<std::uint64_t>(duration.count()); }
  static Duration From(std::uint64_t value) { return Duration(static_cast<std::int64_t>(value)); }
};

template <class T>
concept Described = requires(T& value) {
  T::Fields(value, [](std::uint32_t, auto&) {});
};

template <class T>
void PutStruct(std::string& out, const T& value);
template <class T>
bool GetStruct(std::string_view bytes, T& value);

// One field: an overload for each shape that the vocabulary uses.
struct FieldWriter {
  std::string& out;

  template <class T>
  void operator()(std::uint32_t number, const T& value) {
    if constexpr (Scalar<T>::kIs) {
      if (const std::uint64_t raw = Scalar<T>::To(value); raw != 0) {
        PutTag(out, number, Type::kVarint);
        PutVarint(out, raw);
      }
    } else {
      Nested(number, value);
    }
  }
  void operator()(std::uint32_t number, const std::string& value) {
    if (!value.empty()) Bytes(number, value);
  }
  template <class Tag>
  void operator()(std::uint32_t number, const StrongId<Tag, std::string>& value) {
    (*this)(number, value.value());
  }
  template <std::size_t N>
  void operator()(std::uint32_t number, const std::array<std::uint8_t, N>& value) {
    Bytes(number, std::string_view(reinterpret_cast<const char*>(value.data()), N));
  }
  void operator()(std::uint32_t number, const std::map<std::string, std::string>& value) {
    std::string entry;
    for (const auto& [key, text] : value) {
      entry.clear();
      FieldWriter writer{entry};
      writer(1, key);
      writer(2, text);
      Bytes(number, entry);
    }
  }
  template <class T>
  void operator()(std::uint32_t number, const Boxed<T>& value) {
    if (value) Nested(number, *value);
  }
  template <class T>
  void operator()(std::uint32_t number, const std::vector<T>& value) {
    if constexpr (Scalar<T>::kIs) {
      if (value.empty()) return;
      std::string packed;
      packed.reserve(value.size() * 3);
      for (const T& item : value) PutVarint(packed, Scalar<T>::To(item));
      Bytes(number, packed);
    } else if constexpr (std::is_same_v<T, std::string>) {
      for (const std::string& item : value) Bytes(number, item);
    } else {
      for (const T& item : value) Nested(number, item);
    }
  }

 private:
  void Bytes(std::uint32_t number, std::string_view bytes) {
    PutTag(out, number, Type::kLength);
    PutVarint(out, bytes.size());
    out.append(bytes);
  }
  template <Described T>
  void Nested(std::uint32_t number, const T& value) {
    std::string body;
    PutStruct(body, value);
    Bytes(number, body);
  }
};

// Reads one value, whose tag has been read, into a member.
struct FieldReader {
  Reader& in;
  Type type;

  template <class T>
  bool Get(T& value) {
    if constexpr (Scalar<T>::kIs) {
      std::uint64_t raw = 0;
      if (type != Type::kVarint || !in.Varint(raw)) return false;
      value = Scalar<T>::From(raw);
      return true;
    } else {
      std::string_view bytes;
      return type == Type::kLength && in.Bytes(bytes) && GetStruct(bytes, value);
    }
  }
  bool Get(std::string& value) {
    std::string_view bytes;
    if (type != Type::kLength || !in.Bytes(bytes)) return false;
    value.assign(bytes);
    return true;
  }
  template <class Tag>
  bool Get(StrongId<Tag, std::string>& value) {
    std::string text;
    if (!Get(text)) return false;
    value = StrongId<Tag, std::string>(std::move(text));
    return true;
  }
  template <std::size_t N>
  bool Get(std::array<std::uint8_t, N>& value) {
    std::string_view bytes;
    if (type != Type::kLength || !in.Bytes(bytes) || bytes.size() != N) return false;
    std::memcpy(value.data(), bytes.data(), N);
    return true;
  }
  bool Get(std::map<std::string, std::string>& value) {
    std::string_view bytes;
    if (type != Type::kLength || !in.Bytes(bytes)) return false;
    std::string key, text;
    Reader entry(bytes);
    while (!entry.done()) {
      std::uint32_t number = 0;
      Type entry_type{};
      if (!entry.Tag(number, entry_type)) return false;
      FieldReader reader{entry, entry_type};
      if (number == 1 ? !reader.Get(key) : number == 2 ? !reader.Get(text) : !entry.Skip(entry_type)) return false;
    }
    value.insert_or_assign(std::move(key), std::move(text));
    return true;
  }
  template <class T>
  bool Get(Boxed<T>& value) {
    T body;
    if (!Get(body)) return false;
    value = Boxed<T>(std::move(body));
    return true;
  }
  template <class T>
  bool Get(std::vector<T>& value) {
    if constexpr (Scalar<T>::kIs) {
      if (type == Type::kVarint) return Get(value.emplace_back());
      std::string_view bytes;
      if (type != Type::kLength || !in.Bytes(bytes)) return false;
      value.reserve(value.size() + bytes.size() / 2);
      for (Reader packed(bytes); !packed.done();) {
        std::uint64_t raw = 0;
        if (!packed.Varint(raw)) return false;
        value.push_back(Scalar<T>::From(raw));
      }
      return true;
    } else {
      return Get(value.emplace_back());
    }
  }
};

template <class T>
void PutStruct(std::string& out, const T& value) {
  T::Fields(value, FieldWriter{out});
}

template <class T>
bool GetStruct(std::string_view bytes, T& value) {
  // What is not written is zero, whatever a struct's own default is.
  T::Fields(value, []<class Member>(std::uint32_t, Member& member) {
    if constexpr (Scalar<Member>::kIs) member = Scalar<Member>::From(0);
  });
  Reader in(bytes);
  while (!in.done()) {
    std::uint32_t number = 0;
    Type type{};
    if (!in.Tag(number, type)) return false;
    bool known = false;
    bool good = true;
    T::Fields(value, [&](std::uint32_t candidate, auto& member) {
      if (candidate != number || known) return;
      known = true;
      good = FieldReader{in, type}.Get(member);
    });
    if (!known) good = in.Skip(type);
    if (!good) return false;
  }
  return true;
}

}  // namespace holdfast::wire
