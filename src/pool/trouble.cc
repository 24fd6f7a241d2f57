#include "pool/trouble.h"

namespace holdfast::pool {

Trouble TroubleOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return Trouble::kNone;
    case absl::StatusCode::kUnavailable:
      return Trouble::kUnreachable;
    case absl::StatusCode::kDeadlineExceeded:
      return Trouble::kTimedOut;
    case absl::StatusCode::kAborted:
      return Trouble::kCutOff;
    case absl::StatusCode::kPermissionDenied:
      return Trouble::kDenied;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
      return Trouble::kWrongRequest;
    default:
      return Trouble::kWrongAnswer;
  }
}

bool IsInDoubt(const absl::Status& status) {
  const Trouble trouble = TroubleOf(status);
  return trouble == Trouble::kTimedOut || trouble == Trouble::kCutOff;
}

absl::Status Unreachable(const std::string& what) { return absl::UnavailableError(what); }
absl::Status TimedOut(const std::string& what) { return absl::DeadlineExceededError(what); }
absl::Status CutOff(const std::string& what) { return absl::AbortedError(what); }
absl::Status Denied(const std::string& what) { return absl::PermissionDeniedError(what); }
absl::Status WrongAnswer(const std::string& what) { return absl::DataLossError(what); }
absl::Status WrongRequest(const std::string& what) { return absl::InvalidArgumentError(what); }
absl::Status WrongMoment(const std::string& what) { return absl::FailedPreconditionError(what); }

}  // namespace holdfast::pool
