// Which machine is which client's at present, and whether two clients have one at once.
//
// A machine is a client's from the moment at which the answer that gave it had come (it was given before) until a
// release of all that was handed out of it was sent, at the latest until log time may have reached extracted_until.
// Both ends err on the side of too short, so what overlaps did overlap. The holder is the extraction: one client with
// two of them on one machine is two holders.
// Fed in the order of time by ClientJudge; workers are compared with this by WindowJudge. One thread at a time.

#pragma once

#include <map>
#include <set>
#include <string>

#include "tools/judge/records.h"

namespace holdfast::judge {

struct ClientHolding {
  std::string client_id;
  std::string extraction_id;
  std::int64_t since_us = 0;
  std::int64_t until_us = 0;
  std::set<std::string> proxies;  // handed out of the machine, and not given back
};

// "client c1 (extraction 0123abcd) since 5 µs, until 9 µs (4 µs from now)"
std::string Describe(const ClientHolding& holding, std::int64_t at_us);

class ClientWindows {
 public:
  explicit ClientWindows(Records& records) : records_(records) {}

  bool Knows(const std::string& extraction_id) const { return addresses_.contains(extraction_id); }

  // What the answer gives is the client's from here on. Requires: !Knows of its extraction.
  void Take(const std::string& client_id, const distribution::v1::ExtractResponse& answer, std::int64_t until_us,
            std::int64_t at_us);
  // Of an extraction that is not known (any more): nothing to do.
  void GiveBack(const std::string& extraction_id, const std::set<std::string>& proxy_ids);
  void Forget(const std::string& extraction_id);

  // The addresses of an extraction. Requires: Knows.
  std::set<std::string> AddressesOf(const std::string& extraction_id) const;

  // Calls visit(holding) for each client that may use it at that instant.
  template <class Visit>
  void ForEach(const std::string& address, std::int64_t at_us, const Visit& visit) const {
    const auto found = holdings_.find(address);
    if (found == holdings_.end()) return;
    for (const auto& [extraction_id, holding] : found->second) {
      if (at_us < holding.until_us) visit(holding);
    }
  }

  // Pairs of clients that were compared so far.
  std::uint64_t comparisons() const { return comparisons_; }

 private:
  void Compare(const std::string& address, const ClientHolding& mine, std::int64_t at_us);
  void Erase(const std::string& address, const std::string& extraction_id);

  Records& records_;
  std::map<std::string, std::map<std::string, ClientHolding>> holdings_;  // by address, by extraction_id
  std::map<std::string, std::map<std::string, std::string>> addresses_;   // by extraction_id, by proxy_id
  std::uint64_t comparisons_ = 0;
};

}  // namespace holdfast::judge
