// Which proxies an import has met, and where first: a few bytes each, whatever their names are.
//
// Owned by Admission. An open-addressing table of 128-bit hashes of (scheme, host, port, user name), so that a list of
// millions of lines costs 32 bytes a proxy and at most twice that. Promises: never walked, so no order can come out of
// it. Two proxies of one hash would count as one: at 2^-128 that is left out.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/endpoint.h"
#include "tools/import/credential.h"

namespace holdfast::importer {

struct FirstSeen {
  std::uint32_t file = 0;  // a number of the caller's
  std::uint64_t line = 0;
};

class IdentitySet {
 public:
  IdentitySet();

  // Where it was met before; nothing, and it is remembered, if it was not.
  std::optional<FirstSeen> Insert(const Endpoint& endpoint, const std::optional<Credential>& credential,
                                  FirstSeen where);
  std::size_t size() const { return used_; }
  // How many slots were looked at in all: the work, for those who count it.
  std::uint64_t probes() const { return probes_; }

 private:
  struct Slot {
    std::uint64_t low = 0;
    std::uint64_t high = 0;  // both 0: free
    std::uint64_t line = 0;
    std::uint32_t file = 0;
  };

  Slot* Find(std::uint64_t low, std::uint64_t high);
  void Grow();

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::uint64_t probes_ = 0;
};

}  // namespace holdfast::importer
