// What folds promise: a digest changes with each row and returns when the change is undone; events that do not depend
// on each other may come in any order.

#include <gtest/gtest.h>

#include "projections/controller_state.h"
#include "tests/events/seeded_random.h"

namespace holdfast {
namespace {

using StateHash = std::array<std::uint8_t, 16>;

constexpr LogTime kNow = LogTimeFromMicros(1'800'000'000'000'000);
constexpr EntryPoint kPoint{Sequence(9), kNow};

struct Fold {
  ControllerState state;

  void operator()(const Event& event) { state.Apply(event, kPoint); }
  StateHash Hash() const { return state.StateDigest(); }
};

ProxyAdded Added(std::uint32_t proxy, std::uint32_t address, bool new_address, Scheme scheme = Scheme::kHttp) {
  ProxySpec spec;
  spec.proxy_id = ProxyId("p" + std::to_string(proxy));
  spec.endpoint = {scheme, "198.18.0." + std::to_string(address), 8080};
  spec.capacity = 1;
  spec.expires_at = kNow + std::chrono::hours(1);
  spec.usable_until = kNow + std::chrono::minutes(59);
  spec.source = "s";
  return {ProxyKey(proxy),       AddressKey(address), new_address, Boxed<ProxySpec>(spec),
          PoolState::kAvailable, Sequence(9),         {}};
}

SessionOpened Opened(std::uint32_t worker, std::uint64_t epoch, const std::string& session) {
  SessionOpened opened;
  opened.worker = WorkerKey(worker);
  opened.worker_id = WorkerId("w" + std::to_string(worker));
  opened.session_id = SessionId(session);
  opened.instance_id = InstanceId("i");
  opened.epoch = Epoch(epoch);
  opened.new_instance = true;
  opened.weight = 1;
  opened.max_proxies = 100;
  opened.max_message_bytes = 1'000'000;
  opened.capabilities = kCapabilityDelta;
  return opened;
}

// Two workers with a session each, six proxies on five addresses.
Fold Populated() {
  Fold fold;
  fold(LogCreated{LogId{1}, 100, true});
  fold(SettingsChanged{Settings()});
  for (std::uint32_t proxy = 1; proxy <= 5; ++proxy) fold(Added(proxy, proxy, true));
  fold(Added(6, 5, false, Scheme::kSocks5));
  for (std::uint32_t worker = 1; worker <= 2; ++worker) {
    fold(Opened(worker, 101, "s" + std::to_string(worker)));
    fold(SessionAttached{WorkerKey(worker), StreamId(worker), false});
    fold(SessionActivated{WorkerKey(worker)});
  }
  return fold;
}

OwnershipGranted Granted(std::uint32_t address, std::uint32_t worker) {
  return {AddressKey(address),
          "198.18.0." + std::to_string(address) + ":8080",
          WorkerKey(worker),
          WorkerId("w" + std::to_string(worker)),
          Epoch(101),
          SessionId("s" + std::to_string(worker)),
          kNow + std::chrono::seconds(40)};
}

ExtractionPrepared Prepared() {
  ExtractionPrepared prepared;
  prepared.extraction = ExtractionKey(1);
  prepared.extraction_id = ExtractionId("e1");
  prepared.client_id = ClientId("c1");
  prepared.request_id = "r1";
  prepared.addresses = {AddressKey(1)};
  prepared.proxies = {ProxyKey(1)};
  prepared.counts = {1};
  prepared.need = prepared.requested = 1;
  prepared.deadline = kNow;
  return prepared;
}

TEST(StateDigest, AnIntentThatIsGivenBackLeavesNothing) {
  Fold fold = Populated();
  const StateHash before = fold.Hash();

  fold(Prepared());
  EXPECT_NE(fold.Hash(), before);
  fold(ExtractionGivenBack{
      ExtractionKey(1), ExtractionId("e1"), ClientId("c1"), {AddressKey(1)}, GiveBackReason::kNoneMoved});

  EXPECT_EQ(fold.Hash(), before);
}

TEST(StateDigest, OfAnEmptyStateItIsTheSameEverywhereAndEveryEventChangesIt) {
  EXPECT_EQ(Fold().Hash(), Fold().Hash());
  const std::vector<Event> events = {
      ControllerStarted{1, 1, "0.1", "boot", false, Duration(0)},
      WaitStarted{WaitReason::kNewLog, kNow},
      ClockJumped{1, Duration(7)},
      HoldOffStarted{Duration(1), kNow},
      AlarmRaised{AlarmKind::kDiskLow, "", "low"},
      InputRejected{RejectReason::kSessionUnknown, "", "", {}, Duration(0)},
      RejectionsSuppressed{"peer", 4},
      HistoryLost{WorkerId("w1"), "", Epoch(1), Version(1)},
      SessionDetached{WorkerKey(1), StreamId(1), RejectReason::kUnspecified},
      SessionDraining{WorkerKey(1), DrainReason::kShutdown, kNow},
      SessionClosed{WorkerKey(1), SessionId("s1"), CloseReason::kExpired},
      OutcomesAccepted{WorkerKey(1), 4, 1, 0, 0, {}, {}, {}, {}},
      RuntimeAccepted{WorkerKey(1), 1, {}, {ProxyKey(1)}, {2}, {0}, 0, 0},
      ProxyUpdated{ProxyKey(1), Added(1, 1, true).spec, Sequence(10), PoolState::kAvailable},
      ProxiesNamed{{ProxyKey(2)}, Sequence(10), LogTime(), LogTime(), PoolState::kUnspecified},
      ProxyUnusable{ProxyKey(1)},
      ProxyExpired{ProxyKey(1)},
      ProxyRemoved{ProxyKey(1), ProxyId("p1"), RemovalReason::kOperator},
      RoutingsApplied{1, {}},
      Granted(1, 1),
      ClockAccepted{Duration(5), "the wall is right"},
      EligibilitySet{WorkerId("w1"), false, ""},
      EligibilitySet{WorkerId("never-seen"), false, ""},
      InstancesSwapped{WorkerKey(1), SessionId("s0"), kNow},
      ProxyLeaving{ProxyKey(1), ProxyId("p1"), RemovalReason::kOperator},
      Prepared(),
      ShortageNoted{ClientId("c1"), "r1", 2, kNow},
      PoolStoreJudged{PoolStoreVerdict::kUsable, "", Sequence(1)},
      PoolResynced{Sequence(4), 2},
  };
  for (const Event& event : events) {
    Fold fold = Populated();
    const StateHash before = fold.Hash();

    fold(event);

    EXPECT_NE(fold.Hash(), before) << "event " << event.index();
  }
}

TEST(StateDigest, ItTellsWhichAlarmAndWhichRejectionItIs) {
  Fold one = Populated(), other = Populated();

  one(AlarmRaised{AlarmKind::kDiskLow, "", "low"});
  other(AlarmRaised{AlarmKind::kHoldOff, "", "low"});

  EXPECT_NE(one.Hash(), other.Hash());
  one(AlarmCleared{AlarmKind::kDiskLow, ""});
  EXPECT_EQ(one.Hash(), Populated().Hash());
}

TEST(StateDigest, AHoldThatIsOverLeavesNothingButItsLastOwner) {
  const OwnershipReleased released{
      AddressKey(1), "", WorkerId("w1"), Epoch(101), EndReason::kLapsed, {}, {}, {}, {}, {}};
  Fold fold = Populated();
  fold(Granted(1, 1));
  fold(released);
  const Digest once = fold.state.ownership().digest();
  EXPECT_NE(once, Populated().state.ownership().digest());  // it knows where to go back to

  fold(Granted(1, 1));
  EXPECT_NE(fold.state.ownership().digest(), once);
  fold(released);

  EXPECT_EQ(fold.state.ownership().digest(), once);
  EXPECT_EQ(fold.state.audit().digest(), Populated().state.audit().digest());
}

TEST(StateDigest, AProxyThatCameAndWentLeavesOnlyTheNextKey) {
  Fold fold = Populated();
  const Digest pool = fold.state.pool().digest();
  const Digest ownership = fold.state.ownership().digest();
  const Digest audit = fold.state.audit().digest();

  fold(Added(7, 6, true));
  EXPECT_NE(fold.state.pool().digest(), pool);
  fold(ProxyRemoved{ProxyKey(7), ProxyId("p7"), RemovalReason::kOperator});
  fold(AddressRetired{AddressKey(6)});

  EXPECT_EQ(fold.state.pool().digest(), pool);
  EXPECT_EQ(fold.state.ownership().digest(), ownership);
  EXPECT_EQ(fold.state.audit().digest(), audit);
}

TEST(StateDigest, CountersThatReturnToZeroLeaveNothing) {
  Fold fold = Populated();
  fold(RuntimeAccepted{WorkerKey(1), 1, {}, {}, {}, {}, 0, 0});
  const Digest idle = fold.state.runtime().digest();

  fold(RuntimeAccepted{WorkerKey(1), 2, {}, {ProxyKey(1), ProxyKey(2)}, {3, 1}, {0, 1}, 0, 0});
  EXPECT_NE(fold.state.runtime().digest(), idle);
  EXPECT_EQ(fold.state.runtime().At(WorkerKey(1)).inflight, 5u);
  fold(RuntimeAccepted{WorkerKey(1), 3, {}, {ProxyKey(1), ProxyKey(2)}, {0, 0}, {0, 0}, 0, 0});

  EXPECT_EQ(fold.state.runtime().At(WorkerKey(1)).inflight, 0u);
  EXPECT_TRUE(fold.state.runtime().At(WorkerKey(1)).counters.empty());
  Fold straight = Populated();
  straight(RuntimeAccepted{WorkerKey(1), 3, {}, {}, {}, {}, 0, 0});
  EXPECT_EQ(fold.state.runtime().digest(), straight.state.runtime().digest());
}

TEST(Folding, EventsThatDoNotDependOnEachOtherMayComeInAnyOrder) {
  std::vector<Event> events;
  for (std::uint32_t address = 1; address <= 5; ++address) events.push_back(Granted(address, 1 + address % 2));
  for (std::uint32_t worker = 1; worker <= 2; ++worker) {
    events.push_back(SessionHeard{WorkerKey(worker)});
    events.push_back(OutcomesAccepted{WorkerKey(worker), 5, 2, 1, 0, {}, {}, {}, {}});
  }
  events.push_back(RoutingsApplied{1, {RoutingSpec{"r", {"*"}, {}, {}, {}, {}, {}}}});
  events.push_back(AlarmRaised{AlarmKind::kDiskLow, "", "low"});
  events.push_back(AlarmRaised{AlarmKind::kHoldOff, "", "off"});
  Fold straight = Populated();
  for (const Event& event : events) straight(event);

  testing::SeededRandom random(17);
  for (int round = 0; round < 50; ++round) {
    for (std::size_t i = events.size(); i > 1; --i) std::swap(events[i - 1], events[random.Below(i)]);
    Fold shuffled = Populated();
    for (const Event& event : events) shuffled(event);

    ASSERT_EQ(shuffled.Hash(), straight.Hash());
    ASSERT_EQ(shuffled.state.ownership().lapses().Due(kNow + std::chrono::hours(1), 99),
              straight.state.ownership().lapses().Due(kNow + std::chrono::hours(1), 99));
  }
}

TEST(Folding, TheLeastLoadedComesFirstInWhateverOrderGrantsCame) {
  const std::vector<std::vector<std::uint32_t>> orders = {{1, 2, 3}, {3, 2, 1}, {2, 3, 1}};
  for (const std::vector<std::uint32_t>& order : orders) {
    Fold fold = Populated();
    for (const std::uint32_t address : order) fold(Granted(address, address == 3 ? 2 : 1));

    const Load& least = *fold.state.ownership().candidates(false).begin();

    EXPECT_EQ(least.id, "w2");
    EXPECT_EQ(least.owned, 1u);
  }
}

TEST(Ownership, ProxiesAreCountedByPoolAndOwnershipState) {
  Fold fold = Populated();
  const Ownership& ownership = fold.state.ownership();
  EXPECT_EQ(ownership.count(PoolState::kAvailable, OwnershipState::kUnowned), 6u);

  fold(Granted(5, 1));
  EXPECT_EQ(ownership.count(PoolState::kAvailable, OwnershipState::kUnowned), 4u);
  EXPECT_EQ(ownership.count(PoolState::kAvailable, OwnershipState::kGranted), 2u);
  EXPECT_TRUE(ownership.anything_held());
  fold(ProxyExpired{ProxyKey(6)});
  EXPECT_EQ(ownership.count(PoolState::kExpired, OwnershipState::kGranted), 1u);
  fold(OwnershipReleased{AddressKey(5), "", WorkerId("w1"), Epoch(101), EndReason::kLapsed, {}, {}, {}, {}, {}});
  EXPECT_EQ(ownership.count(PoolState::kAvailable, OwnershipState::kUnowned), 5u);
  EXPECT_FALSE(ownership.anything_held());
}

TEST(Pool, WhatAnImportDidNotNameIsFoundInTheOrderOfItsLastImport) {
  Fold fold = Populated();  // all named by sequence 9
  fold(ProxiesNamed{{ProxyKey(4), ProxyKey(2)}, Sequence(20), LogTime(), LogTime(), PoolState::kUnspecified});
  const Pool& pool = fold.state.pool();

  EXPECT_EQ(pool.NotNamed("s", Sequence(20), 99),
            (std::vector<ProxyKey>{ProxyKey(1), ProxyKey(3), ProxyKey(5), ProxyKey(6)}));
  EXPECT_EQ(pool.NotNamed("s", Sequence(20), 2), (std::vector<ProxyKey>{ProxyKey(1), ProxyKey(3)}));
  EXPECT_EQ(pool.NotNamed("s", Sequence(21), 99).size(), 6u);
  EXPECT_TRUE(pool.NotNamed("other", Sequence(21), 99).empty());
}

TEST(Pool, WhatIsNotExpiredIsDueOnce) {
  Fold fold = Populated();
  const Pool& pool = fold.state.pool();
  EXPECT_EQ(pool.unusable_at().Earliest(), kNow + std::chrono::minutes(59));
  EXPECT_EQ(pool.expired_at().Earliest(), kNow + std::chrono::hours(1));

  for (std::uint32_t proxy = 1; proxy <= 6; ++proxy) fold(ProxyUnusable{ProxyKey(proxy)});
  EXPECT_TRUE(pool.unusable_at().empty());
  for (std::uint32_t proxy = 1; proxy <= 6; ++proxy) fold(ProxyExpired{ProxyKey(proxy)});
  EXPECT_TRUE(pool.expired_at().empty());
}

TEST(Audit, OpenPeriodsAreOneForEachProxyThatStoodOnTheAddress) {
  Fold fold = Populated();
  fold(Granted(5, 1));
  fold(Added(7, 5, false, Scheme::kHttps));
  fold(ProxyRemoved{ProxyKey(5), ProxyId("p5"), RemovalReason::kOperator});

  const std::vector<OwnershipPeriod> open = fold.state.audit().Open(AddressKey(5));

  ASSERT_EQ(open.size(), 3u);  // the one that left as well: it was held while the period ran
  EXPECT_EQ(open[0].proxy_id, "p5");
  EXPECT_EQ(open[0].worker_id, "w1");
  EXPECT_TRUE(IsAbsent(open[0].ended_at));
  EXPECT_TRUE(fold.state.audit().Open(AddressKey(4)).empty());
}

}  // namespace
}  // namespace holdfast
