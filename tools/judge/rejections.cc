#include "tools/judge/rejections.h"

#include <map>
#include <set>

namespace holdfast::judge {
namespace {

enum GrpcCode {
  kCancelled = 1,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kInternal = 13,
  kUnavailable = 14,
};

const std::map<wire::RejectReason, int>& Codes() {
  static const auto& codes = *new std::map<wire::RejectReason, int>{
      {wire::REJECT_REASON_MALFORMED, kInvalidArgument},
      {wire::REJECT_REASON_PROTOCOL_VERSION, kFailedPrecondition},
      {wire::REJECT_REASON_IDENTITY_MISMATCH, kPermissionDenied},
      {wire::REJECT_REASON_SESSION_UNKNOWN, kFailedPrecondition},
      {wire::REJECT_REASON_SESSION_SUPERSEDED, kFailedPrecondition},
      {wire::REJECT_REASON_SESSION_EXPIRED, kFailedPrecondition},
      {wire::REJECT_REASON_SESSION_CLOSED, kFailedPrecondition},
      {wire::REJECT_REASON_EPOCH_STALE, kFailedPrecondition},
      {wire::REJECT_REASON_EPOCH_AHEAD, kFailedPrecondition},
      {wire::REJECT_REASON_REFERENCE_NOT_ISSUED, kFailedPrecondition},
      {wire::REJECT_REASON_REFERENCE_SUPERSEDED, kFailedPrecondition},
      {wire::REJECT_REASON_CHECKSUM_MISMATCH, kFailedPrecondition},
      {wire::REJECT_REASON_SNAPSHOT_EXPIRED, kFailedPrecondition},
      {wire::REJECT_REASON_RUNTIME_FENCED, kFailedPrecondition},
      {wire::REJECT_REASON_VERSION_NOT_ACKNOWLEDGED, kFailedPrecondition},
      {wire::REJECT_REASON_SEQUENCE_REGRESSED, kAlreadyExists},
      {wire::REJECT_REASON_SEQUENCE_CONFLICT, kAlreadyExists},
      {wire::REJECT_REASON_LIMIT_EXCEEDED, kResourceExhausted},
      {wire::REJECT_REASON_OVERLOADED, kResourceExhausted},
      {wire::REJECT_REASON_NOT_READY, kUnavailable},
      {wire::REJECT_REASON_POOL_UNAVAILABLE, kUnavailable},
      {wire::REJECT_REASON_NOT_FOUND, kNotFound},
      {wire::REJECT_REASON_NOT_ENOUGH_PROXIES, kResourceExhausted},
      {wire::REJECT_REASON_REQUEST_CONFLICT, kAlreadyExists},
      {wire::REJECT_REASON_FAILED_CONDITION, kFailedPrecondition},
      {wire::REJECT_REASON_NOT_LEADER, kUnavailable},
      {wire::REJECT_REASON_SHUTTING_DOWN, kUnavailable},
      {wire::REJECT_REASON_STREAM_REPLACED, kAborted},
      {wire::REJECT_REASON_SLOW_READER, kAborted},
      {wire::REJECT_REASON_ACK_TIMEOUT, kDeadlineExceeded},
  };
  return codes;
}

bool OfAnySession(wire::RejectReason reason) {
  return reason >= wire::REJECT_REASON_SESSION_UNKNOWN && reason <= wire::REJECT_REASON_EPOCH_AHEAD;
}

bool OfAnyCall(wire::RejectReason reason) {
  static const auto& reasons = *new std::set<wire::RejectReason>{
      wire::REJECT_REASON_IDENTITY_MISMATCH, wire::REJECT_REASON_LIMIT_EXCEEDED, wire::REJECT_REASON_OVERLOADED,
      wire::REJECT_REASON_NOT_READY,         wire::REJECT_REASON_NOT_LEADER,     wire::REJECT_REASON_SHUTTING_DOWN};
  return reasons.contains(reason);
}

// Of what stands under a request_id.
bool OfAnyRequest(wire::RejectReason reason) {
  return reason == wire::REJECT_REASON_NOT_FOUND || reason == wire::REJECT_REASON_REQUEST_CONFLICT;
}

bool SaysWhen(wire::RejectReason reason) {
  return reason == wire::REJECT_REASON_OVERLOADED || reason == wire::REJECT_REASON_NOT_ENOUGH_PROXIES;
}

bool OfThisCall(CallKind call, wire::RejectReason reason) {
  switch (call) {
    case CallKind::kRegister:
      return reason == wire::REJECT_REASON_PROTOCOL_VERSION;
    case CallKind::kWatch:
      return reason == wire::REJECT_REASON_STREAM_REPLACED || reason == wire::REJECT_REASON_SLOW_READER ||
             reason == wire::REJECT_REASON_ACK_TIMEOUT || OfAnySession(reason);
    case CallKind::kAck:
      return reason == wire::REJECT_REASON_REFERENCE_NOT_ISSUED || reason == wire::REJECT_REASON_REFERENCE_SUPERSEDED ||
             reason == wire::REJECT_REASON_CHECKSUM_MISMATCH || reason == wire::REJECT_REASON_SNAPSHOT_EXPIRED ||
             OfAnySession(reason);
    case CallKind::kReport:
      return reason == wire::REJECT_REASON_RUNTIME_FENCED || reason == wire::REJECT_REASON_VERSION_NOT_ACKNOWLEDGED ||
             reason == wire::REJECT_REASON_SEQUENCE_REGRESSED || reason == wire::REJECT_REASON_SEQUENCE_CONFLICT ||
             OfAnySession(reason);
    case CallKind::kOutcomes:
      return OfAnySession(reason);
    case CallKind::kExtract:
      return reason == wire::REJECT_REASON_POOL_UNAVAILABLE || reason == wire::REJECT_REASON_NOT_ENOUGH_PROXIES ||
             reason == wire::REJECT_REASON_FAILED_CONDITION || OfAnyRequest(reason);
    case CallKind::kRelease:
      return OfAnyRequest(reason);
  }
  return false;
}

bool GrpcsOwn(int code) {
  return code == kUnavailable || code == kDeadlineExceeded || code == kCancelled || code == kResourceExhausted ||
         code == kInternal;
}

}  // namespace

std::string CallKindName(CallKind call) {
  constexpr const char* kNames[] = {"RegisterWorker", "WatchSnapshots", "AcknowledgeSnapshot",
                                    "ReportRuntime",  "ReportOutcomes", "Extract",
                                    "Release"};
  return kNames[static_cast<std::size_t>(call)];
}

std::optional<std::string> WrongRejection(CallKind call, const CallEnd& end) {
  const std::string code = "code " + std::to_string(end.code);
  if (!end.detail) {
    if (GrpcsOwn(end.code)) return std::nullopt;
    return code + " without an ErrorDetail";
  }
  const wire::RejectReason reason = end.detail->reason();
  const std::string name = wire::RejectReason_IsValid(reason) ? wire::RejectReason_Name(reason)
                                                              : "reason " + std::to_string(static_cast<int>(reason));
  if (reason == wire::REJECT_REASON_MALFORMED) {
    return name + " for a well formed call, field '" + end.detail->field() + "': " + end.detail->message();
  }
  if (!OfAnyCall(reason) && !OfThisCall(call, reason)) return name + " is no reason of this call (" + code + ")";
  const int wanted = Codes().at(reason);
  if (wanted != end.code) return name + " came with " + code + ", not " + std::to_string(wanted);
  if (SaysWhen(reason) && !end.detail->has_retry_after()) return name + " without retry_after";
  return std::nullopt;
}

}  // namespace holdfast::judge
