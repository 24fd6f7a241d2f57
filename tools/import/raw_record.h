// One record of a list before it means anything: the fields that the import knows, as they were written.
//
// Filled by the CSV and the JSON readers, read by RecordRules; owned and reused by one reader, so that a list of a
// million records allocates little. Remembers which key filled a field, to see a key that stands twice and two keys of
// one field that disagree. Keys that are not known are not kept.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::importer {

enum class Field : std::uint8_t {
  kScheme,
  kType,  // "type" is a scheme in some lists; counts only where no scheme stands
  kHost,
  kPort,
  kUrl,
  kUsername,
  kPassword,
  kExpiresAt,
  kTimeToLive,
  kCapacity,
  kCountry,
  kCountryCode,
  kCity,
  kExitAddress,
  kZone,
  kSource,
};
inline constexpr std::size_t kFieldCount = static_cast<std::size_t>(Field::kSource) + 1;

// By the name of a column or a key, in any case: "ip", "Port", "proxy_address".
std::optional<Field> FieldOfKey(std::string_view key);

struct FieldValue {
  enum class Kind : std::uint8_t {
    kAbsent,  // or null
    kText,
    kNumber,  // text holds it as it was written
    kOther,   // true, false, a list, an object
  };
  Kind kind = Kind::kAbsent;
  std::string text;

  bool IsText() const { return kind == Kind::kText; }
  // Absent, null, or an empty text.
  bool IsEmpty() const { return kind == Kind::kAbsent || (kind == Kind::kText && text.empty()); }
};

class RawRecord {
 public:
  void Clear();

  // A key is met; its value follows by Set. key is in lower case.
  void Mark(Field field, std::string_view key);
  void Set(Field field, FieldValue::Kind kind, std::string_view text);
  void AddScheme(std::string_view text) { schemes_.emplace_back(text); }
  void BeginSchemeList() { has_scheme_list_ = true; }

  const FieldValue& operator[](Field field) const { return values_[static_cast<std::size_t>(field)]; }
  const std::vector<std::string>& schemes() const { return schemes_; }
  bool has_scheme_list() const { return has_scheme_list_; }
  bool has_duplicate_key() const { return has_duplicate_key_; }
  bool has_conflict() const { return has_conflict_; }
  // Whether it has a key for a host or a URL, whatever the value.
  bool NamesAHost() const;

 private:
  std::array<FieldValue, kFieldCount> values_;
  std::array<std::string, kFieldCount> keys_;
  std::vector<std::string> schemes_;
  bool has_scheme_list_ = false;
  bool has_duplicate_key_ = false;
  bool has_conflict_ = false;
};

}  // namespace holdfast::importer
