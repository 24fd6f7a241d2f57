// Extractions: that a client has only what was nobody's and AVAILABLE, by an answer of the store, until its end, and
// that no intent and no extraction outlives its bound. From the events alone, with accounts of its own: shares nothing
// with the projections or the rules.
//
// What it finds: an intent for an address that somebody has, that another intent holds, or of which nothing is
// AVAILABLE; one during a wait, or while the store may not be used; an extraction of what was no candidate, or after
// its client was told that there is none; a grant, a removal or a forgetting of what a client has; an end before its
// time; a request that is decided twice; an intent that is open longer than 62 s of uptime, an extraction longer than
// its end.
//
// Life cycle: handed every event of a log in order, from the first; Begin before those of an entry, Overdue after them.
// Thread: one at a time. Cost: an event costs what it names. After a violation it is not to be used further.

#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "events/extraction_events.h"
#include "events/health_events.h"
#include "events/ownership_events.h"
#include "replay/session_invariants.h"

namespace holdfast::replay {

class ExtractionInvariants {
 public:
  void Begin(LogTime at);
  // What should have ended by now.
  Violation Overdue(LogTime at);

  Violation Check(const ControllerStarted& event, LogTime at);
  Violation Check(const ClockAccepted& event, LogTime at);
  Violation Check(const WaitStarted& event, LogTime at);
  Violation Check(const WaitEnded& event, LogTime at);
  Violation Check(const ProxyAdded& event, LogTime at);
  Violation Check(const ProxyUpdated& event, LogTime at);
  Violation Check(const ProxiesNamed& event, LogTime at);
  Violation Check(const ProxyUnusable& event, LogTime at);
  Violation Check(const ProxyExpired& event, LogTime at);
  Violation Check(const ProxyStateChanged& event, LogTime at);
  Violation Check(const ProxyLeaving& event, LogTime at);
  Violation Check(const ProxyRemoved& event, LogTime at);
  Violation Check(const AddressRetired& event, LogTime at);
  Violation Check(const OwnershipGranted& event, LogTime at);
  Violation Check(const OwnershipReleased& event, LogTime at);
  Violation Check(const ExtractionPrepared& event, LogTime at);
  Violation Check(const ExtractionDoubted& event, LogTime at);
  Violation Check(const ProxiesExtracted& event, LogTime at);
  Violation Check(const ExtractionGivenBack& event, LogTime at);
  Violation Check(const ExtractionEnded& event, LogTime at);
  Violation Check(const RequestForgotten& event, LogTime at);
  Violation Check(const PoolStoreJudged& event, LogTime at);
  Violation Check(const PoolResynced& event, LogTime at);
  Violation Check(const PoolAdopted& event, LogTime at);

 private:
  enum class Phase { kAsked, kDoubted, kStanding };
  struct Proxy {
    AddressKey address;
    PoolState state{};
    bool usable = true, leaving = false;
  };
  struct Address {
    bool granted = false;
    ExtractionKey extraction;  // that asks for it or has it; 0: none
  };
  struct Extraction {
    std::string name;  // for people
    std::string request;
    Phase phase = Phase::kAsked;
    bool adopted = false;
    std::set<AddressKey> addresses;
    std::map<ProxyKey, AddressKey> proxies;  // that would be handed out
    Duration asked_at{};                     // in uptime
    LogTime ends_at;
  };

  void Revive(ProxyKey proxy, PoolState revived);
  Violation Free(Extraction& row, ExtractionKey key, const std::vector<AddressKey>& addresses, const char* event);
  std::string WrongWith(const ExtractionPrepared& event) const;
  std::string WrongWith(const ProxiesExtracted& event, const Extraction& row, LogTime at) const;
  std::string WrongWithProxy(ProxyKey proxy, AddressKey address) const;
  Extraction* Find(ExtractionKey key);
  void MoveEnds(Duration by);
  void Erase(ExtractionKey key, const Extraction& row);

  absl::flat_hash_map<ProxyKey, Proxy> proxies_;
  absl::flat_hash_map<AddressKey, Address> addresses_;
  std::map<ExtractionKey, Extraction> extractions_;
  std::set<std::pair<Duration, ExtractionKey>> open_;     // by when they were asked for, in uptime
  std::set<std::pair<LogTime, ExtractionKey>> standing_;  // by their ends
  std::map<std::string, LogTime> requests_;               // that are known; absent: it stands, or is asked for
  bool waiting_ = false, store_usable_ = false, store_foreign_ = false;
  LogTime last_at_;
  Duration uptime_{};
  Duration overdue_since_{-1};  // in uptime: the earliest that should have ended is still there; -1: there is none
  ExtractionKey overdue_;
};

}  // namespace holdfast::replay
