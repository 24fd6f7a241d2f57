// Registration, watch and acknowledgement.

#include "controller/validate.h"
#include "controller/validate_field.h"

namespace holdfast {
namespace {

using namespace validation;
using controlplane::v1::AcknowledgeSnapshotRequest;
using controlplane::v1::RegisterWorkerRequest;
using controlplane::v1::WatchSnapshotsRequest;

constexpr std::size_t kMostVersionBytes = 256;
constexpr std::size_t kMostDetailBytes = 4096;
constexpr std::uint32_t kMostWeight = 1'000'000;

Problem Capabilities(const RegisterWorkerRequest& request) {
  std::uint32_t seen = 0;
  for (int i = 0; i < request.capabilities_size(); ++i) {
    const std::size_t index = static_cast<std::size_t>(i);
    const int capability = request.capabilities(i);
    if (capability == controlplane::v1::WORKER_CAPABILITY_UNSPECIFIED ||
        !controlplane::v1::WorkerCapability_IsValid(capability)) {
      return Malformed(Place("capabilities", index), "is not known here; leave it out");
    }
    const std::uint32_t bit = 1u << capability;
    if (seen & bit) return Malformed(Place("capabilities", index), "is named twice");
    seen |= bit;
  }
  return std::nullopt;
}

Problem ProtocolVersions(const RegisterWorkerRequest& request) {
  if (request.supported_protocol_version() == 0) {
    return Malformed("supported_protocol_version", "is missing; it counts from 1");
  }
  if (request.min_protocol_version() > request.supported_protocol_version()) {
    return Malformed("min_protocol_version", "is above supported_protocol_version");
  }
  return std::nullopt;
}

// What it remembers of an earlier session.
Problem Memory(const RegisterWorkerRequest& request) {
  if (Problem problem = OptionalMemberId("last_log_id", request.last_log_id())) return problem;
  if (Problem problem = Number("last_ownership_epoch", request.last_ownership_epoch())) return problem;
  if (Problem problem = Number("last_version", request.last_version())) return problem;
  if (Problem problem = OptionalMemberId("previous_session_id", request.previous_session_id())) return problem;
  return OptionalMemberId("registration_id", request.registration_id());
}

// Which session a call belongs to.
template <class Request>
Problem Caller(const Request& request) {
  if (Problem problem = MemberId("worker_id", request.worker_id())) return problem;
  if (Problem problem = MemberId("session_id", request.session_id())) return problem;
  return Number("ownership_epoch", request.ownership_epoch());
}

}  // namespace

std::optional<Rejection> Validate(const RegisterWorkerRequest& request, const Settings& settings) {
  if (Problem problem = MemberId("worker_id", request.worker_id())) return problem;
  if (Problem problem = MemberId("instance_id", request.instance_id())) return problem;
  if (Problem problem = Name("zone", request.zone(), settings)) return problem;
  if (Problem problem = ProtocolVersions(request)) return problem;
  if (request.weight() > kMostWeight) return Malformed("weight", "is above 1,000,000");
  if (Problem problem = Capabilities(request)) return problem;
  if (Problem problem = Labels("labels", request.labels(), settings)) return problem;
  if (Problem problem = Memory(request)) return problem;
  return Text("software_version", request.software_version(), kMostVersionBytes);
}

std::optional<Rejection> Validate(const WatchSnapshotsRequest& request, const Settings&) {
  if (Problem problem = Caller(request)) return problem;
  if (Problem problem = Number("last_version", request.last_version())) return problem;
  return OptionalChecksum("last_checksum", request.last_checksum());
}

std::optional<Rejection> Validate(const AcknowledgeSnapshotRequest& request, const Settings&) {
  if (Problem problem = Caller(request)) return problem;
  if (Problem problem = PositiveNumber("version", request.version())) return problem;
  if (Problem problem = OptionalChecksum("checksum", request.checksum())) return problem;
  if (Problem problem = OptionalChecksum("computed_checksum", request.computed_checksum())) return problem;
  if (!controlplane::v1::SnapshotRefusal_IsValid(request.refusal())) return Malformed("refusal", "is not known here");
  const bool refuses = request.refusal() != controlplane::v1::SNAPSHOT_REFUSAL_UNSPECIFIED;
  if (request.accepted() && refuses)
    return Malformed("refusal", "is set although accepted is true; say one of the two");
  if (request.reject_detail().size() > kMostDetailBytes) {
    return Malformed("reject_detail", "is longer than 4,096 bytes");
  }
  return std::nullopt;
}

}  // namespace holdfast
