// What a simulated worker was told, and what it did, as the judge hears it: plain values, each with its instant.
//
// Written by whoever runs the workers; read by the judge. Times are microseconds of the boot-time clock of the process
// that runs all the workers, so they compare across workers.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/ids.h"
#include "controlplane/v1/controlplane.pb.h"

namespace holdfast::judge {

namespace wire = controlplane::v1;

// One process life of one worker.
struct Who {
  WorkerId worker;
  InstanceId instance;
  friend auto operator<=>(const Who&, const Who&) = default;
};

// How a call or a stream ended. `code` is the gRPC status code, 0: OK.
struct CallEnd {
  int code = 0;
  std::optional<wire::ErrorDetail> detail;
  bool ok() const { return code == 0; }
};

template <class Request, class Response>
struct Answered {
  Request request;
  Response response;  // meaningless unless end.ok()
  CallEnd end;
  std::int64_t sent_us = 0;
};

using RegisterAnswered = Answered<wire::RegisterWorkerRequest, wire::RegisterWorkerResponse>;
using AckAnswered = Answered<wire::AcknowledgeSnapshotRequest, wire::AcknowledgeSnapshotResponse>;
using ReportAnswered = Answered<wire::ReportRuntimeRequest, wire::ReportRuntimeResponse>;
using OutcomesAnswered = Answered<wire::ReportOutcomesRequest, wire::ReportOutcomesResponse>;

struct RegisterSent {
  wire::RegisterWorkerRequest request;
};
struct AckSent {
  wire::AcknowledgeSnapshotRequest request;
};
struct WatchOpened {
  wire::WatchSnapshotsRequest request;
};
struct WatchEnded {
  std::string session_id;
  CallEnd end;
};
// As it came from the wire, before anything looked at it.
struct UpdateReceived {
  std::string session_id;
  wire::SnapshotUpdate update;
};
// The worker uses this version from here on.
struct UpdateTaken {
  std::string session_id;
  std::uint64_t version = 0;
};
// A request through a proxy really begins, or really has ended.
struct UseBegan {
  std::string proxy_id;
};
struct UseEnded {
  std::string proxy_id;
};
// The process is gone, with all that ran in it.
struct Died {};

using What = std::variant<RegisterSent, RegisterAnswered, AckSent, AckAnswered, ReportAnswered, OutcomesAnswered,
                          WatchOpened, WatchEnded, UpdateReceived, UpdateTaken, UseBegan, UseEnded, Died>;

struct Happening {
  std::int64_t at_us = 0;
  Who who;
  What what;
};

}  // namespace holdfast::judge
