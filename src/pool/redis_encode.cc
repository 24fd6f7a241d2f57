#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include "pool/redis_codec.h"

namespace holdfast::pool {

RedisKeys::RedisKeys(const std::string& prefix) : prefix_("{" + prefix + "}") {}

std::string RedisKeys::Make(std::string_view kind, std::string_view id) const {
  std::string key;
  key.reserve(prefix_.size() + kind.size() + id.size());
  return key.append(prefix_).append(kind).append(id);
}

std::string ToText(std::uint64_t number) { return absl::StrCat(number); }
std::string ToText(LogTime time) { return absl::StrCat(ToMicros(time)); }

std::vector<std::string> WriterArguments(ControllerEpoch epoch, const LogId& log_id) {
  const absl::string_view bytes(reinterpret_cast<const char*>(log_id.data()), log_id.size());
  return {ToText(epoch.value()), absl::BytesToHexString(bytes)};
}

std::string JoinTexts(std::span<const std::string> texts) {
  std::string joined;
  for (const std::string& text : texts) absl::StrAppend(&joined, text.size(), ":", text, ",");
  return joined;
}

void RowEncoder::Append(std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) call_.arguments.emplace_back(text);
}

std::string RowEncoder::AddKey(std::string key) {
  call_.keys.push_back(std::move(key));
  return ToText(call_.keys.size());
}

std::string RowEncoder::IndexKey(const std::string& worker) {
  if (worker.empty()) return "0";
  std::string& place = index_keys_[worker];
  if (place.empty()) place = AddKey(keys_.Owned(worker));
  return place;
}

void RowEncoder::AddOne(const AddressWrite& write) {
  const AddressRow& row = write.row;
  Append({"A", AddKey(keys_.Address(row.id)), row.id, AddressStateName(row.state), row.owner});
  Append({ToText(row.epoch.value()), ToText(row.sequence.value())});
  Append({row.available_until ? ToText(*row.available_until) : "", row.extraction_id, ToText(row.extracted_until)});
  Append({write.ends_extraction, IndexKey(row.owner), write.previous_owner, IndexKey(write.previous_owner)});
}

void RowEncoder::AddOne(const AddressRemoval& removal) {
  Append({"a", AddKey(keys_.Address(removal.id)), removal.id, removal.ends_extraction, removal.previous_owner,
          IndexKey(removal.previous_owner)});
}

void RowEncoder::AddOne(const ProxyRow& row) {
  Append({"P", AddKey(keys_.Proxy(row.id)), row.address, row.scheme, row.health, ToText(row.usable_until),
          ToText(row.sequence.value())});
}

void RowEncoder::AddOne(const SessionRow& row) {
  const auto ttl_ms = std::chrono::ceil<std::chrono::milliseconds>(row.ttl).count();
  Append({"S", AddKey(keys_.Session(row.worker)), absl::StrCat(ttl_ms), ToText(2 * row.fields.size())});
  for (const auto& [name, value] : row.fields) Append({name, value});
}

}  // namespace holdfast::pool
