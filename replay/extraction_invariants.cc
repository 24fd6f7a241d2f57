#include "replay/extraction_invariants.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "replay/time_text.h"

namespace holdfast::replay {
namespace {

constexpr Duration kLongestIntent = std::chrono::seconds(62);
constexpr Duration kSlack = std::chrono::seconds(5);  // for the entries of the step that ends it

std::string RequestOf(const ClientId& client, const std::string& request) {
  return absl::StrCat(client.value(), "/", request);
}

std::string Place(AddressKey key) { return absl::StrCat("address key ", key.value()); }

}  // namespace

void ExtractionInvariants::Begin(LogTime at) {
  if (!IsAbsent(last_at_)) uptime_ += at - last_at_;
  last_at_ = at;
}

Violation ExtractionInvariants::Overdue(LogTime at) {
  ExtractionKey first;
  if (!open_.empty() && uptime_ - open_.begin()->first >= kLongestIntent) first = open_.begin()->second;
  if (!standing_.empty() && at >= standing_.begin()->first) first = standing_.begin()->second;
  if (first != overdue_) overdue_since_ = uptime_;
  overdue_ = first;
  if (first.value() == 0 || uptime_ - overdue_since_ <= kSlack) return std::nullopt;
  const Extraction& row = extractions_[first];
  if (row.phase != Phase::kStanding) {
    return absl::StrCat(row.name, " waits for the pool store for longer than 62 s of uptime");
  }
  return absl::StrCat(row.name, " was to end at ", TimeText(row.ends_at), ", and has not");
}

void ExtractionInvariants::MoveEnds(Duration by) {
  standing_.clear();
  for (auto& [key, row] : extractions_) {
    if (row.phase != Phase::kStanding) continue;
    row.ends_at += by;
    standing_.insert({row.ends_at, key});
  }
  for (auto& [name, until] : requests_) {
    if (!IsAbsent(until)) until += by;
  }
}

void ExtractionInvariants::Erase(ExtractionKey key, const Extraction& row) {
  open_.erase({row.asked_at, key});
  standing_.erase({row.ends_at, key});
  extractions_.erase(key);
}

// ---- the run ----

Violation ExtractionInvariants::Check(const ControllerStarted& event, LogTime) {
  uptime_ -= std::min(uptime_, event.downtime);
  if (!store_foreign_) store_usable_ = false;
  if (!event.same_boot) MoveEnds(event.downtime);
  return std::nullopt;
}

Violation ExtractionInvariants::Check(const ClockAccepted& event, LogTime) {
  last_at_ += event.moved;
  MoveEnds(event.moved);
  return std::nullopt;
}

Violation ExtractionInvariants::Check(const WaitStarted&, LogTime) {
  waiting_ = true;
  return std::nullopt;
}

Violation ExtractionInvariants::Check(const WaitEnded&, LogTime) {
  waiting_ = false;
  if (store_foreign_) return std::string("a wait ended while the pool store was to be adopted first");
  return std::nullopt;
}

Violation ExtractionInvariants::Check(const PoolStoreJudged& event, LogTime) {
  store_usable_ = event.verdict == PoolStoreVerdict::kUsable;
  store_foreign_ = event.verdict == PoolStoreVerdict::kForeign || event.verdict == PoolStoreVerdict::kAhead;
  return std::nullopt;
}

Violation ExtractionInvariants::Check(const PoolResynced&, LogTime) {
  if (store_foreign_) return std::string("a pool store was written anew before it was adopted");
  store_usable_ = true;
  return std::nullopt;
}

Violation ExtractionInvariants::Check(const PoolAdopted&, LogTime) {
  store_foreign_ = store_usable_ = false;
  return std::nullopt;
}

// ---- the pool ----

Violation ExtractionInvariants::Check(const ProxyAdded& event, LogTime) {
  proxies_[event.proxy] = {event.address, event.state, true, false};
  addresses_.try_emplace(event.address);
  return std::nullopt;
}

void ExtractionInvariants::Revive(ProxyKey proxy, PoolState revived) {
  Proxy& row = proxies_[proxy];
  row.usable = true;
  if (row.state == PoolState::kExpired) row.state = revived;
}

Violation ExtractionInvariants::Check(const ProxyUpdated& event, LogTime) {
  Revive(event.proxy, event.revived);
  proxies_[event.proxy].leaving = false;
  return std::nullopt;
}

Violation ExtractionInvariants::Check(const ProxiesNamed& event, LogTime) {
  if (IsAbsent(event.expires_at)) return std::nullopt;
  for (const ProxyKey proxy : event.proxies) Revive(proxy, event.revived);
  return std::nullopt;
}

Violation ExtractionInvariants::Check(const ProxyUnusable& event, LogTime) {
  proxies_[event.proxy].usable = false;
  return std::nullopt;
}

Violation ExtractionInvariants::Check(const ProxyExpired& event, LogTime) {
  proxies_[event.proxy].usable = false;
  proxies_[event.proxy].state = PoolState::kExpired;
  return std::nullopt;
}

Violation ExtractionInvariants::Check(const ProxyStateChanged& event, LogTime) {
  proxies_[event.proxy].state = event.state;
  return std::nullopt;
}

Violation ExtractionInvariants::Check(const ProxyLeaving& event, LogTime) {
  proxies_[event.proxy].leaving = true;
  return std::nullopt;
}

Violation ExtractionInvariants::Check(const ProxyRemoved& event, LogTime) {
  const AddressKey address = proxies_[event.proxy].address;
  proxies_.erase(event.proxy);
  if (addresses_[address].extraction.value() == 0) return std::nullopt;
  return absl::StrCat("proxy ", event.proxy_id.value(), " was removed while a client has its machine");
}

Violation ExtractionInvariants::Check(const AddressRetired& event, LogTime) {
  const bool held = addresses_[event.address].extraction.value() != 0;
  addresses_.erase(event.address);
  if (!held) return std::nullopt;
  return absl::StrCat(Place(event.address), " was forgotten while a client has it");
}

// ---- ownership ----

Violation ExtractionInvariants::Check(const OwnershipGranted& event, LogTime) {
  Address& address = addresses_[event.address];
  address.granted = true;
  if (address.extraction.value() == 0) return std::nullopt;
  return absl::StrCat("address ", event.address_text, " was granted to worker ", event.worker_id.value(), " while ",
                      extractions_[address.extraction].name, " has it or asks for it");
}

Violation ExtractionInvariants::Check(const OwnershipReleased& event, LogTime) {
  addresses_[event.address].granted = false;
  return std::nullopt;
}

// ---- extractions ----

ExtractionInvariants::Extraction* ExtractionInvariants::Find(ExtractionKey key) {
  const auto found = extractions_.find(key);
  return found == extractions_.end() ? nullptr : &found->second;
}

std::string ExtractionInvariants::WrongWithProxy(ProxyKey key, AddressKey address) const {
  const auto found = proxies_.find(key);
  if (found == proxies_.end() || found->second.address != address) return "names a proxy that does not stand there";
  const Proxy& proxy = found->second;
  const bool given = proxy.usable && !proxy.leaving && proxy.state == PoolState::kAvailable;
  return given ? "" : absl::StrCat("names proxy key ", key.value(), ", which is not AVAILABLE");
}

std::string ExtractionInvariants::WrongWith(const ExtractionPrepared& event) const {
  if (waiting_ && !event.adopted) return "was asked for during a wait";
  if (!store_usable_ && !event.adopted) return "was asked for while the pool store may not be used";
  if (event.counts.size() != event.addresses.size()) return "does not say what of each address it would hand out";
  std::size_t next = 0;
  for (std::size_t i = 0; i < event.addresses.size(); ++i) {
    const auto found = addresses_.find(event.addresses[i]);
    if (found == addresses_.end()) return absl::StrCat("names ", Place(event.addresses[i]), ", which is not there");
    if (found->second.granted) return absl::StrCat("asks for ", Place(event.addresses[i]), ", which a worker has");
    if (found->second.extraction.value() != 0) {
      return absl::StrCat("asks for ", Place(event.addresses[i]), ", which another has or asks for");
    }
    for (std::uint32_t k = 0; k < event.counts[i]; ++k, ++next) {
      if (next >= event.proxies.size()) return "counts more proxies than it names";
      std::string wrong = event.adopted ? "" : WrongWithProxy(event.proxies[next], event.addresses[i]);
      if (!wrong.empty()) return wrong;
    }
    if (event.counts[i] == 0) return absl::StrCat("hands out nothing of ", Place(event.addresses[i]));
  }
  return next == event.proxies.size() ? "" : "names more proxies than it counts";
}

Violation ExtractionInvariants::Check(const ExtractionPrepared& event, LogTime) {
  const std::string name = absl::StrCat("extraction ", event.extraction_id.value());
  if (std::string wrong = WrongWith(event); !wrong.empty()) return absl::StrCat(name, " ", wrong);
  const std::string request = RequestOf(event.client_id, event.request_id);
  if (!event.request_id.empty() && !requests_.try_emplace(request).second) {
    return absl::StrCat(name, " is a second one of request ", request, ", which is known");
  }
  Extraction row{name, event.request_id.empty() ? "" : request, Phase::kAsked, event.adopted, {}, {}, uptime_, {}};
  std::size_t next = 0;
  for (std::size_t i = 0; i < event.addresses.size(); ++i) {
    row.addresses.insert(event.addresses[i]);
    addresses_[event.addresses[i]].extraction = event.extraction;
    for (std::uint32_t k = 0; k < event.counts[i]; ++k) row.proxies[event.proxies[next++]] = event.addresses[i];
  }
  open_.insert({row.asked_at, event.extraction});
  extractions_[event.extraction] = std::move(row);
  return std::nullopt;
}

Violation ExtractionInvariants::Check(const ExtractionDoubted& event, LogTime) {
  Extraction* row = Find(event.extraction);
  if (row == nullptr || row->phase != Phase::kAsked) {
    return absl::StrCat("extraction ", event.extraction_id.value(), " is doubted, and waits for no answer");
  }
  row->phase = Phase::kDoubted;
  return std::nullopt;
}

std::string ExtractionInvariants::WrongWith(const ProxiesExtracted& event, const Extraction& row, LogTime at) const {
  if (row.phase == Phase::kDoubted) return "is given after its client was told that there is none";
  if (row.phase != Phase::kAsked) return "is given twice";
  std::set<AddressKey> moved(event.addresses.begin(), event.addresses.end());
  std::set<AddressKey> all = moved;
  all.insert(event.returned.begin(), event.returned.end());
  if (all != row.addresses || event.addresses.size() + event.returned.size() != row.addresses.size()) {
    return "does not consist of what was asked for";
  }
  std::set<AddressKey> handed;
  for (const ProxyKey proxy : event.proxies) {
    const auto found = row.proxies.find(proxy);
    if (found == row.proxies.end() || !moved.contains(found->second)) return "hands out what was not moved";
    handed.insert(found->second);
  }
  if (handed != moved) return "holds an address of which nothing is handed out";
  if (event.ends_at < event.extracted_until) return "ends before its client's time is over";
  for (const ProxySpec& spec : event.specs) {
    const LogTime latest = std::max(spec.expires_at, at);
    if (!row.adopted && event.extracted_until > latest) return "is given for longer than a proxy of it lives";
  }
  return "";
}

Violation ExtractionInvariants::Check(const ProxiesExtracted& event, LogTime at) {
  const std::string name = absl::StrCat("extraction ", event.extraction_id.value());
  Extraction* row = Find(event.extraction);
  if (row == nullptr) return absl::StrCat(name, " is given without an intent");
  if (std::string wrong = WrongWith(event, *row, at); !wrong.empty()) return absl::StrCat(name, " ", wrong);
  for (const AddressKey address : event.returned) {
    addresses_[address].extraction = ExtractionKey();
    row->addresses.erase(address);
  }
  row->phase = Phase::kStanding;
  row->ends_at = event.ends_at;
  open_.erase({row->asked_at, event.extraction});
  standing_.insert({row->ends_at, event.extraction});
  return std::nullopt;
}

Violation ExtractionInvariants::Free(Extraction& row, ExtractionKey key, const std::vector<AddressKey>& addresses,
                                     const char* event) {
  for (const AddressKey address : addresses) {
    if (row.addresses.erase(address) == 0 || addresses_[address].extraction != key) {
      return absl::StrCat(event, " frees ", Place(address), ", which ", row.name, " does not have");
    }
    addresses_[address].extraction = ExtractionKey();
  }
  return std::nullopt;
}

Violation ExtractionInvariants::Check(const ExtractionGivenBack& event, LogTime) {
  Extraction* row = Find(event.extraction);
  if (row == nullptr || row->phase == Phase::kStanding) {
    return absl::StrCat("extraction ", event.extraction_id.value(), " is given back, and waits for no answer");
  }
  if (Violation violation = Free(*row, event.extraction, event.addresses, "extraction_given_back")) return violation;
  if (!row->addresses.empty()) return absl::StrCat(row->name, " is given back in part");
  requests_.erase(row->request);
  Erase(event.extraction, *row);
  return std::nullopt;
}

Violation ExtractionInvariants::Check(const ExtractionEnded& event, LogTime at) {
  Extraction* row = Find(event.extraction);
  if (row == nullptr || row->phase != Phase::kStanding) {
    return absl::StrCat("extraction ", event.extraction_id.value(), " ends, and does not stand");
  }
  if (event.reason != EndReason::kReleased && at < row->ends_at) {
    return absl::StrCat(row->name, " ends at ", TimeText(at), " though its client has it until ",
                        TimeText(row->ends_at));
  }
  if (Violation violation = Free(*row, event.extraction, event.addresses, "extraction_ended")) return violation;
  if (event.over != row->addresses.empty()) {
    return absl::StrCat(row->name, event.over ? " is over with" : " goes on without", " an address of its own");
  }
  if (!event.over) return std::nullopt;
  if (!row->request.empty()) requests_[row->request] = event.remembered_until;
  Erase(event.extraction, *row);
  return std::nullopt;
}

Violation ExtractionInvariants::Check(const RequestForgotten& event, LogTime at) {
  if (event.release) return std::nullopt;
  const auto found = requests_.find(RequestOf(event.client_id, event.request_id));
  if (found == requests_.end() || IsAbsent(found->second) || at < found->second) {
    return absl::StrCat("request ", event.request_id, " of client ", event.client_id.value(),
                        " is forgotten before its time");
  }
  requests_.erase(found);
  return std::nullopt;
}

}  // namespace holdfast::replay
