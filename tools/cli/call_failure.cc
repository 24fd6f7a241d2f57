#include "tools/cli/call_failure.h"

#include <algorithm>
#include <map>
#include <optional>

#include "client/call_result.h"
#include "tools/cli/enum_word.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using controlplane::v1::ErrorDetail;

std::string Where(const Invocation& invocation) { return "holdfastd at " + invocation.server.address().text(); }

// So gRPC says that no attempt to connect went well.
constexpr std::string_view kNoConnection = "last error:";

// gRPC tells the whole story of its attempts; the end of it is the cause: "Connection refused".
std::string Cause(const std::string& message) {
  const std::size_t colon = message.find(kNoConnection) == std::string::npos ? std::string::npos : message.rfind(": ");
  return PrintableText(colon == std::string::npos ? message : message.substr(colon + 2));
}

Result Unreachable(const Invocation& invocation, std::string_view call, const grpc::Status& status) {
  return Result::Fail(ExitCode::kUnreachable,
                      "cannot reach " + Where(invocation) + " for " + std::string(call) + ": " +
                          Cause(status.error_message()) +
                          ". Is it running? Start it, or name another address with --server HOST:PORT or "
                          "HOLDFAST_SERVER.");
}

Result OutOfTime(const Invocation& invocation, std::string_view call) {
  const auto longer =
      std::max(std::chrono::seconds(60), std::chrono::ceil<std::chrono::seconds>(2 * invocation.deadline));
  return Result::Fail(ExitCode::kDeadline, Where(invocation) + " took " + std::string(call) +
                                               " and then said nothing for " +
                                               DurationText(invocation.deadline.count()) +
                                               ". Look at `holdfast status`, or give it longer: --deadline " +
                                               std::to_string(longer.count()) + "s.");
}

// A name is looked up where names of its kind are listed; a request_id is not listed anywhere.
std::string WhatToDoNotFound(const std::string& field) {
  if (field == "request_id") return "Leave --request-id out: another is drawn.";
  if (field == "extraction_id" || field == "proxy_ids") {
    return "`holdfast proxies --ownership extracted` shows who has what, under which extraction.";
  }
  return "Look the name up with `holdfast proxies` or `holdfast sessions`.";
}

// What the person can do about it, by the reason.
std::string WhatToDo(const ErrorDetail& detail) {
  using namespace controlplane::v1;
  switch (detail.reason()) {
    case REJECT_REASON_MALFORMED:
      return "Mend what the field names and run it again.";
    case REJECT_REASON_FAILED_CONDITION:
      return "Look at what stands now before you run it again.";
    case REJECT_REASON_IDENTITY_MISMATCH:
      return "Use a certificate of an operator.";
    case REJECT_REASON_LIMIT_EXCEEDED:
      return "Ask for less at a time.";
    case REJECT_REASON_OVERLOADED:
      return "It is busy: try again a little later.";
    case REJECT_REASON_NOT_READY:
      return "It is recovering: wait until `holdfast status` says serving.";
    case REJECT_REASON_SHUTTING_DOWN:
      return "It is being stopped: run it again when it is back.";
    case REJECT_REASON_POOL_UNAVAILABLE:
      return "Its pool store does not answer: look at `holdfast status`.";
    case REJECT_REASON_NOT_LEADER:
      return "Name the leader with --server.";
    case REJECT_REASON_NOT_FOUND:
      return WhatToDoNotFound(detail.field());
    case REJECT_REASON_NOT_ENOUGH_PROXIES:
      return "Ask again after that, or ask for less; `holdfast proxies --state available` shows who has them.";
    case REJECT_REASON_REQUEST_CONFLICT:
      return "Leave --request-id out: another is drawn.";
    case REJECT_REASON_NO_LONGER_KEPT:
      return "Begin at the first sequence that is kept: `holdfast status` says which.";
    case REJECT_REASON_SLOW_READER:
      return "Go on from the last sequence that was shown: --from SEQUENCE.";
    default:
      return "Look at `holdfast status`.";
  }
}

std::string ReasonText(const ErrorDetail& detail) {
  std::string text = controlplane::v1::RejectReason_Name(detail.reason());
  constexpr std::string_view kPrefix = "REJECT_REASON_";
  if (text.starts_with(kPrefix)) text.erase(0, kPrefix.size());
  return text.empty() ? EnumWord(detail.reason()) : text;
}

