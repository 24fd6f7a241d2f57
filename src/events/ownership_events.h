// Events of ownership, by address. Each: written when, meaning of fields, who folds it: docs/event_catalog.md.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/log_time.h"
#include "events/vocabulary.h"

namespace holdfast {

struct OwnershipGranted {
  static constexpr std::uint32_t kNumber = 80;
  static constexpr std::string_view kName = "ownership_granted";
  AddressKey address;
  std::string address_text;
  WorkerKey worker;
  WorkerId worker_id;
  Epoch epoch;
  SessionId session_id;
  LogTime owned_until;
  friend bool operator==(const OwnershipGranted&, const OwnershipGranted&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.address);
    field(2, self.address_text);
    field(3, self.worker);
    field(4, self.worker_id);
    field(5, self.epoch);
    field(6, self.session_id);
    field(7, self.owned_until);
  }
};

struct OwnershipLapsing {
  static constexpr std::uint32_t kNumber = 81;
  static constexpr std::string_view kName = "ownership_lapsing";
  WorkerKey worker;
  WorkerId worker_id;
  Epoch epoch;
  LapseCause cause{};
  RevokeReason revoke_reason{};
  std::vector<AddressKey> addresses;
  std::vector<LogTime> owned_until;  // of each of them
  friend bool operator==(const OwnershipLapsing&, const OwnershipLapsing&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
    field(2, self.worker_id);
    field(3, self.epoch);
    field(4, self.cause);
    field(5, self.revoke_reason);
    field(6, self.addresses);
    field(7, self.owned_until);
  }
};

struct OwnershipResumed {
  static constexpr std::uint32_t kNumber = 82;
  static constexpr std::string_view kName = "ownership_resumed";
  WorkerKey worker;
  WorkerId worker_id;
  Epoch epoch;
  SessionId session_id;
  std::vector<AddressKey> addresses;
  friend bool operator==(const OwnershipResumed&, const OwnershipResumed&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
    field(2, self.worker_id);
    field(3, self.epoch);
    field(4, self.session_id);
    field(5, self.addresses);
  }
};

struct OwnershipReleased {
  static constexpr std::uint32_t kNumber = 83;
  static constexpr std::string_view kName = "ownership_released";
  AddressKey address;
  std::string address_text;
  WorkerId worker_id;
  Epoch epoch;
  EndReason reason{};
  Version target_version;
  Sequence issue_sequence;      // the drain certificate, with kDrained: what showed it DRAINING,
  Sequence ack_sequence;        // what acknowledged that,
  Sequence report_sequence;     // and the report that said zero
  std::vector<ProxyKey> ready;  // proxies that waited for this: their ids stood here
  friend bool operator==(const OwnershipReleased&, const OwnershipReleased&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.address);
    field(2, self.address_text);
    field(3, self.worker_id);
    field(4, self.epoch);
    field(5, self.reason);
    field(6, self.target_version);
    field(7, self.issue_sequence);
    field(8, self.ack_sequence);
    field(9, self.report_sequence);
    field(10, self.ready);
  }
};

// Asked back from the instance that has it, which is shown it DRAINING. Of one that is asked back already: a sooner
// deadline.
struct OwnershipRevoked {
  static constexpr std::uint32_t kNumber = 84;
  static constexpr std::string_view kName = "ownership_revoked";
  WorkerKey worker;
  WorkerId worker_id;
  Epoch epoch;
  RevokeReason reason{};
  LogTime deadline;  // absent: none
  std::vector<AddressKey> addresses;
  std::string principal;  // who asked; empty: the controller itself
  friend bool operator==(const OwnershipRevoked&, const OwnershipRevoked&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
    field(2, self.worker_id);
    field(3, self.epoch);
    field(4, self.reason);
    field(5, self.deadline);
    field(6, self.addresses);
    field(7, self.principal);
  }
};

// What an earlier instance of the worker may still be using: this one is shown it HELD.
struct OwnershipHeld {
  static constexpr std::uint32_t kNumber = 85;
  static constexpr std::string_view kName = "ownership_held";
  WorkerKey worker;
  WorkerId worker_id;
  Epoch epoch;
  SessionId session_id;
  std::vector<AddressKey> addresses;
  friend bool operator==(const OwnershipHeld&, const OwnershipHeld&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.worker);
    field(2, self.worker_id);
    field(3, self.epoch);
    field(4, self.session_id);
    field(5, self.addresses);
  }
};

}  // namespace holdfast
