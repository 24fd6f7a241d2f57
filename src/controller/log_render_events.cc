#include "controller/log_render_events.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include "controller/log_render_words.h"

namespace holdfast {
namespace {

using StoredEvent = log::v1::Event;
using namespace log_words;

std::string Endpoint(const log::v1::StoredProxy& proxy) {
  return absl::StrCat(proxy.host(), ":", proxy.port(), ", ", Words(proxy.scheme()));
}

std::string DescribeRun(const StoredEvent& event) {
  switch (event.event_case()) {
    case StoredEvent::kLogCreated:
      return event.log_created().bootstrap() ? "log created, nothing to wait for" : "log created";
    case StoredEvent::kControllerStarted: {
      const auto& started = event.controller_started();
      return absl::StrCat("controller started, start ", started.controller_epoch(), ", ", started.software_version(),
                          started.same_boot() ? ", same boot, down " : ", another boot, down ",
                          Span(started.downtime()));
    }
    case StoredEvent::kWaitStarted:
      return absl::StrCat("no grants until ", Time(event.wait_started().until()), ": ",
                          Words(event.wait_started().reason()));
    case StoredEvent::kClockJumped:
      return absl::StrCat("the wall clock jumped: the log's is ", Span(event.clock_jumped().offset()), " ahead of it");
    case StoredEvent::kClockAccepted:
      return absl::StrCat("the log clock moved forward by ", Span(event.clock_accepted().moved()), ": ",
                          Short(event.clock_accepted().reason()));
    case StoredEvent::kHoldOffStarted:
      return absl::StrCat("stalled for ", Span(event.hold_off_started().stalled()), ", nobody expires for it");
    case StoredEvent::kAlarmRaised:
      return absl::StrCat("alarm raised: ", Words(event.alarm_raised().kind()), " ", event.alarm_raised().subject(),
                          ": ", Short(event.alarm_raised().detail()));
    case StoredEvent::kAlarmCleared:
      return absl::StrCat("alarm cleared: ", Words(event.alarm_cleared().kind()), " ", event.alarm_cleared().subject());
    case StoredEvent::kInputRejected:
      return absl::StrCat("refused, ", Words(event.input_rejected().reason()), ": ",
                          Short(event.input_rejected().message()));
    case StoredEvent::kRejectionsSuppressed:
      return absl::StrCat(event.rejections_suppressed().count(), " more refused inputs of ",
                          event.rejections_suppressed().peer());
    default:
      return {};
  }
}

std::string DescribeSession(const StoredEvent& event) {
  switch (event.event_case()) {
    case StoredEvent::kSessionOpened: {
      const auto& opened = event.session_opened();
      return absl::StrCat("session ", opened.session_id(), " opened, epoch ", opened.epoch(),
                          opened.new_instance() ? ", another process" : ", the same process");
    }
    case StoredEvent::kSessionAttached:
      return absl::StrCat("stream attached, ",
                          event.session_attached().resumed() ? "a delta will do" : "a full one is due");
    case StoredEvent::kSessionDetached:
      if (event.session_detached().reason() == controlplane::v1::REJECT_REASON_UNSPECIFIED) return "stream over";
      return absl::StrCat("stream ended, ", Words(event.session_detached().reason()));
    case StoredEvent::kSessionDraining:
      return absl::StrCat("session draining, ", Words(event.session_draining().reason()),
                          Until(event.session_draining().deadline()));
    case StoredEvent::kSessionClosed:
      return absl::StrCat("session ", event.session_closed().session_id(), " closed, ",
                          Words(event.session_closed().reason()));
    case StoredEvent::kEligibilitySet:
      return absl::StrCat(event.eligibility_set().member_id(),
                          event.eligibility_set().eligible() ? " may be given work" : " is given nothing new", ": ",
                          Short(event.eligibility_set().reason()));
    case StoredEvent::kInstancesSwapped:
      return absl::StrCat("superseded session ", event.instances_swapped().session_id(), " is alive all the same",
                          event.instances_swapped().conflict_until() != 0 ? ", a conflict" : "",
                          Until(event.instances_swapped().conflict_until()));
    case StoredEvent::kHistoryLost:
      return absl::StrCat(event.history_lost().worker_id(), " remembers more than this log: version ",
                          event.history_lost().named_version(), ", epoch ", event.history_lost().named_epoch());
    default:
      return {};
  }
}

std::string DescribeSnapshot(const StoredEvent& event) {
  switch (event.event_case()) {
    case StoredEvent::kSnapshotIssued: {
      const auto& issued = event.snapshot_issued();
      const std::string base = issued.base() == 0 ? std::string("full") : absl::StrCat("on ", issued.base());
      return absl::StrCat("version ", issued.version(), " issued, ", base, ", +", issued.upserted_size(), " -",
                          issued.removed_size(), issued.partial() ? ", partial" : "", ", valid until ",
                          Time(issued.valid_until()));
    }
    case StoredEvent::kSnapshotAcknowledged:
      return absl::StrCat("version ", event.snapshot_acknowledged().version(), " acknowledged");
    case StoredEvent::kSnapshotRefused:
      return absl::StrCat("version ", event.snapshot_refused().version(), " refused, ",
                          Words(event.snapshot_refused().refusal()), ": ", Short(event.snapshot_refused().detail()));
    case StoredEvent::kUpdateAbandoned:
      return absl::StrCat("version ", event.update_abandoned().version(), " will not be answered");
    case StoredEvent::kRuntimeAccepted: {
      const auto& accepted = event.runtime_accepted();
      return absl::StrCat("report ", accepted.report_sequence(), " accepted, ", accepted.proxies_size(),
                          " counters changed, ", accepted.queued(), " queued");
    }
    case StoredEvent::kOutcomesAccepted:
      return absl::StrCat("batch ", event.outcomes_accepted().sequence(), " accepted, ",
                          event.outcomes_accepted().counted(), " counted, ", event.outcomes_accepted().ignored(),
                          " ignored");
    default:
      return {};
  }
}

std::string DescribePool(const StoredEvent& event) {
  switch (event.event_case()) {
    case StoredEvent::kProxyAdded:
      return absl::StrCat("proxy ", event.proxy_added().spec().proxy_id(), " added, ",
                          Endpoint(event.proxy_added().spec()),
                          event.proxy_added().waits_for() == 0 ? "" : ", given once its old address is free");
    case StoredEvent::kProxyUpdated:
      return absl::StrCat("proxy ", event.proxy_updated().spec().proxy_id(), " updated");
    case StoredEvent::kProxiesNamed:
      return absl::StrCat(event.proxies_named().proxies_size(), " proxies named again",
                          event.proxies_named().expires_at() != 0 ? ", renewed" : "");
    case StoredEvent::kProxyUnusable:
      return absl::StrCat("proxy #", event.proxy_unusable().proxy(), " too near its end to be given");
    case StoredEvent::kProxyExpired:
      return absl::StrCat("proxy #", event.proxy_expired().proxy(), " expired");
    case StoredEvent::kProxyRemoved:
      return absl::StrCat("proxy ", event.proxy_removed().proxy_id(), " removed, ",
                          Words(event.proxy_removed().reason()));
    case StoredEvent::kProxyLeaving:
      return absl::StrCat("proxy ", event.proxy_leaving().proxy_id(), " leaves once it is given back, ",
                          Words(event.proxy_leaving().reason()));
    case StoredEvent::kAddressRetired:
      return absl::StrCat("address #", event.address_retired().address(), " forgotten");
    case StoredEvent::kRoutingsApplied:
      return absl::StrCat(event.routings_applied().routings_size(), " routings applied, revision ",
                          event.routings_applied().revision());
    default:
      return {};
  }
}

std::string DescribeOwnership(const StoredEvent& event) {
  switch (event.event_case()) {
    case StoredEvent::kOwnershipGranted:
      return absl::StrCat(event.ownership_granted().address_text(), " granted to ",
                          event.ownership_granted().worker_id(), ", epoch ", event.ownership_granted().epoch());
    case StoredEvent::kOwnershipRevoked:
      return absl::StrCat(event.ownership_revoked().addresses_size(), " addresses asked back from ",
                          event.ownership_revoked().worker_id(), ", ", Words(event.ownership_revoked().reason()),
                          Until(event.ownership_revoked().deadline()));
    case StoredEvent::kOwnershipHeld:
      return absl::StrCat(event.ownership_held().addresses_size(), " addresses held for ",
                          event.ownership_held().worker_id(), ", epoch ", event.ownership_held().epoch());
    case StoredEvent::kOwnershipLapsing:
      return absl::StrCat(event.ownership_lapsing().addresses_size(), " addresses of ",
                          event.ownership_lapsing().worker_id(), " lapsing, ",
                          Words(event.ownership_lapsing().cause()));
    case StoredEvent::kOwnershipResumed:
      return absl::StrCat(event.ownership_resumed().addresses_size(), " addresses of ",
                          event.ownership_resumed().worker_id(), " resumed");
    case StoredEvent::kOwnershipReleased:
      return absl::StrCat(event.ownership_released().address_text(), " released by ",
                          event.ownership_released().worker_id(), ", ", Words(event.ownership_released().reason()));
    default:
      return {};
  }
}

}  // namespace

std::string EventWords(const StoredEvent& event) {
  return absl::StrReplaceAll(StoredEvent::descriptor()->FindFieldByNumber(event.event_case())->name(), {{"_", " "}});
}

std::string DescribeEvent(const StoredEvent& event) {
  for (const auto describe : {DescribeRun, DescribeSession, DescribeSnapshot, DescribePool, DescribeOwnership,
                              log_words::DescribeChecker, log_words::DescribeCheck, log_words::DescribeExtraction}) {
    if (std::string text = describe(event); !text.empty()) return text;
  }
  return EventWords(event);
}

}  // namespace holdfast
