// The event vocabulary: everything that can be decided. State is a fold of these, and of nothing else.
//
// Thread: plain values. On disk: log.v1.Event (event_codec.h). An event that no projection handles does not compile
// (projections/projection_set.h).

#pragma once

#include <variant>

#include "events/ownership_events.h"
#include "events/pool_events.h"
#include "events/run_events.h"
#include "events/session_events.h"
#include "events/snapshot_events.h"

namespace holdfast {

using Event = std::variant<LogCreated, ControllerStarted, SettingsChanged, WaitStarted, WaitEnded, ClockJumped,
                           TimeMarked, HoldOffStarted, AlarmRaised, AlarmCleared, InputRejected, RejectionsSuppressed,
                           SessionOpened, SessionActivated, SessionAttached, SessionDetached, SessionHeard,
                           SessionDraining, SessionClosed, HistoryLost, SnapshotIssued, SnapshotAcknowledged,
                           SnapshotRefused, UpdateAbandoned, RuntimeAccepted, OutcomesAccepted, ProxyAdded,
                           ProxyUpdated, ProxiesNamed, ProxyUnusable, ProxyExpired, ProxyRemoved, AddressRetired,
                           RoutingsApplied, OwnershipGranted, OwnershipLapsing, OwnershipResumed, OwnershipReleased>;

}  // namespace holdfast
