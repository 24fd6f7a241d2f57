// Text from elsewhere (proxy lists, servers) made harmless for a terminal and for JSON.
//
// Called wherever something is shown to a person. Pure. Promises that no control character and no invalid UTF-8 comes
// out, so that a list line cannot move the cursor or fake a line. Does not hide anything: what it changes stays
// readable as \xNN.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace holdfast::cli {

std::string PrintableText(std::string_view text);
// Columns that a terminal gives to text that PrintableText returned: one a code point.
std::size_t DisplayWidth(std::string_view text);

}  // namespace holdfast::cli
