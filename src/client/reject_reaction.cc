#include "client/reject_reaction.h"

namespace holdfast::client {

Reaction ReactionTo(const CallResult& result) {
  namespace wire = controlplane::v1;
  switch (result.reason()) {
    case wire::REJECT_REASON_MALFORMED:
      return Reaction::kMend;
    case wire::REJECT_REASON_PROTOCOL_VERSION:
    case wire::REJECT_REASON_FAILED_CONDITION:
    case wire::REJECT_REASON_IDENTITY_MISMATCH:
      return Reaction::kStop;
    case wire::REJECT_REASON_SESSION_UNKNOWN:
    case wire::REJECT_REASON_SESSION_SUPERSEDED:
    case wire::REJECT_REASON_SESSION_EXPIRED:
    case wire::REJECT_REASON_SESSION_CLOSED:
    case wire::REJECT_REASON_EPOCH_STALE:
    case wire::REJECT_REASON_EPOCH_AHEAD:
      return Reaction::kRegisterAnew;
    case wire::REJECT_REASON_REFERENCE_NOT_ISSUED:
    case wire::REJECT_REASON_REFERENCE_SUPERSEDED:
    case wire::REJECT_REASON_CHECKSUM_MISMATCH:
    case wire::REJECT_REASON_SNAPSHOT_EXPIRED:
    case wire::REJECT_REASON_RUNTIME_FENCED:
    case wire::REJECT_REASON_VERSION_NOT_ACKNOWLEDGED:
    case wire::REJECT_REASON_STREAM_REPLACED:
    case wire::REJECT_REASON_SLOW_READER:
    case wire::REJECT_REASON_ACK_TIMEOUT:
      return Reaction::kWatchAgain;
    case wire::REJECT_REASON_SEQUENCE_REGRESSED:
    case wire::REJECT_REASON_SEQUENCE_CONFLICT:
    case wire::REJECT_REASON_REQUEST_CONFLICT:
      return Reaction::kNewNumber;
    case wire::REJECT_REASON_LIMIT_EXCEEDED:
      return Reaction::kSendLess;
    case wire::REJECT_REASON_OVERLOADED:
    case wire::REJECT_REASON_NOT_ENOUGH_PROXIES:
    case wire::REJECT_REASON_POOL_UNAVAILABLE:
    case wire::REJECT_REASON_NOT_READY:
    case wire::REJECT_REASON_NOT_LEADER:
    case wire::REJECT_REASON_SHUTTING_DOWN:
    case wire::REJECT_REASON_DRAINING:
      return Reaction::kWait;
    case wire::REJECT_REASON_NOT_FOUND:
    case wire::REJECT_REASON_TASK_UNKNOWN:
    case wire::REJECT_REASON_NO_LONGER_KEPT:
      return Reaction::kNothing;
    default:
      return Reaction::kRetry;
  }
}

std::optional<Duration> RetryAfter(const CallResult& result) {
  if (!result.detail || !result.detail->has_retry_after()) return std::nullopt;
  return DurationFrom(result.detail->retry_after());
}

}  // namespace holdfast::client
