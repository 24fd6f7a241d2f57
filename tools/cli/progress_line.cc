#include "tools/cli/progress_line.h"

#include <ostream>

#include "tools/cli/printable_text.h"

namespace holdfast::cli {

void ProgressLine::Show(const std::string& text) {
  if (!environment_.error_is_terminal) return;
  // Without its automatic wrap the terminal itself cuts what does not fit: a line that wraps cannot be rewritten.
  environment_.error << "\r\x1b[K\x1b[?7l" << PrintableText(text) << "\x1b[?7h" << std::flush;
  shown_ = true;
}

void ProgressLine::Notice(const std::string& text) {
  Clear();
  environment_.error << "holdfast: " << PrintableText(text) << '\n';
}

void ProgressLine::Clear() {
  if (shown_) environment_.error << "\r\x1b[K" << std::flush;
  shown_ = false;
}

}  // namespace holdfast::cli
