// Who may use which address when, and whether two may at once.
//
// A process may use an address from the update that lists it ACTIVE or SUSPECT until min(valid_until, expires_at) +
// lapse_grace of the last update that listed it other than HELD, on the conservative clock of that update's session;
// sooner where a later update lists it no more (or DRAINING, or HELD) and nothing of it runs any more. What really
// runs counts as use, whatever the windows say. A process that is gone uses nothing. Nor may a process use what is a
// client's at that moment.
// Fed in the order of time by the Judge. The unit is the address (host, port, secret_ref). Clients among themselves:
// ClientWindows.

#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/judge/client_windows.h"
#include "tools/judge/records.h"

namespace holdfast::judge {

class WindowJudge {
 public:
  WindowJudge(Records& records, const ClientWindows& clients) : records_(records), clients_(clients) {}

  void OnTaken(const Who& who, const SessionRecord& session, const VersionRecord& version, std::int64_t at_us);
  void OnUseBegan(const Who& who, const std::string& proxy_id, std::int64_t at_us);
  void OnUseEnded(const Who& who, const std::string& proxy_id, std::int64_t at_us);
  void OnDied(const Who& who);
  // A client was given the machine.
  void OnGivenToClient(const std::string& address, std::int64_t at_us);

  // Pairs of holders that were compared so far: that something was judged at all.
  std::uint64_t comparisons() const { return comparisons_; }

 private:
  struct Window {
    std::int64_t limit_us = 0;  // log time, lapse_grace included
    std::shared_ptr<const ConservativeClock> clock;
    std::uint64_t version = 0;
  };
  struct Holding {
    bool may_reserve = false;     // some proxy of it is ACTIVE or SUSPECT in the view that is held
    std::uint64_t running = 0;    // requests that really run
    std::int64_t since_us = 0;    // when it was first allowed in this stretch
    std::vector<Window> windows;  // the latest of each session
    std::int64_t EndsAt() const;  // boot time
  };
  struct Process {
    std::map<std::string, Holding> holdings;        // by address
    std::map<std::string, std::string> address_of;  // by proxy_id, also of what is listed no more
    std::map<std::string, std::uint64_t> running;   // by proxy_id
    std::set<std::string> usable_proxies;           // ACTIVE or SUSPECT in the view that is held
  };

  static void Extend(Holding& holding, const SessionRecord& session, const VersionRecord& version,
                     std::int64_t expires_us);
  void Compare(const Who& who, const std::string& address, std::int64_t at_us);
  void CompareWithClients(const Who& who, const std::string& address, std::int64_t at_us);
  void Forget(const Who& who, Process& process, std::int64_t at_us);
  static bool MayUse(const Holding& holding, std::int64_t at_us);
  static std::string Describe(const Who& who, const Holding& holding, std::int64_t at_us);

  Records& records_;
  const ClientWindows& clients_;
  std::map<Who, Process> processes_;
  std::map<std::string, std::set<Who>> holders_;  // by address: who has a holding
  std::set<std::tuple<std::string, Who, Who>> reported_;
  std::set<std::tuple<std::string, Who, std::string>> reported_clients_;  // the last is an extraction
  std::uint64_t comparisons_ = 0;
};

}  // namespace holdfast::judge
