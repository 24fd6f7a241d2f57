// What a judge says that it saw of a request, read from an answer that may be anybody's.
//
// Pure, any thread. The other end is tools/echo/seen_request.h. An answer counts only if it is JSON of that shape and
// repeats the nonce of the very question: a page that a proxy made up, kept from an earlier request or cut short does
// not. It is no proof against a proxy that lies on purpose: for that the judge must be asked over https.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip_address.h"

namespace holdfast::checker {

struct SeenHeader {
  std::string name;  // in lower case
  std::string value;
};

struct JudgeReport {
  IpAddress address;
  std::vector<SeenHeader> headers;  // several of one name stand apart
};

// Nothing: no judge's answer to this question. Requires: nonce is not empty.
std::optional<JudgeReport> ParseJudgeReport(std::string_view body, std::string_view nonce);

// Nothing for what is no IP address.
std::optional<IpAddress> ParseAddress(std::string_view text);

}  // namespace holdfast::checker
