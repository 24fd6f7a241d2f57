// Named values for people, one a line: "verdict      pass".
//
// Called by what shows one thing instead of a list. Thread: one. Control characters in a value are escaped, as in a
// table.

#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace holdfast::cli {

// An empty value is shown as "-". An empty name goes on with the value above.
void WriteRow(std::ostream& out, std::string_view name, const std::string& value);

}  // namespace holdfast::cli
