// Stories that chance writes, with clients: whatever happens, no machine has two users, what was decided once is
// decided again, and it folds to the same.

#include <gtest/gtest.h>

#include <map>

#include "events/event_codec.h"
#include "tests/controller/random_clients.h"

namespace holdfast::testing {
namespace {

constexpr int kClientSteps = 400;

// What the state says of addresses, extractions and candidates at once.
std::string Disagrees(const ControllerState& state) {
  std::map<std::uint64_t, std::uint64_t> held;
  std::string wrong;
  state.pool().addresses().ForEach([&](AddressKey key, const AddressRow&) {
    const HoldRow& hold = state.ownership().hold(key);
    const bool client = hold.state == OwnershipState::kExtracting || hold.state == OwnershipState::kExtracted;
    if (client != (hold.extraction.value() != 0)) wrong = "an address and its extraction disagree";
    if (client && hold.owner.value() != 0) wrong = "a worker and a client have one address";
    if (client) ++held[hold.extraction.value()];
    const bool offered = hold.state == OwnershipState::kUnowned && hold.grantable();
    bool listed = false;
    for (const Offer& offer : state.ownership().offers().all(hold.needs_secret)) listed |= offer.second == key;
    if (offered != listed) wrong = "an address is offered wrongly";
  });
  state.extractions().rows().ForEach([&](ExtractionKey key, const ExtractionRow& row) {
    const std::size_t out = row.phase == ExtractionPhase::kOver ? 0 : row.addresses.size();
    if (held[key.value()] != out) wrong = "an extraction has other addresses than say so";
  });
  return wrong;
}

TEST(RandomClientStories, NoMachineEverHasTwoUsers) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomClients random(seed);
    for (int step = 0; step < kClientSteps; ++step) {
      random.Step();
      ASSERT_EQ(random.Broken(), "") << "seed " << seed << ", step " << step;
      ASSERT_EQ(Disagrees(random.story().state()), "") << "seed " << seed << ", step " << step;
    }
    for (const LoggedEntry& entry : random.story().entries()) {
      for (const Event& event : entry.events) ++seen[std::string(EventName(event))];
    }
  }

  for (const char* name : {"extraction_prepared", "extraction_doubted", "proxies_extracted", "extraction_given_back",
                           "extraction_ended", "shortage_noted", "pool_adopted", "ownership_granted"}) {
    EXPECT_GT(seen[name], 20) << name;
  }
}

TEST(RandomClientStories, WhatWasDecidedOnceIsDecidedAgainAndFoldsToTheSame) {
  for (std::uint64_t seed = 100; seed < 110; ++seed) {
    RandomClients random(seed);
    for (int step = 0; step < kClientSteps; ++step) random.Step();

    ControllerState state;
    for (const LoggedEntry& entry : random.story().entries()) {
      const Decision again = Decide(state, entry.input, {entry.point.at, entry.point.sequence, entry.principal});
      ASSERT_EQ(again.events, entry.events) << "seed " << seed << ", sequence " << entry.point.sequence.value();
      std::string bytes;
      EncodeEvents(entry.events, bytes);
      std::vector<Event> stored;
      ASSERT_TRUE(DecodeEvents(bytes, stored).ok());
      for (const Event& event : stored) state.Apply(event, entry.point);
      state.Passed(entry.point);
    }
    EXPECT_EQ(state.StateDigest(), random.story().state().StateDigest());
  }
}

}  // namespace
}  // namespace holdfast::testing
