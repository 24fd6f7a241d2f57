// Reads a registration's answer: the session as the client keeps it, or what is wrong with the answer.
//
// Called by WorkerClient and CheckerClient; pure.

#pragma once

#include <string>
#include <variant>

#include "client/worker_context.h"

namespace holdfast::client {

// The protocol version that this client speaks.
inline constexpr std::uint32_t kProtocolVersion = 1;

// A string: the field that is missing or out of range, and why.
std::variant<WorkerSession, std::string> SessionFrom(const controlplane::v1::RegisterWorkerResponse& response,
                                                     BootTime sent_at);
std::variant<SessionTerms, std::string> SessionFrom(const controlplane::v1::RegisterCheckerResponse& response);

}  // namespace holdfast::client
