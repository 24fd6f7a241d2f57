// Ownership history: the periods under way, and, handed to the log as they end, those that are over.
//
// A period belongs to an address; it is kept for each proxy that stood on the address while it ran. What ended is not
// part of the state: it is a row of the block that ended it (column family ownership_periods).
//
// Thread: the state's owner. Covers nothing that a decision needs.

#pragma once

#include <absl/container/btree_set.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "events/extraction_events.h"
#include "events/ownership_events.h"
#include "events/pool_events.h"
#include "events/run_events.h"
#include "projections/projection.h"
#include "projections/row_table.h"

namespace holdfast {

// One holder's time with one proxy. Also the stored row (log.v1.StoredPeriod).
struct OwnershipPeriod {
  std::string proxy_id;
  std::string address;
  std::string worker_id;
  std::string session_id;
  Epoch epoch;
  LogTime granted_at;
  Sequence granted_sequence;
  LogTime revoked_at;  // absent: not asked back; also when its session was over
  Sequence revoked_sequence;
  RevokeReason revoke_reason{};
  LapseCause lapse_cause{};
  LogTime owned_until;  // fixed when it began to lapse; absent: moves with its updates
  LogTime ended_at;     // absent: still held
  Sequence ended_sequence;
  EndReason end_reason{};
  std::string revoked_by;  // a principal; empty: the controller itself
  // The drain certificate, with kDrained.
  Version target_version;
  Sequence issue_sequence, ack_sequence, report_sequence;
  // Instead of a worker with its session and epoch.
  std::string client_id;
  std::string extraction_id;

  friend bool operator==(const OwnershipPeriod&, const OwnershipPeriod&) = default;
  template <class Self, class F>
  static void Fields(Self& self, F&& field) {
    field(1, self.proxy_id);
    field(2, self.address);
    field(3, self.worker_id);
    field(4, self.session_id);
    field(5, self.epoch);
    field(6, self.granted_at);
    field(7, self.granted_sequence);
    field(8, self.revoked_at);
    field(9, self.revoked_sequence);
    field(10, self.revoke_reason);
    field(11, self.lapse_cause);
    field(12, self.owned_until);
    field(13, self.ended_at);
    field(14, self.ended_sequence);
    field(15, self.end_reason);
    field(16, self.revoked_by);
    field(17, self.target_version);
    field(18, self.issue_sequence);
    field(19, self.ack_sequence);
    field(20, self.report_sequence);
    field(21, self.client_id);
    field(22, self.extraction_id);
  }
};

// Row keys of ended periods: by proxy and by worker or client, each in the order of granted_sequence.
std::string PeriodKeyPrefixOfProxy(const std::string& proxy_id);
std::string PeriodKeyPrefixOfWorker(const std::string& worker_id);
std::string PeriodKeyPrefixOfClient(const std::string& client_id);

class Audit {
 public:
  static constexpr std::uint32_t kVersion = 3;

  void Apply(const ProxyAdded& event, const EntryPoint& entry);
  void Apply(const ProxyRemoved& event, const EntryPoint& entry);
  void Apply(const AddressRetired& event, const EntryPoint& entry);
  void Apply(const OwnershipGranted& event, const EntryPoint& entry);
  void Apply(const OwnershipRevoked& event, const EntryPoint& entry);
  void Apply(const OwnershipLapsing& event, const EntryPoint& entry);
  void Apply(const OwnershipResumed& event, const EntryPoint& entry);
  void Apply(const OwnershipReleased& event, const EntryPoint& entry);
  void Apply(const ProxiesExtracted& event, const EntryPoint& entry);
  void Apply(const ExtractionEnded& event, const EntryPoint& entry);
  void Apply(const ControllerStarted& event, const EntryPoint& entry);
  void Apply(const ClockAccepted& event, const EntryPoint& entry);

  // The periods under way on an address, one for each proxy that stood on it meanwhile; empty: nobody holds it.
  std::vector<OwnershipPeriod> Open(AddressKey address) const;

  // Periods that ended since the last call, in the order of their ends. The sequencer writes them with the block.
  std::vector<OwnershipPeriod> TakeEnded();

  Digest digest() const { return digest_; }

 private:
  struct Hold {
    OwnershipPeriod period;                 // without proxy_id and address
    std::vector<Boxed<ProxySpec>> proxies;  // all that stood on it while it ran
  };
  struct Row {
    std::vector<std::pair<ProxyKey, Boxed<ProxySpec>>> standing;
    std::unique_ptr<Hold> hold;
  };
  Hold& Begin(AddressKey address, const EntryPoint& entry);
  void End(AddressKey address, const OwnershipPeriod& how, const EntryPoint& entry);
  void MoveEnds(Duration by);
  std::vector<OwnershipPeriod> Periods(const Hold& hold) const;
  static Digest HashOf(AddressKey address, const Hold& hold);
  static void NoteRevoke(OwnershipPeriod& period, RevokeReason reason, const EntryPoint& entry);

  RowTable<AddressKey, Row> addresses_;
  RowTable<ProxyKey, AddressKey> address_of_;
  absl::btree_set<AddressKey> extracted_;
  std::vector<OwnershipPeriod> ended_;
  Digest digest_;
};

}  // namespace holdfast
