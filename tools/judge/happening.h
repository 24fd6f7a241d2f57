// What a simulated worker or client was told, and what it did, as the judge hears it: plain values, each with its
// instant.
//
// Written by whoever runs them; read by the judge. Times are microseconds of the boot-time clock of the process that
// runs them all, so they compare across them.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/ids.h"
#include "controlplane/v1/controlplane.pb.h"
#include "holdfast/distribution/v1/distribution.pb.h"

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

// Of a client. A call that is repeated is told each time that it ends, one after the other.
using ExtractAnswered = Answered<distribution::v1::ExtractRequest, distribution::v1::ExtractResponse>;
using ReleaseAnswered = Answered<distribution::v1::ReleaseRequest, distribution::v1::ReleaseResponse>;
// It uses what this names no more.
struct ReleaseSent {
  distribution::v1::ReleaseRequest request;
};

using What = std::variant<RegisterSent, RegisterAnswered, AckSent, AckAnswered, ReportAnswered, OutcomesAnswered,
                          WatchOpened, WatchEnded, UpdateReceived, UpdateTaken, UseBegan, UseEnded, Died,
                          ExtractAnswered, ReleaseSent, ReleaseAnswered>;

struct Happening {
  std::int64_t at_us = 0;
  Who who;  // of what a worker does; a client names itself in its messages
  What what;
};

}  // namespace holdfast::judge
