#include "tools/cli/row_text.h"

#include <ostream>

#include "tools/cli/printable_text.h"

namespace holdfast::cli {

void WriteRow(std::ostream& out, std::string_view name, const std::string& value) {
  constexpr std::size_t kNameWidth = 13;
  std::string line(name);
  line.resize(kNameWidth, ' ');
  out << line << (value.empty() ? "-" : PrintableText(value)) << '\n';
}

}  // namespace holdfast::cli
