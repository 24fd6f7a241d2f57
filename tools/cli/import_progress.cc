#include "tools/cli/import_progress.h"

#include <ostream>

#include "tools/cli/printable_text.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

constexpr std::uint64_t kReadBetweenLines = 5'000;

}  // namespace

void ImportProgress::CountRead() {
  std::lock_guard lock(mutex_);
  if (++read_ % kReadBetweenLines == 0) ShowLocked();
}

void ImportProgress::Show() {
  std::lock_guard lock(mutex_);
  ShowLocked();
}

void ImportProgress::Notice(const std::string& text) {
  std::lock_guard lock(mutex_);
  ClearLocked();
  environment_.error << "holdfast: " << PrintableText(text) << '\n';
}

void ImportProgress::Clear() {
  std::lock_guard lock(mutex_);
  ClearLocked();
}

void ImportProgress::ShowLocked() {
  if (!environment_.error_is_terminal) return;
  const ImportCounts counts = tally_.counts();
  environment_.error << "\r\x1b[K" << CountText(read_) << " proxies read, " << CountText(counts.Answered())
                     << " answered, " << CountText(counts.rejected) << " rejected" << std::flush;
  shown_ = true;
}

void ImportProgress::ClearLocked() {
  if (shown_) environment_.error << "\r\x1b[K" << std::flush;
  shown_ = false;
}

}  // namespace holdfast::cli
