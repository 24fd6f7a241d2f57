#include "tools/cli/import_progress.h"

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
  line_.Notice(text);
}

void ImportProgress::Clear() {
  std::lock_guard lock(mutex_);
  line_.Clear();
}

void ImportProgress::ShowLocked() {
  const ImportCounts counts = tally_.counts();
  line_.Show(CountText(read_) + " proxies read, " + CountText(counts.Answered()) + " answered, " +
             CountText(counts.rejected) + " rejected");
}

}  // namespace holdfast::cli
