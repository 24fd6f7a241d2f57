// Extractions: what clients have, what they asked for under which request, and what they lack.
//
//   prepared ─► ASKED ─ moved ─► STANDING ─ all given back, or its end ─► OVER ─ 24 h ─► (forgotten)
//                 │ │                                                    (a request that gave nothing: forgotten at
//                 once) │ └─ none moved ─► (given back) └─ the client was told otherwise ─► DOUBTED ─ any answer, or
//                 its deadline ─► (given back)
//
// Deadlines of answers count the controller's uptime; ends move with the clock, and keep what they had left on another
// boot. Thread: the state's owner. Covers neither the state of an address (ownership.h) nor the store (pool_store.h).

#pragma once

#include <absl/container/btree_map.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "events/extraction_events.h"
#include "events/run_events.h"
#include "projections/deadline_index.h"
#include "projections/projection.h"
#include "projections/row_table.h"
#include "projections/text_index.h"

namespace holdfast {

enum class ExtractionPhase : std::uint8_t { kAsked, kDoubted, kStanding, kOver };

// A proxy that a client has, or would have.
struct HandedOut {
  ProxyKey proxy;
  AddressKey address;
  bool given_back = false;
};

struct ExtractionRow {
  ExtractionId extraction_id;
  ClientId client_id;
  std::string request_id;  // empty: another log gave it
  RequestHash content_hash{};
  ExtractionPhase phase = ExtractionPhase::kAsked;
  std::vector<AddressKey> addresses;  // candidates; once it stands, those that are still out
  std::vector<HandedOut> proxies;     // of the candidates; once it stands, of what was moved
  std::uint64_t need = 0;
  std::uint64_t requested = 0;
  bool all_or_nothing = false;
  Duration hold{};
  LogTime deadline;  // ASKED: of the answer; DOUBTED: it is given back then
  // Once it stands.
  std::vector<ProxySpec> specs;  // of the proxies, as the client was told
  LogTime extracted_until;
  LogTime ends_at;
  EndReason end_reason{};
  Sequence answered;
  LogTime remembered_until;  // OVER

  bool open() const { return phase == ExtractionPhase::kAsked || phase == ExtractionPhase::kDoubted; }
};

// A release that was accepted.
struct ReleaseRow {
  ClientId client_id;
  std::string request_id;
  RequestHash content_hash{};
  std::uint64_t released = 0;  // proxies
  Sequence answered;
  LogTime remembered_until;
};

// What a client's request lacked.
struct ShortageRow {
  ClientId client_id;
  std::string request_id;
  std::uint64_t lacking = 0;
  LogTime until;
};

class Extractions {
 public:
  static constexpr std::uint32_t kVersion = 1;

  void Apply(const ControllerStarted& event, const EntryPoint& entry);
  void Apply(const ClockAccepted& event, const EntryPoint& entry);
  void Apply(const ExtractionPrepared& event, const EntryPoint& entry);
  void Apply(const ExtractionDoubted& event, const EntryPoint& entry);
  void Apply(const ProxiesExtracted& event, const EntryPoint& entry);
  void Apply(const ExtractionGivenBack& event, const EntryPoint& entry);
  void Apply(const ExtractionEnded& event, const EntryPoint& entry);
  void Apply(const RequestForgotten& event, const EntryPoint& entry);
  void Apply(const ShortageNoted& event, const EntryPoint& entry);

  ExtractionKey next() const { return next_; }
  // Those that stand, are asked for, or are remembered.
  const RowTable<ExtractionKey, ExtractionRow>& rows() const { return rows_; }
  const ExtractionRow& At(ExtractionKey key) const { return rows_.At(key); }
  // 0: not there.
  ExtractionKey Find(std::string_view extraction_id) const { return by_id_.Find(extraction_id); }
  ExtractionKey FindRequest(std::string_view client_id, std::string_view request_id) const;
  // nullptr: not there.
  const ReleaseRow* FindRelease(std::string_view client_id, std::string_view request_id) const;
  const ShortageRow* FindShortage(std::string_view client_id, std::string_view request_id) const;
  const ReleaseRow& release(const std::string& key) const { return releases_.at(key); }
  const ShortageRow& shortage(const std::string& key) const { return shortages_.at(key); }

  // Of the store's answers, and of the doubted.
  const DeadlineIndex<ExtractionKey>& deadlines() const { return deadlines_; }
  const DeadlineIndex<ExtractionKey>& ends() const { return ends_; }
  // When requests are forgotten: of extractions, and of releases by their keys here.
  const DeadlineIndex<ExtractionKey>& forgets() const { return forgets_; }
  const DeadlineIndex<std::string>& release_forgets() const { return release_forgets_; }
  const DeadlineIndex<std::string>& shortage_ends() const { return shortage_ends_; }

  // Addresses that clients lack: placement leaves so many with nobody.
  std::uint64_t lacking() const { return lacking_; }
  std::uint64_t count(ExtractionPhase phase) const { return counts_[static_cast<std::size_t>(phase)]; }

  Digest digest() const { return digest_; }

 private:
  template <class F>
  void Change(ExtractionKey key, F&& change);
  void Index(ExtractionKey key, const ExtractionRow& row, bool present);
  void Forget(ExtractionKey key);
  void DropShortage(const std::string& key);
  void KeepRelease(const ExtractionEnded& event, const EntryPoint& entry);
  void Move(Duration asked, Duration others);

  RowTable<ExtractionKey, ExtractionRow> rows_;
  ExtractionKey next_{1};
  TextIndex<ExtractionKey> by_id_;
  TextIndex<ExtractionKey> by_request_;
  absl::btree_map<std::string, ReleaseRow> releases_;
  absl::btree_map<std::string, ShortageRow> shortages_;
  DeadlineIndex<ExtractionKey> deadlines_, ends_, forgets_;
  DeadlineIndex<std::string> release_forgets_, shortage_ends_;
  std::uint64_t lacking_ = 0;
  std::uint64_t counts_[4] = {};
  Digest digest_;
};

}  // namespace holdfast
