// The request path under real threads: slots, the pinned view, the gate.

#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "client/slot_registry.h"
#include "client/traffic_gate.h"
#include "tests/client/wire_builders.h"

namespace holdfast::client {
namespace {

constexpr BootTime kNow{std::chrono::hours(1)};
constexpr int kThreads = 4;

// Runs `work(thread)` in kThreads threads that begin together.
template <class Work>
void InThreads(const Work& work) {
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

SnapshotViewPointer View(std::uint64_t version, const std::vector<wire::ProxyGrant>& grants, SlotRegistry& slots,
                         std::int64_t valid_until = 1'000) {
  GrantTableBuilder builder{GrantTable()};
  for (const wire::ProxyGrant& grant : grants) {
    auto row = std::make_shared<GrantRow>();
    row->grant = grant;
    row->expires_at = *LogTimeFrom(grant.expires_at());
    row->usable_until = *LogTimeFrom(grant.usable_until());
    row->use = grant.state() == wire::GRANT_STATE_ACTIVE    ? GrantUse::kCandidate
               : grant.state() == wire::GRANT_STATE_SUSPECT ? GrantUse::kLastResort
                                                            : GrantUse::kFinishOnly;
    row->slot = slots.Get(grant.proxy_id());
    if (row->MayReserve()) row->slot->Open();
    builder.Upsert(std::move(row));
  }
  auto clock = std::make_shared<ValidityClock>();
  clock->AddSample(At(0), kNow);
  auto view = std::make_shared<SnapshotView>();
  view->version = version;
  view->valid_until = At(valid_until);
  view->grants = builder.Build();
  view->routings = std::make_shared<RoutingTable>();
  view->clock = clock;
  view->stale_at = kNow + std::chrono::seconds(500);
  return view;
}

bool AnyRow(const GrantRow&) { return true; }

TEST(Slot, NeverHoldsMoreThanItsCapacityAndCountsToZero) {
  Slot slot;
  slot.Open();
  constexpr std::uint32_t kCapacity = 3;
  std::atomic<int> inside{0};
  std::atomic<bool> too_many{false};
  std::atomic<int> reserved{0};

  InThreads([&](int thread) {
    for (int i = 0; i < 20'000; ++i) {
      if (!slot.TryReserve(kCapacity)) continue;
      reserved.fetch_add(1);
      if (inside.fetch_add(1) >= static_cast<int>(kCapacity)) too_many = true;
      if (thread % 2 == 0) {
        slot.Activate();
        inside.fetch_sub(1);
        slot.EndActive();
      } else {
        inside.fetch_sub(1);
        slot.EndReserved();
      }
    }
  });

  EXPECT_FALSE(too_many);
  EXPECT_GT(reserved, 0);
  EXPECT_FALSE(slot.Read().InUse());
  EXPECT_FALSE(slot.Read().closed);
}

TEST(Slot, OnceClosedAndSeenEmptyNobodyGetsIn) {
  // The run that breaks without the closed bit: a reader of the old view counts itself in after the zero was reported.
  for (int round = 0; round < 300; ++round) {
    Slot slot;
    slot.Open();
    std::atomic<bool> reported_zero{false};
    std::atomic<bool> got_in_after{false};

    InThreads([&](int thread) {
      if (thread == 0) {
        slot.Close();
        while (slot.Read().InUse()) std::this_thread::yield();
        reported_zero = true;
        return;
      }
      for (int i = 0; i < 50; ++i) {
        const bool was_reported = reported_zero;
        if (!slot.TryReserve(10)) continue;
        if (was_reported) got_in_after = true;
        slot.EndReserved();
      }
    });

    ASSERT_FALSE(got_in_after);
    ASSERT_FALSE(slot.TryReserve(10));
  }
}

TEST(Slot, BeginsClosedAndASuspendedReservationKeepsItsPlace) {
  Slot slot;
  EXPECT_FALSE(slot.TryReserve(1));

  slot.Open();
  EXPECT_TRUE(slot.TryReserve(1));
  EXPECT_FALSE(slot.TryReserve(1));
  slot.Close();
  slot.Activate();

  EXPECT_EQ(slot.Read().active, 1U);
  EXPECT_EQ(slot.Read().reserved, 0U);
  EXPECT_TRUE(slot.Read().closed);
}

TEST(ViewCell, ReadersSeeOneWholeViewWhileItIsSwappedAndOldOnesAreFreed) {
  ViewCell cell;
  SlotRegistry slots;
  std::atomic<bool> done{false};
  std::atomic<bool> torn{false};
  std::vector<std::weak_ptr<const SnapshotView>> old;

  InThreads([&](int thread) {
    if (thread == 0) {
      for (std::uint64_t version = 1; version <= 500; ++version) {
        auto view = std::make_shared<SnapshotView>();
        view->version = version;
        view->ownership_epoch = version * 3;
        old.push_back(view);
        cell.Swap(std::move(view));
      }
      done = true;
      return;
    }
    std::uint64_t last = 0;
    while (!done) {
      const ViewCell::PinnedView view = cell.Pin();
      if (!view) continue;
      if (view->ownership_epoch != view->version * 3 || view->version < last) torn = true;
      last = view->version;
    }
  });
  // Without readers two looks are enough: one for each phase.
  cell.Collect();
  cell.Collect();

  EXPECT_FALSE(torn);
  EXPECT_EQ(cell.retired(), 0U);
  for (std::size_t i = 0; i + 1 < old.size(); ++i) ASSERT_TRUE(old[i].expired()) << i;
  EXPECT_FALSE(old.back().expired());
}

TEST(ViewCell, APinnedViewIsNotFreedUnderItsReader) {
  ViewCell cell;
  auto first = std::make_shared<SnapshotView>();
  first->version = 1;
  const std::weak_ptr<const SnapshotView> watched = first;
  cell.Swap(std::move(first));
  {
    const ViewCell::PinnedView pinned = cell.Pin();
    cell.Swap(std::make_shared<SnapshotView>());
    for (int i = 0; i < 4; ++i) cell.Collect();
    ASSERT_FALSE(watched.expired());
    EXPECT_EQ(pinned->version, 1U);
    EXPECT_FALSE(cell.IsCurrent(pinned.get()));
  }
  cell.Collect();
  cell.Collect();

  EXPECT_TRUE(watched.expired());
}

TEST(TrafficGate, PrefersActiveAndTakesSuspectWhereNoActiveServes) {
  SlotRegistry slots;
  TrafficGate gate([] { return kNow; });
  gate.views().Swap(
      View(1, {Grant("a"), Grant("s", wire::GRANT_STATE_SUSPECT), Grant("z", wire::GRANT_STATE_DRAINING)}, slots));
  std::vector<Lease> leases;

  std::vector<std::string> given;
  while (auto lease = gate.Reserve(given.size(), AnyRow)) {
    given.push_back(lease->row().id());
    leases.push_back(*std::move(lease));
  }

  EXPECT_EQ(given, (std::vector<std::string>{"a", "a", "s", "s"})) << "each has a capacity of two, DRAINING has none";
  leases.clear();
  EXPECT_FALSE(slots.Find("a")->Read().InUse());
}

TEST(TrafficGate, GivesNothingPastAnyOfItsLimits) {
  SlotRegistry slots;
  BootTime now = kNow;
  TrafficGate gate([&now] { return now; });
  EXPECT_FALSE(gate.Reserve(0, AnyRow)) << "no view yet";
  const SnapshotViewPointer view = View(1, {Grant("a", wire::GRANT_STATE_ACTIVE, 20, 600)}, slots, 100);
  gate.views().Swap(view);

  EXPECT_TRUE(gate.Reserve(0, AnyRow));
  now = view->clock->WhenOver(At(20)) - Duration(1);
  EXPECT_TRUE(gate.Reserve(0, AnyRow));
  now = view->clock->WhenOver(At(20));
  EXPECT_FALSE(gate.Reserve(0, AnyRow)) << "usable_until";

  gate.views().Swap(View(2, {Grant("b")}, slots, 100));
  now = view->clock->WhenOver(At(100)) - Duration(1);
  EXPECT_TRUE(gate.Reserve(0, AnyRow));
  now = view->clock->WhenOver(At(100));
  EXPECT_FALSE(gate.Reserve(0, AnyRow)) << "valid_until";

  gate.views().Swap(View(3, {Grant("c")}, slots));
  EXPECT_TRUE(gate.Reserve(0, AnyRow));
  now = kNow + std::chrono::seconds(500);
  EXPECT_FALSE(gate.Reserve(0, AnyRow)) << "max_stale_age";
  now = kNow;
  gate.Shut();
  EXPECT_FALSE(gate.Reserve(0, AnyRow)) << "shut";
  gate.Open();
  EXPECT_TRUE(gate.Reserve(0, AnyRow));
}

TEST(TrafficGate, WhatDoesNotFitIsNotGiven) {
  SlotRegistry slots;
  TrafficGate gate([] { return kNow; });
  gate.views().Swap(View(1, {Grant("a"), Grant("b")}, slots));

  const auto lease = gate.Reserve(0, [](const GrantRow& row) { return row.id() == "b"; });
  const auto none = gate.Reserve(0, [](const GrantRow&) { return false; });

  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->row().id(), "b");
  EXPECT_FALSE(none);
}

TEST(TrafficGate, AReservationOnAViewThatIsNoLongerTheCurrentOneIsUndone) {
  SlotRegistry slots;
  TrafficGate gate([] { return kNow; });
  gate.views().Swap(View(1, {Grant("a")}, slots));
  const SnapshotViewPointer next = View(2, {Grant("b")}, slots);
  bool swapped = false;

  const auto lease = gate.Reserve(0, [&](const GrantRow&) {
    if (!std::exchange(swapped, true)) gate.views().Swap(next);
    return true;
  });

  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->row().id(), "b");
  EXPECT_FALSE(slots.Find("a")->Read().InUse());
}

TEST(TrafficGate, NoThreadReservesAfterTheClosedBitsWereSetAndTheViewSwapped) {
  SlotRegistry slots;
  TrafficGate gate([] { return kNow; });
  gate.views().Swap(View(1, {Grant("a")}, slots));
  std::atomic<bool> acknowledged{false};
  std::atomic<bool> broke_the_word{false};

  InThreads([&](int thread) {
    if (thread == 0) {
      slots.Find("a")->Close();
      gate.views().Swap(View(2, {Grant("a", wire::GRANT_STATE_DRAINING)}, slots));
      acknowledged = true;
      return;
    }
    for (int i = 0; i < 2'000; ++i) {
      const bool after = acknowledged;
      if (gate.Reserve(static_cast<std::uint64_t>(i), AnyRow) && after) broke_the_word = true;
    }
  });

  EXPECT_FALSE(broke_the_word);
  EXPECT_FALSE(slots.Find("a")->Read().InUse());
}

}  // namespace
}  // namespace holdfast::client
