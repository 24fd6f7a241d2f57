// What a client was given: a table for people, URLs and arguments of curl for programs, JSON; and whether it is all
// that was asked for.
//
// Called by command_extract. Pure: ages are counted against the log time of the answer. A machine is an address (host,
// port, secret_ref) with all its schemes. A proxy has a secret_ref at most, never a secret. Text of the server is made
// harmless: for a terminal as everywhere, in a URL by percent-encoding.

#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "holdfast/distribution/v1/distribution.pb.h"
#include "tools/cli/json_text.h"
#include "tools/cli/result.h"

namespace holdfast::cli {

// "http://198.51.100.7:8080", an IPv6 host in brackets. Nothing in it means anything to a shell but the brackets.
std::string ProxyUrl(const controlplane::v1::Endpoint& endpoint);

void WriteExtraction(std::ostream& out, const distribution::v1::ExtractRequest& asked,
                     const distribution::v1::ExtractResponse& answer);
Json ExtractionJson(const distribution::v1::ExtractRequest& asked, const distribution::v1::ExtractResponse& answer);

// Each URL on a line of its own, behind `prefix`.
void WriteUrls(std::ostream& out, std::string_view prefix, const distribution::v1::ExtractResponse& answer);
// What a list of URLs cannot say, a line each: which proxy wants which secret, until when, how to give back.
std::vector<std::string> BesideUrls(const distribution::v1::ExtractRequest& asked,
                                    const distribution::v1::ExtractResponse& answer);

// Found wanting where there are fewer machines than were asked for.
Result ExtractionVerdict(const distribution::v1::ExtractRequest& asked,
                         const distribution::v1::ExtractResponse& answer);

}  // namespace holdfast::cli
