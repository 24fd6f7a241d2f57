// What the pool store holds, row by row, and how a row is written.
//
//   UNOWNED ─► GRANTED ─► REVOKING ─► LAPSING ─► UNOWNED     all of these by address writes, as the log says
//      └─ Extract ─► EXTRACTED ─ an address write that names this extraction ─► UNOWNED
//
// Made by the projector, carried out by the stores. Thread: plain values. Promises nothing by itself: check.h says what
// a well-formed write is. Ids are texts as the log names them (an address: `[secret_ref@]host:port`); an absent time is
// 0.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/log_time.h"

namespace holdfast::pool {

enum class AddressState : std::uint8_t { kUnowned, kGranted, kRevoking, kLapsing, kExtracted };

// "unowned", "granted", ...
std::string_view AddressStateName(AddressState state);
std::optional<AddressState> ParseAddressState(std::string_view word);
// Whether an address in this state has a worker as its owner.
constexpr bool HasOwner(AddressState state) {
  return state == AddressState::kGranted || state == AddressState::kRevoking || state == AddressState::kLapsing;
}

struct AddressRow {
  std::string id;
  AddressState state = AddressState::kUnowned;
  std::string owner;  // a worker id; empty: none
  Epoch epoch;        // of that worker
  Sequence sequence;  // of the entry that the row follows from
  // Until when some proxy on it may be used, and is AVAILABLE; nullopt: none is. Below 2^53 microseconds.
  std::optional<LogTime> available_until;
  std::string extraction_id;  // EXTRACTED: under which
  LogTime extracted_until;    // EXTRACTED: its end
  friend bool operator==(const AddressRow&, const AddressRow&) = default;
};

struct ProxyRow {
  std::string id;
  std::string address;
  std::string scheme;    // "socks5h"
  std::string health;    // "available", "suspect", ...
  LogTime usable_until;  // absent: not known
  Sequence sequence;
  friend bool operator==(const ProxyRow&, const ProxyRow&) = default;
};

inline constexpr std::size_t kMaxSessionFields = 64;

// What readers outside may know of a worker's session. It vanishes by the store's own clock, and nothing is decided by
// that.
struct SessionRow {
  std::string worker;
  std::vector<std::pair<std::string, std::string>> fields;  // at least one; names differ
  Duration ttl{};                                           // from the write; at least a millisecond
  friend bool operator==(const SessionRow&, const SessionRow&) = default;
};

// Puts the row in place of the one that was there. While the row there is EXTRACTED, it is left alone and counted as
// refused unless the write says EXTRACTED under the same id, or ends that extraction.
struct AddressWrite {
  AddressRow row;
  std::string previous_owner;     // the owner before, whose index loses the address; empty: none, or the same
  std::string ends_extraction{};  // the extraction that ends with it; empty: none
};

// Takes the row away, under the same condition.
struct AddressRemoval {
  std::string id;
  std::string previous_owner;
  std::string ends_extraction{};
};

struct ProxyRemoval {
  std::string id;
};

struct SessionRemoval {
  std::string worker;
};

using Write = std::variant<AddressWrite, AddressRemoval, ProxyRow, ProxyRemoval, SessionRow, SessionRemoval>;

}  // namespace holdfast::pool
