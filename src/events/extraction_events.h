// Events of extraction, and of the store that it goes through. Each: written when, meaning of fields, who folds it:
// docs/event_catalog.md.

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/log_time.h"
#include "events/pool_events.h"
#include "events/vocabulary.h"

namespace holdfast {

// XXH3-128 of what a request asks for.
using RequestHash = std::array<std::uint8_t, 16>;

// An intent: the store is asked to move these addresses. Until its answer is committed they are EXTRACTING.
struct ExtractionPrepared {
  static constexpr std::uint32_t kNumber = 130;
  static constexpr std::string_view kName = "extraction_prepared";
  ExtractionKey extraction;
  ExtractionId extraction_id;
  ClientId client_id;
  std::string request_id;
  RequestHash content_hash{};
  std::vector<AddressKey> addresses;
  std::vector<ProxyKey> proxies;      // that would be handed out, address after address
  std::vector<std::uint32_t> counts;  // of each address: how many of them
  std::uint64_t need = 0;             // fewer moves none
  std::uint64_t requested = 0;
  bool all_or_nothing = false;
  Duration hold{};       // 0: until usable_until
  LogTime deadline;      // of the store's answer
  bool adopted = false;  // another log gave it; nobody is asked
  friend bool operator==(const ExtractionPrepared&, const ExtractionPrepared&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.extraction);
    field(2, self.extraction_id);
    field(3, self.client_id);
    field(4, self.request_id);
    field(5, self.content_hash);
    field(6, self.addresses);
    field(7, self.proxies);
    field(8, self.counts);
    field(9, self.need);
    field(10, self.requested);
    field(11, self.all_or_nothing);
    field(12, self.hold);
    field(13, self.deadline);
    field(14, self.adopted);
  }
};

// The client was told POOL_UNAVAILABLE: the intent can only be given back.
struct ExtractionDoubted {
  static constexpr std::uint32_t kNumber = 131;
  static constexpr std::string_view kName = "extraction_doubted";
  ExtractionKey extraction;
  ExtractionId extraction_id;
  LogTime deadline;  // it is given back then, whatever the store says
  friend bool operator==(const ExtractionDoubted&, const ExtractionDoubted&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.extraction);
    field(2, self.extraction_id);
    field(3, self.deadline);
  }
};

struct ProxiesExtracted {
  static constexpr std::uint32_t kNumber = 132;
  static constexpr std::string_view kName = "proxies_extracted";
  ExtractionKey extraction;
  ExtractionId extraction_id;
  ClientId client_id;
  std::vector<AddressKey> addresses;  // that the store has moved
  std::vector<AddressKey> returned;   // candidates that it has not
  std::vector<ProxyKey> proxies;      // handed out
  std::vector<ProxySpec> specs;       // of each, as the client is told it: capacity is the machine's
  LogTime extracted_until;
  LogTime ends_at;         // extracted_until and the grace
  EndReason end_reason{};  // what it ends by if nobody gives it back
  friend bool operator==(const ProxiesExtracted&, const ProxiesExtracted&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.extraction);
    field(2, self.extraction_id);
    field(3, self.client_id);
    field(4, self.addresses);
    field(5, self.returned);
    field(6, self.proxies);
    field(7, self.specs);
    field(8, self.extracted_until);
    field(9, self.ends_at);
    field(10, self.end_reason);
  }
};

// An intent ended, and nobody has anything of it.
struct ExtractionGivenBack {
  static constexpr std::uint32_t kNumber = 133;
  static constexpr std::string_view kName = "extraction_given_back";
  ExtractionKey extraction;
  ExtractionId extraction_id;
  ClientId client_id;
  std::vector<AddressKey> addresses;
  GiveBackReason reason{};
  friend bool operator==(const ExtractionGivenBack&, const ExtractionGivenBack&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.extraction);
    field(2, self.extraction_id);
    field(3, self.client_id);
    field(4, self.addresses);
    field(5, self.reason);
  }
};

// An extraction, or a part of it, is over.
struct ExtractionEnded {
  static constexpr std::uint32_t kNumber = 134;
  static constexpr std::string_view kName = "extraction_ended";
  ExtractionKey extraction;
  ExtractionId extraction_id;
  ClientId client_id;
  EndReason reason{};
  std::vector<AddressKey> addresses;  // of which nothing is out any more
  std::vector<ProxyKey> proxies;      // given back by this
  bool over = false;                  // nothing of it is left
  std::string request_id;             // of the release
  RequestHash content_hash{};         // of the release
  LogTime remembered_until;           // this release, and the extraction's request where it is over
  friend bool operator==(const ExtractionEnded&, const ExtractionEnded&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.extraction);
    field(2, self.extraction_id);
    field(3, self.client_id);
    field(4, self.reason);
    field(5, self.addresses);
    field(6, self.proxies);
    field(7, self.over);
    field(8, self.request_id);
    field(9, self.content_hash);
    field(10, self.remembered_until);
  }
};

struct RequestForgotten {
  static constexpr std::uint32_t kNumber = 135;
  static constexpr std::string_view kName = "request_forgotten";
  ClientId client_id;
  std::string request_id;
  bool release = false;  // of a release; else of an extraction
  friend bool operator==(const RequestForgotten&, const RequestForgotten&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.client_id);
    field(2, self.request_id);
    field(3, self.release);
  }
};

// A client lacked so many addresses: they are asked back from workers and kept for it a while.
struct ShortageNoted {
  static constexpr std::uint32_t kNumber = 136;
  static constexpr std::string_view kName = "shortage_noted";
  ClientId client_id;
  std::string request_id;
  std::uint64_t lacking = 0;  // 0: not any more
  LogTime until;
  friend bool operator==(const ShortageNoted&, const ShortageNoted&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.client_id);
    field(2, self.request_id);
    field(3, self.lacking);
    field(4, self.until);
  }
};

// What the store was found to be when the controller met it.
struct PoolStoreJudged {
  static constexpr std::uint32_t kNumber = 140;
  static constexpr std::string_view kName = "pool_store_judged";
  PoolStoreVerdict verdict{};
  std::string log_id;  // as it shows it; empty: it holds nothing
  Sequence applied_sequence;
  friend bool operator==(const PoolStoreJudged&, const PoolStoreJudged&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.verdict);
    field(2, self.log_id);
    field(3, self.applied_sequence);
  }
};

// The store was written anew from the state.
struct PoolResynced {
  static constexpr std::uint32_t kNumber = 141;
  static constexpr std::string_view kName = "pool_resynced";
  Sequence applied_sequence;
  std::uint64_t proxies = 0;  // written
  friend bool operator==(const PoolResynced&, const PoolResynced&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.applied_sequence);
    field(2, self.proxies);
  }
};

// An operator says that the store is this log's from now on.
struct PoolAdopted {
  static constexpr std::uint32_t kNumber = 142;
  static constexpr std::string_view kName = "pool_adopted";
  std::string previous_log_id;
  Sequence previous_applied_sequence;
  std::string reason;
  friend bool operator==(const PoolAdopted&, const PoolAdopted&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.previous_log_id);
    field(2, self.previous_applied_sequence);
    field(3, self.reason);
  }
};

}  // namespace holdfast
