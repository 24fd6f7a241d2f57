// Prints a proxy with its credential as a URL: the other half of the round trip that the tests ask of the parser.

#pragma once

#include <optional>
#include <string>

#include "base/endpoint.h"
#include "tools/import/credential.h"

namespace holdfast::importer {

// scheme://user:password@host:port, percent-encoded but for letters, digits and -._~
std::string PrintAsUrl(const Endpoint& endpoint, const std::optional<Credential>& credential);

}  // namespace holdfast::importer
