// The event vocabulary: everything that can be decided. State is a fold of these, and of nothing else.
//
// Thread: plain values. On disk: log.v1.Event (event_codec.h). An event that no projection handles does not compile
// (projections/projection_set.h).

#pragma once

#include <type_traits>
#include <variant>

#include "events/checker_events.h"
#include "events/extraction_events.h"
#include "events/health_events.h"
#include "events/ownership_events.h"
#include "events/pool_events.h"
#include "events/run_events.h"
#include "events/session_events.h"
#include "events/snapshot_events.h"

namespace holdfast {

// The alternatives, in the order in which they were added.
using EventVariant =
    std::variant<LogCreated, ControllerStarted, SettingsChanged, WaitStarted, WaitEnded, ClockJumped, TimeMarked,
                 HoldOffStarted, AlarmRaised, AlarmCleared, InputRejected, RejectionsSuppressed, SessionOpened,
                 SessionActivated, SessionAttached, SessionDetached, SessionHeard, SessionDraining, SessionClosed,
                 HistoryLost, SnapshotIssued, SnapshotAcknowledged, SnapshotRefused, UpdateAbandoned, RuntimeAccepted,
                 OutcomesAccepted, ProxyAdded, ProxyUpdated, ProxiesNamed, ProxyUnusable, ProxyExpired, ProxyRemoved,
                 AddressRetired, RoutingsApplied, OwnershipGranted, OwnershipLapsing, OwnershipResumed,
                 OwnershipReleased, ClockAccepted, EligibilitySet, InstancesSwapped, ProxyLeaving, OwnershipRevoked,
                 OwnershipHeld, CheckerOpened, CheckerAttached, CheckerDetached, CheckerHeard, CheckerDraining,
                 CheckerClosed, ChecksPlanned, CheckRequested, CheckIssued, CheckObserved, CheckExpired, CheckCancelled,
                 HealthChanged, ProxyStateChanged, RoutingsMarked, HealthFrozen, HealthThawed, HealthForgotten,
                 ExtractionPrepared, ExtractionDoubted, ProxiesExtracted, ExtractionGivenBack, ExtractionEnded,
                 RequestForgotten, ShortageNoted, PoolStoreJudged, PoolResynced, PoolAdopted>;

template <class E>
concept IsEventKind = !std::is_base_of_v<EventVariant, E>;

// One of them: std::visit, std::get_if and the like take it as they take the variant. What copies, moves, destroys and
// compares stands in event.cc: it is long code, and half the program carries lists of events.
class Event : public EventVariant {
 public:
  template <IsEventKind E>
  Event(E event);  // NOLINT: any alternative is an event; instantiated in event.cc
  Event(const Event& other);
  Event(Event&& other) noexcept;
  Event& operator=(const Event& other);
  Event& operator=(Event&& other) noexcept;
  ~Event();

  friend bool operator==(const Event& a, const Event& b);
};

}  // namespace holdfast
