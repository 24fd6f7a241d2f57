// Stories that chance writes, with clients, as the verifier judges them: it finds nothing wrong. Of sessions these
// stories say what no server would (a stream that never was ends), so those are left out.

#include <gtest/gtest.h>

#include "replay/drain_invariants.h"
#include "replay/extraction_invariants.h"
#include "replay/health_invariants.h"
#include "replay/window_invariants.h"
#include "tests/controller/random_clients.h"

namespace holdfast::replay {
namespace {

struct Judges {
  WindowInvariants windows;
  DrainInvariants drains;
  HealthInvariants health;
  ExtractionInvariants extractions;

  template <class Judge, class E>
  static Violation Ask(Judge& judge, const E& event, LogTime at) {
    if constexpr (requires { judge.Check(event, at); }) return judge.Check(event, at);
    return std::nullopt;
  }
  template <class E>
  Violation Check(const E& event, LogTime at) {
    Violation found = Ask(windows, event, at);
    if (!found) found = Ask(drains, event, at);
    if (!found) found = Ask(health, event, at);
    return found ? found : Ask(extractions, event, at);
  }
  Violation Check(const testing::LoggedEntry& entry) {
    drains.Begin(entry.point.sequence);
    health.Begin(entry.point.sequence);
    extractions.Begin(entry.point.at);
    for (const Event& event : entry.events) {
      Violation found = std::visit([&](const auto& e) { return Check(e, entry.point.at); }, event);
      if (found) return found;
    }
    return extractions.Overdue(entry.point.at);
  }
};

TEST(RandomClientInvariants, HoldAtEverySequence) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    testing::RandomClients random(seed);
    Judges judges;
    std::size_t checked = 0;
    for (int step = 0; step < 400; ++step) {
      random.Step();
      const auto& entries = random.story().entries();
      for (; checked < entries.size(); ++checked) {
        const Violation violation = judges.Check(entries[checked]);
        ASSERT_FALSE(violation.has_value()) << "seed " << seed << ", step " << step << ": " << *violation;
      }
    }
  }
}

}  // namespace
}  // namespace holdfast::replay
