#include "tools/import/raw_record.h"

#include <algorithm>
#include <iterator>

#include "tools/import/text_hygiene.h"

namespace holdfast::importer {
namespace {

struct Alias {
  std::string_view key;
  Field field;
};

// Sorted by key.
constexpr Alias kAliases[] = {
    {"address", Field::kHost},
    {"capacity", Field::kCapacity},
    {"city", Field::kCity},
    {"city_name", Field::kCity},
    {"connect_string", Field::kUrl},
    {"country", Field::kCountry},
    {"country_code", Field::kCountryCode},
    {"countrycode", Field::kCountryCode},
    {"deadline", Field::kExpiresAt},
    {"exit_ip", Field::kExitAddress},
    {"expire_at", Field::kExpiresAt},
    {"expire_time", Field::kExpiresAt},
    {"expires", Field::kExpiresAt},
    {"expires_at", Field::kExpiresAt},
    {"expiry", Field::kExpiresAt},
    {"host", Field::kHost},
    {"hostname", Field::kHost},
    {"ip", Field::kHost},
    {"ip_address", Field::kHost},
    {"login", Field::kUsername},
    {"outip", Field::kExitAddress},
    {"pass", Field::kPassword},
    {"password", Field::kPassword},
    {"port", Field::kPort},
    {"protocol", Field::kScheme},
    {"protocols", Field::kScheme},
    {"proxy", Field::kUrl},
    {"proxy_address", Field::kHost},
    {"proxy_url", Field::kUrl},
    {"scheme", Field::kScheme},
    {"source", Field::kSource},
    {"ttl", Field::kTimeToLive},
    {"type", Field::kType},
    {"url", Field::kUrl},
    {"user", Field::kUsername},
    {"username", Field::kUsername},
    {"zone", Field::kZone},
};

constexpr std::size_t kLongestKey = 32;

// Two keys that disagree about these would make another proxy of it; the others are only for people.
bool DecidesTheProxy(Field field) { return field <= Field::kCapacity; }

}  // namespace

std::optional<Field> FieldOfKey(std::string_view key) {
  if (key.size() > kLongestKey) return std::nullopt;
  const std::string lower = ToLowerAscii(key);
  const auto* found = std::lower_bound(std::begin(kAliases), std::end(kAliases), std::string_view(lower),
                                       [](const Alias& alias, std::string_view wanted) { return alias.key < wanted; });
  if (found == std::end(kAliases) || found->key != lower) return std::nullopt;
  return found->field;
}

void RawRecord::Clear() {
  for (FieldValue& value : values_) {
    value.kind = FieldValue::Kind::kAbsent;
    value.text.clear();
  }
  for (std::string& key : keys_) key.clear();
  schemes_.clear();
  has_scheme_list_ = has_duplicate_key_ = has_conflict_ = false;
}

void RawRecord::Mark(Field field, std::string_view key) {
  std::string& known = keys_[static_cast<std::size_t>(field)];
  if (known == key) has_duplicate_key_ = true;
  known.assign(key);
}

void RawRecord::Set(Field field, FieldValue::Kind kind, std::string_view text) {
  if (kind == FieldValue::Kind::kAbsent) return;
  FieldValue& value = values_[static_cast<std::size_t>(field)];
  if (!value.IsEmpty() && value.text != text && !text.empty() && DecidesTheProxy(field)) has_conflict_ = true;
  if (!value.IsEmpty() && text.empty() && kind == FieldValue::Kind::kText) return;
  value.kind = kind;
  value.text.assign(text);
}

bool RawRecord::NamesAHost() const {
  return !keys_[static_cast<std::size_t>(Field::kHost)].empty() ||
         !keys_[static_cast<std::size_t>(Field::kUrl)].empty();
}

}  // namespace holdfast::importer
