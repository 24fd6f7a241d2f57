#include "tools/judge/client_windows.h"

namespace holdfast::judge {

std::string Describe(const ClientHolding& holding, std::int64_t at_us) {
  return "client " + holding.client_id + " (extraction " + holding.extraction_id.substr(0, 8) + ") since " +
         std::to_string(holding.since_us) + " µs, until " + std::to_string(holding.until_us) + " µs (" +
         std::to_string(holding.until_us - at_us) + " µs from now)";
}

void ClientWindows::Take(const std::string& client_id, const distribution::v1::ExtractResponse& answer,
                         std::int64_t until_us, std::int64_t at_us) {
  const std::string& id = answer.extraction_id();
  std::map<std::string, std::string>& addresses = addresses_[id];
  for (const distribution::v1::ExtractedProxy& proxy : answer.proxies()) {
    const std::string address = AddressOf(proxy.endpoint(), proxy.secret_ref());
    addresses[proxy.proxy_id()] = address;
    ClientHolding& holding =
        holdings_[address].emplace(id, ClientHolding{client_id, id, at_us, until_us, {}}).first->second;
    holding.proxies.insert(proxy.proxy_id());
  }
  for (const std::string& address : AddressesOf(id)) Compare(address, holdings_[address][id], at_us);
}

void ClientWindows::Compare(const std::string& address, const ClientHolding& mine, std::int64_t at_us) {
  ForEach(address, at_us, [&](const ClientHolding& theirs) {
    if (theirs.extraction_id == mine.extraction_id) return;
    ++comparisons_;
    if (at_us >= mine.until_us) return;
    records_.Report(ViolationKind::kTwoHolders, at_us,
                    "address " + address + " has two holders at boot time " + std::to_string(at_us) +
                        " µs: " + Describe(mine, at_us) + "; and " + Describe(theirs, at_us));
  });
}

void ClientWindows::GiveBack(const std::string& extraction_id, const std::set<std::string>& proxy_ids) {
  const auto known = addresses_.find(extraction_id);
  if (known == addresses_.end()) return;
  for (const std::string& proxy_id : proxy_ids) {
    const auto address = known->second.find(proxy_id);
    if (address == known->second.end()) continue;
    ClientHolding& holding = holdings_[address->second][extraction_id];
    holding.proxies.erase(proxy_id);
    if (holding.proxies.empty()) Erase(address->second, extraction_id);
    known->second.erase(address);
  }
}

void ClientWindows::Forget(const std::string& extraction_id) {
  const auto known = addresses_.find(extraction_id);
  if (known == addresses_.end()) return;
  for (const auto& [proxy_id, address] : known->second) Erase(address, extraction_id);
  addresses_.erase(known);
}

std::set<std::string> ClientWindows::AddressesOf(const std::string& extraction_id) const {
  std::set<std::string> addresses;
  for (const auto& [proxy_id, address] : addresses_.at(extraction_id)) addresses.insert(address);
  return addresses;
}

void ClientWindows::Erase(const std::string& address, const std::string& extraction_id) {
  const auto found = holdings_.find(address);
  if (found == holdings_.end()) return;
  found->second.erase(extraction_id);
  if (found->second.empty()) holdings_.erase(found);
}

}  // namespace holdfast::judge
