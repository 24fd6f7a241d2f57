// What of the pool has changed since an entry: which rows of the store have to be written again, however often they
// changed.
//
// Fed with committed events, before each is folded; or, after a start, with those of the log's tail, when the state
// before them is not at hand any more: what an event does not say itself is missing then (complete). Emptied by the
// feed, which makes rows of it from the state. Thread: the owner's. Does not know rows.

#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <string>
#include <vector>

#include "events/event.h"
#include "pool/pool_store.h"
#include "projections/controller_state.h"

namespace holdfast::pool {

struct AddressChange {
  Sequence last;                // entry that changed it
  std::string previous_owner;   // before the first change; empty: none
  std::string ends_extraction;  // that is over with it; empty: none
  std::string removed;          // its text where it has left the pool; else empty
  bool with_proxies = false;    // what stands on it is written as well: it may have changed while it was EXTRACTING
};

struct ProxyChange {
  Sequence last;
  std::string removed;  // its id where it has left the pool; else empty
};

class Changes {
 public:
  using Addresses = absl::btree_map<AddressKey, AddressChange>;
  using Proxies = absl::btree_map<ProxyKey, ProxyChange>;

  // before: the state that the event has not been applied to; nullptr: not at hand.
  void Note(const Event& event, Sequence sequence, const ControllerState* before);
  // It was an intent that the store never heard of: nothing ends there.
  void ForgetEnd(const ExtractionGivenBack& event);
  // Of what came after these.
  void Append(const Changes& later);

  // False: something is changed that cannot be named.
  bool complete() const { return complete_; }
  bool empty() const { return addresses_.empty() && proxies_.empty() && workers_.empty() && !ends_moved_; }
  std::size_t size() const { return addresses_.size() + proxies_.size() + workers_.size(); }

  Addresses& addresses() { return addresses_; }
  Proxies& proxies() { return proxies_; }
  // Whose session changed.
  absl::btree_set<WorkerKey>& workers() { return workers_; }
  // Their answers may be forgotten.
  std::vector<Settled>& settled() { return settled_; }
  // The ends of all standing extractions have moved.
  bool& ends_moved() { return ends_moved_; }

 private:
  struct Noting;
  AddressChange& Touch(AddressKey address, Sequence sequence, const ControllerState* before);
  void TouchProxy(ProxyKey proxy, Sequence sequence);

  Addresses addresses_;
  Proxies proxies_;
  absl::btree_set<WorkerKey> workers_;
  std::vector<Settled> settled_;
  bool ends_moved_ = false;
  bool complete_ = true;
};

}  // namespace holdfast::pool
