#include "tools/judge/window_judge.h"

#include <algorithm>
#include <limits>

namespace holdfast::judge {

std::int64_t WindowJudge::Holding::EndsAt() const {
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (const Window& window : windows) end = std::max(end, window.clock->Reaches(window.limit_us));
  return end;
}

bool WindowJudge::MayUse(const Holding& holding, std::int64_t at_us) {
  return holding.running > 0 || (holding.may_reserve && at_us < holding.EndsAt());
}

void WindowJudge::Extend(Holding& holding, const SessionRecord& session, const VersionRecord& version,
                         std::int64_t expires_us) {
  const std::int64_t limit = std::min(version.valid_until_us, expires_us) + session.lapse_grace_us;
  for (Window& window : holding.windows) {
    if (window.clock != session.clock) continue;
    if (limit > window.limit_us) window = {limit, session.clock, version.version};
    return;
  }
  holding.windows.push_back({limit, session.clock, version.version});
}

void WindowJudge::OnTaken(const Who& who, const SessionRecord& session, const VersionRecord& version,
                          std::int64_t at_us) {
  Process& process = processes_[who];
  process.usable_proxies.clear();
  std::map<std::string, bool> before;
  for (auto& [address, holding] : process.holdings) {
    before[address] = MayUse(holding, at_us);
    holding.may_reserve = false;
  }
  for (const auto& [proxy_id, proxy] : version.content->proxies) {
    const wire::ProxyGrant& grant = proxy->grant;
    const bool usable = grant.state() == wire::GRANT_STATE_ACTIVE || grant.state() == wire::GRANT_STATE_SUSPECT;
    if (!usable && grant.state() != wire::GRANT_STATE_DRAINING) continue;
    const std::string address = AddressOf(grant);
    process.address_of[proxy_id] = address;
    Holding& holding = process.holdings[address];
    holders_[address].insert(who);
    Extend(holding, session, version, MicrosOf(grant.expires_at()));
    if (!usable) continue;
    process.usable_proxies.insert(proxy_id);
    if (!before[address]) holding.since_us = at_us;
    before[address] = true;
    holding.may_reserve = true;
  }
  for (const auto& [address, holding] : process.holdings) {
    if (MayUse(holding, at_us)) Compare(who, address, at_us);
  }
  Forget(who, process, at_us);
}

void WindowJudge::OnUseBegan(const Who& who, const std::string& proxy_id, std::int64_t at_us) {
  Process& process = processes_[who];
  const auto known = process.address_of.find(proxy_id);
  if (known == process.address_of.end()) {
    records_.Report(ViolationKind::kWorkerUse, at_us,
                    Name(who) + " began to use proxy " + proxy_id + ", which it was never given");
    return;
  }
  Holding& holding = process.holdings[known->second];
  holders_[known->second].insert(who);
  if (!process.usable_proxies.contains(proxy_id)) {
    records_.Report(ViolationKind::kWorkerUse, at_us,
                    Name(who) + " began to use proxy " + proxy_id +
                        ", which its view does not list as ACTIVE or SUSPECT; " + Describe(who, holding, at_us));
  } else if (at_us >= holding.EndsAt()) {
    records_.Report(
        ViolationKind::kWorkerUse, at_us,
        Name(who) + " began to use proxy " + proxy_id + " after its window; " + Describe(who, holding, at_us));
  }
  ++holding.running;
  ++process.running[proxy_id];
  Compare(who, known->second, at_us);
}

void WindowJudge::OnUseEnded(const Who& who, const std::string& proxy_id, std::int64_t at_us) {
  Process& process = processes_[who];
  const auto running = process.running.find(proxy_id);
  if (running == process.running.end() || running->second == 0) {
    records_.Report(ViolationKind::kWorkerUse, at_us, Name(who) + " ended a use of " + proxy_id + " that never began");
    return;
  }
  --running->second;
  Holding& holding = process.holdings[process.address_of[proxy_id]];
  --holding.running;
  const std::int64_t end = holding.EndsAt();
  if (at_us >= end) {
    records_.Report(ViolationKind::kWorkerUse, at_us,
                    Name(who) + " used proxy " + proxy_id + " until " + std::to_string(at_us - end) +
                        " µs past its window; " + Describe(who, holding, at_us));
  }
}

void WindowJudge::OnDied(const Who& who) {
  const auto process = processes_.find(who);
  if (process == processes_.end()) return;
  for (const auto& [address, holding] : process->second.holdings) {
    const auto holders = holders_.find(address);
    if (holders == holders_.end()) continue;
    holders->second.erase(who);
    if (holders->second.empty()) holders_.erase(holders);
  }
  processes_.erase(process);
}

void WindowJudge::Compare(const Who& who, const std::string& address, std::int64_t at_us) {
  const Holding& mine = processes_[who].holdings[address];
  for (const Who& other : holders_[address]) {
    if (other == who) continue;
    ++comparisons_;
    const Holding& theirs = processes_[other].holdings[address];
    if (!MayUse(theirs, at_us)) continue;
    const bool first_time = reported_.emplace(address, std::min(who, other), std::max(who, other)).second;
    if (!first_time) continue;
    records_.Report(ViolationKind::kTwoHolders, at_us,
                    "address " + address + " has two holders at boot time " + std::to_string(at_us) +
                        " µs: " + Describe(who, mine, at_us) + "; and " + Describe(other, theirs, at_us));
  }
  CompareWithClients(who, address, at_us);
}

void WindowJudge::CompareWithClients(const Who& who, const std::string& address, std::int64_t at_us) {
  const Holding& mine = processes_[who].holdings[address];
  clients_.ForEach(address, at_us, [&](const ClientHolding& theirs) {
    ++comparisons_;
    if (!MayUse(mine, at_us) || !reported_clients_.emplace(address, who, theirs.extraction_id).second) return;
    records_.Report(ViolationKind::kTwoHolders, at_us,
                    "address " + address + " has two holders at boot time " + std::to_string(at_us) +
                        " µs: " + Describe(who, mine, at_us) + "; and " + judge::Describe(theirs, at_us));
  });
}

void WindowJudge::OnGivenToClient(const std::string& address, std::int64_t at_us) {
  const auto holders = holders_.find(address);
  if (holders == holders_.end()) return;
  for (const Who& who : holders->second) CompareWithClients(who, address, at_us);
}

void WindowJudge::Forget(const Who& who, Process& process, std::int64_t at_us) {
  // A holding that can never count again unless a new update lists it: nothing runs, not reservable, window over.
  for (auto holding = process.holdings.begin(); holding != process.holdings.end();) {
    const bool over = holding->second.running == 0 && !holding->second.may_reserve && at_us >= holding->second.EndsAt();
    if (!over) {
      ++holding;
      continue;
    }
    const auto holders = holders_.find(holding->first);
    holders->second.erase(who);
    if (holders->second.empty()) holders_.erase(holders);
    std::erase_if(process.address_of, [&](const auto& entry) { return entry.second == holding->first; });
    holding = process.holdings.erase(holding);
  }
}

std::string WindowJudge::Describe(const Who& who, const Holding& holding, std::int64_t at_us) {
  std::string text = Name(who) + (holding.may_reserve ? " may reserve it" : " may not reserve it") + ", " +
                     std::to_string(holding.running) + " running, since " + std::to_string(holding.since_us) + " µs";
  for (const Window& window : holding.windows) {
    const std::int64_t end = window.clock->Reaches(window.limit_us);
    text += ", by version " + std::to_string(window.version) + " until log time " + std::to_string(window.limit_us) +
            " µs = boot time " + std::to_string(end) + " µs (" + std::to_string(end - at_us) + " µs from now)";
  }
  return text;
}

}  // namespace holdfast::judge
