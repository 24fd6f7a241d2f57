// The names of countries, to tell `host:port:Country` from a user name without a password.
//
// Pure, any thread. Names in English as lists write them ("The Netherlands", "DR Congo"), any case in ASCII letters.

#pragma once

#include <string_view>

namespace holdfast::importer {

bool IsCountryName(std::string_view text);
// "DE": two capital letters of ISO 3166-1.
bool IsCountryCode(std::string_view text);

}  // namespace holdfast::importer
