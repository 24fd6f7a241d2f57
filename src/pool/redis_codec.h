// What the scripts take and give, as texts: keys, writes, answers, rows.
//
// Called by RedisStore and what belongs to it. Thread: plain values and pure functions. Promises: numbers are decimal
// without leading zeros; whatever is read back is checked, and a status says which field is not what the store writes.

#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/status/statusor.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pool/pool_store.h"
#include "pool/redis_link.h"

namespace holdfast::pool {

// All keys begin with the prefix in braces: they are of one slot.
class RedisKeys {
 public:
  explicit RedisKeys(const std::string& prefix);
  const std::string& prefix() const { return prefix_; }  // "{holdfast}"
  std::string Meta() const { return Make("meta"); }
  std::string Available() const { return Make("available"); }
  std::string Settling() const { return Make("settling"); }
  std::string Address(std::string_view id) const { return Make("address:", id); }
  std::string Proxy(std::string_view id) const { return Make("proxy:", id); }
  std::string Session(std::string_view worker) const { return Make("session:", worker); }
  std::string Owned(std::string_view worker) const { return Make("owned:", worker); }
  std::string Extracted(std::string_view extraction_id) const { return Make("extracted:", extraction_id); }

 private:
  std::string Make(std::string_view kind, std::string_view id = {}) const;
  const std::string prefix_;
};

// Appends writes to a call as rows.lua reads them.
class RowEncoder {
 public:
  RowEncoder(const RedisKeys& keys, ScriptCall& call) : keys_(keys), call_(call) {}
  void Add(const Write& write) {
    std::visit([this](const auto& one) { AddOne(one); }, write);
  }

 private:
  void AddOne(const AddressWrite& write);
  void AddOne(const AddressRemoval& removal);
  void AddOne(const ProxyRow& row);
  void AddOne(const ProxyRemoval& removal) { Append({"d", AddKey(keys_.Proxy(removal.id))}); }
  void AddOne(const SessionRow& row);
  void AddOne(const SessionRemoval& removal) { Append({"d", AddKey(keys_.Session(removal.worker))}); }

  void Append(std::initializer_list<std::string_view> texts);
  std::string AddKey(std::string key);
  std::string IndexKey(const std::string& worker);

  const RedisKeys& keys_;
  ScriptCall& call_;
  absl::flat_hash_map<std::string, std::string> index_keys_;  // worker: the place of its key
};

// Epoch and log_id, which every script takes first.
std::vector<std::string> WriterArguments(ControllerEpoch epoch, const LogId& log_id);
std::string ToText(std::uint64_t number);
std::string ToText(LogTime time);
std::optional<std::uint64_t> ParseNumber(std::string_view text);

// Texts in one, whatever is in them: `5:abcde,`.
std::string JoinTexts(std::span<const std::string> texts);
std::optional<std::vector<std::string>> SplitTexts(std::string_view joined);

struct ScriptAnswer {
  Verdict verdict = Verdict::kDone;
  Position position;
  std::span<const RedisReply> rest;  // of the reply
};
absl::StatusOr<ScriptAnswer> DecodeAnswer(const RedisReply& reply);
// log_id, epoch, applied_seq and resync as meta has them; all absent: EMPTY.
absl::StatusOr<Position> DecodePosition(std::span<const RedisReply> fields);

// From HGETALL; nullopt: not a row of ours.
std::optional<AddressRow> DecodeAddress(std::string id, const RedisReply& fields);
std::optional<ProxyRow> DecodeProxy(std::string id, const RedisReply& fields);
std::optional<SessionRow> DecodeSession(std::string worker, const RedisReply& fields);
// The score of an index; nullopt: none.
std::optional<LogTime> DecodeScore(const RedisReply& score);

}  // namespace holdfast::pool
