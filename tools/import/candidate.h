// What the rules make of one entry, before duplicates are looked for: a proxy, or a reason against it.
//
// Made by RecordRules and the text reader, taken by Admission. Holds the credential in the clear: never printed.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>

#include "base/endpoint.h"
#include "base/log_time.h"
#include "tools/import/credential.h"
#include "tools/import/rejection_reason.h"

namespace holdfast::importer {

struct Candidate {
  Endpoint endpoint;
  std::optional<Credential> credential;
  std::map<std::string, std::string> labels;
  std::string zone;
  std::string source;
  std::uint32_t capacity = 0;
  LogTime expires_at{};
};

struct Refusal {
  RejectionReason reason = RejectionReason::kMalformedLine;
  std::string proxy_id;  // empty: the entry names no proxy
};

using Outcome = std::variant<Candidate, Refusal>;

}  // namespace holdfast::importer