// " (available 3, requested 10)".
std::string MetadataText(const ErrorDetail& detail) {
  std::string text;
  for (const auto& [key, value] :
       std::map<std::string, std::string>(detail.metadata().begin(), detail.metadata().end())) {
    text += (text.empty() ? " (" : ", ") + PrintableText(key + " " + value);
  }
  return text.empty() ? "" : text + ")";
}

std::string DetailText(const ErrorDetail& detail) {
  std::string text = ReasonText(detail);
  const bool names_field = detail.message().starts_with(detail.field());
  if (!detail.field().empty() && !names_field) text += " in " + PrintableText(detail.field());
  if (!detail.message().empty()) text += ": " + PrintableText(detail.message());
  return text + MetadataText(detail);
}

Result Refused(const Invocation& invocation, std::string_view call, const ErrorDetail& detail) {
  std::string text = Where(invocation) + " refused " + std::string(call) + ": " + DetailText(detail) + ". ";
  if (detail.has_retry_after()) text += "It asks to wait " + DurationText(ToMicros(detail.retry_after())) + ". ";
  return Result::Fail(ExitCode::kRefused, text + WhatToDo(detail));
}

}  // namespace

Result CallFailure(const Invocation& invocation, std::string_view call, const grpc::Status& status, CallEnd end) {
  if (end == CallEnd::kInterrupted) {
    return Result::CouldNotRun("interrupted while " + std::string(call) + " was under way.");
  }
  if (const std::optional<ErrorDetail> detail = client::ParseErrorDetail(status.error_details()))
    return Refused(invocation, call, *detail);
  if (end == CallEnd::kSilence || status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
    if (invocation.server.IsConnected()) return OutOfTime(invocation, call);
    return Unreachable(invocation, call,
                       grpc::Status(grpc::StatusCode::UNAVAILABLE,
                                    "no connection within " + DurationText(invocation.deadline.count())));
  }
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE) return Unreachable(invocation, call, status);
  if (status.error_code() == grpc::StatusCode::UNIMPLEMENTED) {
    return Result::Fail(ExitCode::kRefused, Where(invocation) + " does not know " + std::string(call) +
                                                ". Its version is another than this program's: compare `holdfast "
                                                "status` with `holdfast --version`.");
  }
  return Result::Fail(ExitCode::kRefused, Where(invocation) + " failed at " + std::string(call) + " (code " +
                                              std::to_string(status.error_code()) +
                                              "): " + PrintableText(status.error_message()) +
                                              ". Look at its own log for the cause.");
}

bool MayHelpToRetry(const grpc::Status& status) {
  using namespace controlplane::v1;
  if (const std::optional<ErrorDetail> detail = client::ParseErrorDetail(status.error_details())) {
    switch (detail->reason()) {
      case REJECT_REASON_OVERLOADED:
      case REJECT_REASON_NOT_READY:
      case REJECT_REASON_NOT_LEADER:
      case REJECT_REASON_SHUTTING_DOWN:
      case REJECT_REASON_POOL_UNAVAILABLE:
      case REJECT_REASON_SLOW_READER:
      case REJECT_REASON_STREAM_REPLACED:
        return true;
      default:
        return false;
    }
  }
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::ABORTED:
    case grpc::StatusCode::CANCELLED:  // the daemon went away in the middle
    case grpc::StatusCode::INTERNAL:   // a reset stream, as HTTP/2 says it
    case grpc::StatusCode::UNKNOWN:
      return true;
    default:
      return false;
  }
}

bool IsNobodyThere(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::UNAVAILABLE && status.error_details().empty() &&
         status.error_message().find(kNoConnection) != std::string::npos;
}

std::chrono::microseconds AskedWait(const grpc::Status& status) {
  const std::optional<ErrorDetail> detail = client::ParseErrorDetail(status.error_details());
  return std::chrono::microseconds(detail && detail->has_retry_after() ? ToMicros(detail->retry_after()) : 0);
}

std::string ShortCause(const grpc::Status& status, CallEnd end) {
  if (const std::optional<ErrorDetail> detail = client::ParseErrorDetail(status.error_details())) {
    return ReasonText(*detail);
  }
  const bool late = end == CallEnd::kSilence || status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED;
  return late ? "no answer came" : "the connection broke";
}

}  // namespace holdfast::cli
