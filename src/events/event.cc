#include "events/event.h"

#include <utility>

namespace holdfast {

template <IsEventKind E>
Event::Event(E event) : EventVariant(std::move(event)) {}

Event::Event(const Event& other) = default;
Event::Event(Event&& other) noexcept = default;
Event& Event::operator=(const Event& other) = default;
Event& Event::operator=(Event&& other) noexcept = default;
Event::~Event() = default;

bool operator==(const Event& a, const Event& b) {
  return static_cast<const EventVariant&>(a) == static_cast<const EventVariant&>(b);
}

// A kind that is missing here does not link.
template Event::Event(LogCreated event);
template Event::Event(ControllerStarted event);
template Event::Event(SettingsChanged event);
template Event::Event(WaitStarted event);
template Event::Event(WaitEnded event);
template Event::Event(ClockJumped event);
template Event::Event(TimeMarked event);
template Event::Event(HoldOffStarted event);
template Event::Event(AlarmRaised event);
template Event::Event(AlarmCleared event);
template Event::Event(InputRejected event);
template Event::Event(RejectionsSuppressed event);
template Event::Event(SessionOpened event);
template Event::Event(SessionActivated event);
template Event::Event(SessionAttached event);
template Event::Event(SessionDetached event);
template Event::Event(SessionHeard event);
template Event::Event(SessionDraining event);
template Event::Event(SessionClosed event);
template Event::Event(HistoryLost event);
template Event::Event(SnapshotIssued event);
template Event::Event(SnapshotAcknowledged event);
template Event::Event(SnapshotRefused event);
template Event::Event(UpdateAbandoned event);
template Event::Event(RuntimeAccepted event);
template Event::Event(OutcomesAccepted event);
template Event::Event(ProxyAdded event);
template Event::Event(ProxyUpdated event);
template Event::Event(ProxiesNamed event);
template Event::Event(ProxyUnusable event);
template Event::Event(ProxyExpired event);
template Event::Event(ProxyRemoved event);
template Event::Event(AddressRetired event);
template Event::Event(RoutingsApplied event);
template Event::Event(OwnershipGranted event);
template Event::Event(OwnershipLapsing event);
template Event::Event(OwnershipResumed event);
template Event::Event(OwnershipReleased event);
template Event::Event(ClockAccepted event);
template Event::Event(EligibilitySet event);
template Event::Event(InstancesSwapped event);
template Event::Event(ProxyLeaving event);
template Event::Event(OwnershipRevoked event);
template Event::Event(OwnershipHeld event);
template Event::Event(CheckerOpened event);
template Event::Event(CheckerAttached event);
template Event::Event(CheckerDetached event);
template Event::Event(CheckerHeard event);
template Event::Event(CheckerDraining event);
template Event::Event(CheckerClosed event);
template Event::Event(ChecksPlanned event);
template Event::Event(CheckRequested event);
template Event::Event(CheckIssued event);
template Event::Event(CheckObserved event);
template Event::Event(CheckExpired event);
template Event::Event(CheckCancelled event);
template Event::Event(HealthChanged event);
template Event::Event(ProxyStateChanged event);
template Event::Event(RoutingsMarked event);
template Event::Event(HealthFrozen event);
template Event::Event(HealthThawed event);
template Event::Event(HealthForgotten event);
template Event::Event(ExtractionPrepared event);
template Event::Event(ExtractionDoubted event);
template Event::Event(ProxiesExtracted event);
template Event::Event(ExtractionGivenBack event);
template Event::Event(ExtractionEnded event);
template Event::Event(RequestForgotten event);
template Event::Event(ShortageNoted event);
template Event::Event(PoolStoreJudged event);
template Event::Event(PoolResynced event);
template Event::Event(PoolAdopted event);

}  // namespace holdfast
