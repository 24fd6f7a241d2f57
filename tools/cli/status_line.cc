#include "tools/cli/status_line.h"

#include <ostream>

#include "tools/cli/printable_text.h"

namespace holdfast::cli {

void StatusLine::Show(const std::string& text) {
  const std::string printable = PrintableText(text);
  if (printable == shown_) return;
  shown_ = printable;
  if (!environment_.out_is_terminal) {
    environment_.out << printable << std::endl;
    return;
  }
  // Without its automatic wrap the terminal itself cuts what does not fit, also after it was made narrower.
  environment_.out << "\r\x1b[K\x1b[?7l" << printable << "\x1b[?7h" << std::flush;
  open_ = true;
}

void StatusLine::End() {
  if (open_) environment_.out << std::endl;
  open_ = false;
}

}  // namespace holdfast::cli
