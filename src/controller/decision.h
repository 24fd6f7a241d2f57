// What a rule gives back: the events that follow from an input, and the answer to whoever sent it.
//
// Thread: plain values.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "controlplane/v1/controlplane.pb.h"
#include "events/event.h"
#include "holdfast/admin/v1/admin.pb.h"
#include "holdfast/distribution/v1/distribution.pb.h"
#include "holdfast/log/v1/input.pb.h"

namespace holdfast {

// Why an input is refused. Travels as controlplane.v1.ErrorDetail.
struct Rejection {
  RejectReason reason{};
  std::string message;  // what was wrong, and what to do; never a secret
  std::string field = {};
  std::map<std::string, std::string> metadata = {};
  Duration retry_after{};  // 0: not by waiting
};

struct WatchAccepted {
  StreamId stream;
};

// A check was asked for and is due; what comes of it is found in the health of its key, observed after `sequence`.
struct CheckAccepted {
  ProxyKey proxy;
  CheckLevel level{};
  RoutingKey routing;
  Sequence sequence;
  TaskId under_way;  // of this key then: what was asked for comes after it; 0: none
};

// The store is asked for what a client wants: who called is answered by the ExtractionSettled of this id.
struct ExtractionAsked {
  ExtractionId extraction_id;
  LogTime deadline;  // of the store's answer
};

// What the client that waits for this extraction is told. A Rejection in it is not one of the input.
struct ExtractionSettled {
  ExtractionId extraction_id;
  std::variant<distribution::v1::ExtractResponse, Rejection> answer;
};

using Reply =
    std::variant<std::monostate, Rejection, WatchAccepted, controlplane::v1::RegisterWorkerResponse,
                 controlplane::v1::AcknowledgeSnapshotResponse, controlplane::v1::ReportRuntimeResponse,
                 controlplane::v1::ReportOutcomesResponse, admin::v1::ImportProxiesResponse,
                 admin::v1::RemoveProxiesResponse, admin::v1::ApplyRoutingsResponse, admin::v1::DrainSessionResponse,
                 admin::v1::FenceSessionResponse, admin::v1::ReclaimProxiesResponse, admin::v1::SetEligibilityResponse,
                 admin::v1::ClearAlarmResponse, admin::v1::AcceptClockResponse, CheckAccepted,
                 controlplane::v1::RegisterCheckerResponse, controlplane::v1::ReportObservationsResponse,
                 ExtractionAsked, ExtractionSettled, distribution::v1::ExtractResponse,
                 distribution::v1::ReleaseResponse, admin::v1::AdoptPoolResponse>;

// What a rule cannot know (the status of a session as people are shown it) is left out: the service adds it from
// committed state.
//
// A rejection may come with events (a refused report still shows that its session is alive).
struct Decision {
  std::vector<Event> events;
  Reply reply;
};

// When, where in the log, and for whom it is decided. The time is the log's.
struct DecisionPoint {
  LogTime now;
  Sequence sequence;  // of the entry that the decision will stand in
  std::string_view principal;
};

}  // namespace holdfast
