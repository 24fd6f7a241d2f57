// Rows, calls and readings that the tests of the pool store share.
//
// Thread: plain functions; a Projector as the store that it drives.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pool/pool_store.h"

namespace holdfast::pool::testing {

inline constexpr Duration kPatience = std::chrono::seconds(20);
inline constexpr LogTime kUntil = LogTimeFromMicros(1'900'000'000'000'001);

LogId MakeLogId(std::uint8_t number);
std::string AddressName(int number);  // "198.18.0.7:8080"

AddressRow Unowned(const std::string& id, Sequence sequence = Sequence(1));  // AVAILABLE
AddressRow Granted(const std::string& id, const std::string& worker, Sequence sequence = Sequence(1));
AddressRow Extracted(const std::string& id, const std::string& extraction_id, Sequence sequence = Sequence(1));
ProxyRow Proxy(const std::string& id, const std::string& address);
// `count` unowned available addresses, each with a proxy.
std::vector<Write> SampleRows(int count);
std::vector<Candidate> SampleCandidates(int first, int count);

// All that a store shows, by id.
struct Content {
  std::map<std::string, AddressRow> addresses;
  std::map<std::string, ProxyRow> proxies;
  std::map<std::string, LogTime> available;
  std::map<std::string, std::set<std::string>> owned;
  std::set<std::string> sessions;
  std::set<std::string> unreadable;
  friend bool operator==(const Content&, const Content&) = default;
};
Content ReadAll(PoolStore& store, std::size_t limit = 100);

// Takes a store through an empty resync with these rows.
void Fill(PoolStore& store, const std::vector<Write>& rows, Sequence applied, ResyncStart start);

// Who writes, and where the log stands: makes calls that follow what the store has applied.
class Projector {
 public:
  explicit Projector(PoolStore& store, std::uint64_t epoch = 1) : store_(store), epoch_(epoch) {}

  ResyncStart Start(bool adopt = false) const { return {log_id, epoch_, adopt}; }
  // An empty resync, after which `sequence` is applied.
  void Fill(const std::vector<Write>& rows, std::uint64_t sequence = 10);

  Batch NextBatch(std::vector<Write> writes, std::uint64_t entries = 1);
  ExtractRequest NextExtract(std::string id, std::vector<Candidate> candidates, std::uint32_t need = 1);
  CancelRequest CancelOf(const ExtractRequest& request) const;

  // Each asks the store and fails the test where that is in trouble; the next call follows what it says.
  ApplyResult Apply(const Batch& batch);
  ApplyResult Apply(const std::vector<Batch>& batches);
  ExtractResult Extract(const ExtractRequest& request);
  ExtractResult Cancel(const CancelRequest& request);
  Position ReadPosition();

  LogId log_id = MakeLogId(7);
  std::uint64_t applied = 0;

 private:
  PoolStore& store_;
  const ControllerEpoch epoch_;
};

}  // namespace holdfast::pool::testing
