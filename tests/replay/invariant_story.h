// Hands entries to the invariant checker, one after the other, for tests of what it finds.
//
// Thread: the test's.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "replay/invariants.h"

namespace holdfast::replay {

using std::chrono::seconds;
using ::testing::HasSubstr;

inline constexpr LogTime kStart = LogTimeFromMicros(1'900'000'000'000'000);

// Hands entries of one event each to a checker; times in seconds since the start.
class Invariants : public ::testing::Test {
 protected:
  Violation Say(std::int64_t at_seconds, std::vector<Event> events) {
    sequence_ = Next(sequence_);
    return checker_.Check(sequence_, At(at_seconds), events);
  }
  void Given(std::int64_t at_seconds, std::vector<Event> events) {
    const Violation violation = Say(at_seconds, std::move(events));
    EXPECT_FALSE(violation.has_value()) << *violation;
  }
  static LogTime At(std::int64_t at_seconds) { return kStart + seconds(at_seconds); }

  static SessionOpened Opened(std::uint32_t worker, const std::string& session, std::uint64_t epoch, bool new_instance,
                              std::uint64_t floor = 0) {
    SessionOpened opened;
    opened.worker = WorkerKey(worker);
    opened.worker_id = WorkerId("gw-" + std::to_string(worker));
    opened.session_id = SessionId(session);
    opened.instance_id = InstanceId("instance-" + std::to_string(epoch));
    opened.epoch = Epoch(epoch);
    opened.new_instance = new_instance;
    opened.lapse_grace = seconds(10);
    opened.version_floor = Version(floor);
    return opened;
  }
  static ProxyAdded Added(std::uint32_t proxy, std::uint32_t address, std::int64_t expires_seconds = 100'000) {
    ProxySpec spec;
    spec.proxy_id = ProxyId("proxy-" + std::to_string(proxy));
    spec.expires_at = At(expires_seconds);
    return {ProxyKey(proxy), AddressKey(address), true, Boxed<ProxySpec>(spec), PoolState::kAvailable, Sequence(1), {}};
  }
  static SnapshotIssued Issued(std::uint32_t worker, std::uint64_t version, std::uint64_t epoch,
                               std::int64_t valid_until, std::vector<ProxyKey> upserted,
                               std::vector<ProxyKey> removed = {}) {
    SnapshotIssued issued;
    issued.worker = WorkerKey(worker);
    issued.version = Version(version);
    issued.epoch = Epoch(epoch);
    issued.valid_until = At(valid_until);
    issued.states.assign(upserted.size(), GrantState::kActive);
    issued.upserted = std::move(upserted);
    issued.removed = std::move(removed);
    return issued;
  }
  static OwnershipGranted Granted(std::uint32_t address, std::uint32_t worker, std::uint64_t epoch,
                                  const std::string& session) {
    return {AddressKey(address), "8.8.1.1:80",       WorkerKey(worker), WorkerId("gw-" + std::to_string(worker)),
            Epoch(epoch),        SessionId(session), At(1'000)};
  }
  static OwnershipReleased Released(std::uint32_t address, std::uint32_t worker, std::uint64_t epoch,
                                    EndReason reason = EndReason::kLapsed) {
    return {AddressKey(address),
            "8.8.1.1:80",
            WorkerId("gw-" + std::to_string(worker)),
            Epoch(epoch),
            reason,
            {},
            {},
            {},
            {},
            {}};
  }
  static OwnershipLapsing Lapsing(std::uint32_t address, std::uint32_t worker, std::uint64_t epoch,
                                  std::int64_t until) {
    OwnershipLapsing lapsing;
    lapsing.worker = WorkerKey(worker);
    lapsing.worker_id = WorkerId("gw-" + std::to_string(worker));
    lapsing.epoch = Epoch(epoch);
    lapsing.cause = LapseCause::kSessionOver;
    lapsing.addresses = {AddressKey(address)};
    lapsing.owned_until = {At(until)};
    return lapsing;
  }

  // gw-1 with session s1 and epoch 1: active, attached, version 1 acknowledged.
  void GivenActiveWorker() {
    Given(0, {Opened(1, "s1", 1, true)});
    Given(0, {SessionAttached{WorkerKey(1), StreamId(1), false}});
    Given(0, {Issued(1, 1, 1, 30, {})});
    Given(0, {SnapshotAcknowledged{WorkerKey(1), Version(1)}, SessionActivated{WorkerKey(1)}});
  }
  // And proxy 1 on address 1 is granted to it and shown until second 40, its grace of 10 with it until 50.
  void GivenShownAddress() {
    GivenActiveWorker();
    Given(5, {Added(1, 1)});
    Given(10, {Granted(1, 1, 1, "s1")});
    Given(10, {Issued(1, 2, 1, 40, {ProxyKey(1)})});
    Given(10, {SnapshotAcknowledged{WorkerKey(1), Version(2)}});
  }
  void GivenSecondWorker(std::int64_t at) {
    Given(at, {Opened(2, "s2", 7, true)});
    Given(at, {SessionAttached{WorkerKey(2), StreamId(2), false}});
    Given(at, {Issued(2, 1, 7, at + 30, {})});
    Given(at, {SnapshotAcknowledged{WorkerKey(2), Version(1)}, SessionActivated{WorkerKey(2)}});
  }

  InvariantChecker checker_;
  Sequence sequence_;
};

#define EXPECT_BROKEN(violation, text) \
  do {                                 \
    const Violation v = (violation);   \
    ASSERT_TRUE(v.has_value());        \
    EXPECT_THAT(*v, HasSubstr(text));  \
  } while (false)

}  // namespace holdfast::replay
