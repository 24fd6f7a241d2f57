// The truth that the checkers of the fleet find: how much of it is dead, when it changes, and what a check sees of it.

#include <gtest/gtest.h>

#include <set>

#include "tools/fleet/checker_process.h"
#include "tools/fleet/proxy_truth.h"

namespace holdfast::fleet {
namespace {

namespace wire = controlplane::v1;

constexpr std::int64_t kSecond = 1'000'000;
constexpr int kProxies = 4'000;

std::string Proxy(int number) { return "proxy-" + std::to_string(number); }

double DeadShareAt(const ProxyTruth& truth, std::int64_t at_us) {
  int dead = 0;
  for (int i = 0; i < kProxies; ++i) dead += truth.At(Proxy(i), at_us).alive ? 0 : 1;
  return static_cast<double>(dead) / kProxies;
}

TEST(ProxyTruth, TheShareOfTheDeadIsWhatWasAskedForAtAnyMoment) {
  for (const double share : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    const ProxyTruth truth({.seed = 3, .dead_share = share, .flip_every_us = 60 * kSecond, .egress_is_checked = true});
    for (const std::int64_t at : {0, 77, 12'345}) {
      EXPECT_NEAR(DeadShareAt(truth, at * kSecond), share, 0.03) << at;
    }
  }
}

TEST(ProxyTruth, OneSeedIsOneTruthAndAnotherIsAnother) {
  const ProxyTruth truth({.seed = 1, .dead_share = 0.5, .flip_every_us = 0, .egress_is_checked = true});
  const ProxyTruth same({.seed = 1, .dead_share = 0.5, .flip_every_us = 0, .egress_is_checked = true});
  const ProxyTruth other({.seed = 2, .dead_share = 0.5, .flip_every_us = 0, .egress_is_checked = true});
  int differences = 0;

  for (int i = 0; i < kProxies; ++i) {
    EXPECT_EQ(truth.At(Proxy(i), 0).alive, same.At(Proxy(i), 0).alive);
    differences += truth.At(Proxy(i), 0).alive == other.At(Proxy(i), 0).alive ? 0 : 1;
  }

  EXPECT_NEAR(differences, kProxies / 2, kProxies / 20);
}

TEST(ProxyTruth, WithoutFlipsNothingEverChanges) {
  const ProxyTruth truth({.seed = 1, .dead_share = 0.5, .flip_every_us = 0, .egress_is_checked = true});

  for (int i = 0; i < 100; ++i) {
    const ProxyTruth::State late = truth.At(Proxy(i), 100'000 * kSecond);
    EXPECT_EQ(late.alive, truth.At(Proxy(i), 0).alive);
    EXPECT_EQ(late.since_us, 0);
  }
}

// Walks through time and holds `since` against what was seen on the way.
TEST(ProxyTruth, SinceIsWhenTheTruthBecameWhatItIs) {
  constexpr std::int64_t kStep = kSecond / 4;
  const ProxyTruth truth({.seed = 9, .dead_share = 0.6, .flip_every_us = 10 * kSecond, .egress_is_checked = true});
  int changing = 0;
  for (int i = 0; i < 50; ++i) {
    ProxyTruth::State last = truth.At(Proxy(i), 0);
    int changes = 0;
    for (std::int64_t at = kStep; at < 200 * kSecond; at += kStep) {
      const ProxyTruth::State now = truth.At(Proxy(i), at);
      if (now.alive == last.alive) {
        EXPECT_EQ(now.since_us, last.since_us);
      } else {
        ++changes;
        EXPECT_GT(now.since_us, at - kStep);
        EXPECT_LE(now.since_us, at);
      }
      last = now;
    }
    if (changes == 0) continue;
    ++changing;
    EXPECT_NEAR(changes, 20, 2) << "one each flip_every";
  }
  EXPECT_GT(changing, 10);
}

TEST(ProxyTruth, OneInFiveOfTheDeadFailsAtEgressAloneWhereThatIsChecked) {
  const ProxyTruth deep({.seed = 1, .dead_share = 1.0, .flip_every_us = 0, .egress_is_checked = true});
  const ProxyTruth shallow({.seed = 1, .dead_share = 1.0, .flip_every_us = 0, .egress_is_checked = false});
  int at_egress = 0;

  for (int i = 0; i < kProxies; ++i) {
    if (deep.Passes(Proxy(i), wire::CHECK_LEVEL_BASIC, "", 0)) ++at_egress;
    EXPECT_FALSE(deep.Passes(Proxy(i), wire::CHECK_LEVEL_EGRESS, "", 0));
    EXPECT_FALSE(deep.Passes(Proxy(i), wire::CHECK_LEVEL_TARGET, "r1", 0));
    EXPECT_FALSE(shallow.Passes(Proxy(i), wire::CHECK_LEVEL_BASIC, "", 0));
  }

  EXPECT_NEAR(at_egress, kProxies / 5, kProxies / 25);
}

TEST(ProxyTruth, OneRoutingInTenDoesNotWorkThroughALivingProxy) {
  const ProxyTruth truth({.seed = 1, .dead_share = 0.0, .flip_every_us = 0, .egress_is_checked = true});
  int failing = 0;

  for (int i = 0; i < kProxies; ++i) {
    failing += truth.Passes(Proxy(i), wire::CHECK_LEVEL_TARGET, "r1", 0) ? 0 : 1;
    EXPECT_TRUE(truth.Passes(Proxy(i), wire::CHECK_LEVEL_EGRESS, "", 0));
  }

  EXPECT_NEAR(failing, kProxies / 10, kProxies / 40);
}

TEST(ProxyTruth, ALatencyStaysWithinItsRangeAndWithItsProxy) {
  const ProxyTruth truth({.seed = 1, .dead_share = 0.0, .flip_every_us = 0, .egress_is_checked = true});
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1'000; ++i) {
    const std::int64_t latency = truth.LatencyUs(Proxy(i));
    EXPECT_GE(latency, 5'000);
    EXPECT_LE(latency, 500'000);
    EXPECT_EQ(latency, truth.LatencyUs(Proxy(i)));
    seen.insert(latency);
  }
  EXPECT_GT(seen.size(), 900U);
}

// ---- what a check sees of it

class ObservationOfTest : public ::testing::Test {
 protected:
  // The first proxy of which this holds.
  template <class Holds>
  std::string Find(const Holds& holds) const {
    for (int i = 0; i < kProxies; ++i) {
      if (holds(Proxy(i))) return Proxy(i);
    }
    ADD_FAILURE() << "no such proxy";
    return "";
  }
  wire::HealthObservation Check(const std::string& proxy_id, wire::CheckLevel level) const {
    wire::CheckTask task;
    task.set_task_id("t1");
    task.set_proxy_id(proxy_id);
    task.set_level(level);
    return ObservationOf(truth_, task, 0);
  }
  bool FailsAtBasic(const std::string& proxy_id) const {
    return !truth_.Passes(proxy_id, wire::CHECK_LEVEL_BASIC, "", 0);
  }

  const ProxyTruth truth_{{.seed = 1, .dead_share = 0.5, .flip_every_us = 0, .egress_is_checked = true}};
};

TEST_F(ObservationOfTest, ADeadProxyRefusesOrDoesNotAnswerWhateverIsAsked) {
  const std::string refuses = Find([&](const std::string& id) { return FailsAtBasic(id) && truth_.Refuses(id); });
  const std::string silent = Find([&](const std::string& id) { return FailsAtBasic(id) && !truth_.Refuses(id); });

  for (const auto level : {wire::CHECK_LEVEL_BASIC, wire::CHECK_LEVEL_EGRESS, wire::CHECK_LEVEL_TARGET}) {
    EXPECT_EQ(Check(refuses, level).verdict(), wire::VERDICT_FAIL);
    EXPECT_EQ(Check(refuses, level).phase(), wire::OUTCOME_PHASE_DIAL);
    EXPECT_EQ(Check(refuses, level).error(), wire::OUTCOME_ERROR_REFUSED);
    EXPECT_EQ(Check(silent, level).error(), wire::OUTCOME_ERROR_TIMEOUT);
  }
}

TEST_F(ObservationOfTest, AProxyThatFailsAtEgressPassesBasic) {
  const std::string proxy = Find([&](const std::string& id) { return !truth_.At(id, 0).alive && !FailsAtBasic(id); });

  EXPECT_EQ(Check(proxy, wire::CHECK_LEVEL_BASIC).verdict(), wire::VERDICT_PASS);
  EXPECT_EQ(Check(proxy, wire::CHECK_LEVEL_EGRESS).verdict(), wire::VERDICT_FAIL);
  EXPECT_EQ(Check(proxy, wire::CHECK_LEVEL_EGRESS).phase(), wire::OUTCOME_PHASE_RESPONSE_HEADERS);
}

TEST_F(ObservationOfTest, ALivingProxySaysWhereItComesOut) {
  const std::string proxy = Find([&](const std::string& id) { return truth_.At(id, 0).alive; });

  const wire::HealthObservation observation = Check(proxy, wire::CHECK_LEVEL_EGRESS);

  EXPECT_EQ(observation.task_id(), "t1");
  EXPECT_EQ(observation.verdict(), wire::VERDICT_PASS);
  EXPECT_EQ(observation.error(), wire::OUTCOME_ERROR_NONE);
  EXPECT_EQ(observation.egress_ip().substr(0, 10), "203.0.113.");
  EXPECT_EQ(observation.anonymity(), wire::ANONYMITY_ELITE);
  EXPECT_EQ(observation.http_status(), 200U);
  EXPECT_EQ(Check(proxy, wire::CHECK_LEVEL_BASIC).http_status(), 0U) << "nobody was asked";
}

TEST_F(ObservationOfTest, NothingIsConcludedOfWhatMayReallyBeThere) {
  for (const std::string proxy :
       {"http://127.0.0.1:8080", "socks5://[::1]:1080", "socks5://me@127.0.0.1:1080", "http://localhost:3128"}) {
    EXPECT_FALSE(ProxyTruth::Knows(proxy)) << proxy;
    EXPECT_EQ(Check(proxy, wire::CHECK_LEVEL_BASIC).verdict(), wire::VERDICT_INCONCLUSIVE) << proxy;
  }
  for (const std::string proxy : {"http://198.18.127.1:8080", "socks5://127.0.0.1@198.18.0.1:1080", "proxy-1"}) {
    EXPECT_TRUE(ProxyTruth::Knows(proxy)) << proxy;
    EXPECT_NE(Check(proxy, wire::CHECK_LEVEL_BASIC).verdict(), wire::VERDICT_INCONCLUSIVE) << proxy;
  }
}

}  // namespace
}  // namespace holdfast::fleet
