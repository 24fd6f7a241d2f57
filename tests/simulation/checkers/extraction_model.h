// Extractions as the log tells them, folded by code of its own: what clients have, ask for and lack, and what the pool
// store was found to be.
//
// Called with every committed event in order, after the checkers have seen it. Thread: one. Judges nothing.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/checkers/entry.h"

namespace holdfast::simulation {

enum class ExtractionStage : std::uint8_t { kAsked, kDoubted, kStanding, kOver };

struct ModelExtraction {
  std::string id, client_id, request_id;
  distribution::v1::ExtractRequest request;
  ExtractionStage stage = ExtractionStage::kAsked;
  bool adopted = false;
  std::set<std::uint32_t> addresses;               // candidates; once it stands, those that are still out
  std::map<std::uint32_t, std::uint32_t> proxies;  // address by proxy: candidates; once it stands, those still out
  std::map<std::string, std::uint32_t> by_id;      // of all that was handed out: the proxy
  std::uint64_t need = 0, requested = 0;
  std::int64_t hold = 0, deadline = 0, extracted_until = 0, ends_at = 0, remembered_until = 0;
  std::uint64_t answered = 0;  // the sequence of the answer
  std::string answer;          // what was handed out, as text

  bool open() const { return stage == ExtractionStage::kAsked || stage == ExtractionStage::kDoubted; }
};

struct ModelRelease {
  distribution::v1::ReleaseRequest request;
  std::int64_t remembered_until = 0;
};

// Of what a request asks for, without its ids: fields in order, lists in any.
std::string ContentOf(const distribution::v1::ExtractRequest& request);
std::string ContentOf(const distribution::v1::ReleaseRequest& request);

class ExtractionModel {
 public:
  using RequestKey = std::pair<std::string, std::string>;  // client, request

  void Apply(const Entry& entry, const log::v1::Event& event);

  // By key.
  const std::map<std::uint64_t, ModelExtraction>& all() const { return extractions_; }
  // nullptr: never, or forgotten.
  const ModelExtraction* At(std::uint64_t key) const;
  const ModelExtraction* Find(const std::string& id) const;
  const ModelExtraction* OfRequest(const std::string& client_id, const std::string& request_id) const;
  const ModelRelease* ReleaseOf(const std::string& client_id, const std::string& request_id) const;

  log::v1::PoolStoreVerdict verdict() const { return verdict_; }  // of this run
  bool usable() const { return verdict_ == log::v1::POOL_STORE_VERDICT_USABLE; }
  bool must_be_adopted() const {
    return verdict_ == log::v1::POOL_STORE_VERDICT_FOREIGN || verdict_ == log::v1::POOL_STORE_VERDICT_AHEAD;
  }
  std::int64_t wait_until() const { return wait_until_; }  // 0: no wait
  std::uint64_t lacking() const;

 private:
  void Prepare(const Entry& entry, const log::v1::ExtractionPrepared& prepared);
  void Extract(const Entry& entry, const log::v1::ProxiesExtracted& extracted);
  void End(const Entry& entry, const log::v1::ExtractionEnded& ended);
  void ApplyRun(const log::v1::Event& event);
  void Shift(std::int64_t open, std::int64_t others);

  std::map<std::uint64_t, ModelExtraction> extractions_;
  std::map<RequestKey, ModelRelease> releases_;
  std::map<RequestKey, std::uint64_t> lacking_;
  log::v1::PoolStoreVerdict verdict_{};
  std::int64_t wait_until_ = 0;
};

}  // namespace holdfast::simulation
