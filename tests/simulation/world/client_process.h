// One process of a simulated client: extracts machines and gives them back, by docs/extraction.md "What each answer
// means", with what it is told as its only knowledge.
//
//   wish ─ Extract ─► answer lost, POOL_UNAVAILABLE, …: again under the same request_id ─► proxies ─► uses them
//                                                        uses ─► gives back, in parts or whole, or their time is over
//
// Uses everything that it is given without a pause, until it says that it gives it back, or `extracted_until` by the
// latest that log time can be. Thread: one. Kept by its host to the end of the world.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "holdfast/distribution/v1/distribution.pb.h"
#include "tests/simulation/world/process.h"
#include "tests/simulation/world/session_clock.h"

namespace holdfast::simulation {

// What stays the same over all processes of one client.
struct ClientIdentity {
  std::string client_id;
  bool resolves_secrets = false;
  Micros pace = kSecond;  // between wishes, about
};

class ClientProcess final : public Process {
 public:
  ClientProcess(World& world, Network& network, Controller& controller, const MachineClock& clock,
                const ClientIdentity& identity, const std::string& name);

  void Start() { WishTick(); }
  // It is gone, and gives nothing back.
  void Die();
  // It asks for nothing more; some of what it has it gives back.
  void Rest();
  void EndFaults() { EndPauseAndCut(); }

  // For callers that are no good client.
  std::string AnyExtraction() const;
  std::string LastRequest() const { return last_request_; }
  const ClientIdentity& identity() const { return identity_; }

 private:
  using ExtractRequest = distribution::v1::ExtractRequest;
  using ReleaseRequest = distribution::v1::ReleaseRequest;
  struct Holding {
    std::map<std::string, std::string> proxies;  // that it still has: address by id
    SessionClock clock;
    std::int64_t until_us = 0;  // log time
    bool over = false;
  };

  void WishTick();
  ExtractRequest DrawWish();
  void DrawFilters(ExtractRequest& request);
  void Extract(const ExtractRequest& request, int tries);
  void Extracted(const ExtractRequest& request, int tries, std::int64_t sent_boot, const CallAnswer& answer);
  void Take(const distribution::v1::ExtractResponse& response, std::int64_t sent_boot);
  void Drop(const std::string& extraction_id, const std::string& proxy_id);
  void EndOf(const std::string& extraction_id);
  void ReleaseTick();
  void GiveBack(const std::string& extraction_id, bool whole);
  void Release(const ReleaseRequest& request, int tries);

  const ClientIdentity identity_;
  bool resting_ = false;
  std::uint64_t requests_ = 0;
  std::string last_request_;
  std::map<std::string, Holding> holdings_;    // by extraction id
  std::map<std::string, std::uint64_t> used_;  // by address: through how many proxies
};

}  // namespace holdfast::simulation
