// CHECK: a broken invariant ends the process, always, with the sequence that was being decided or applied.
//
// Thread: any. The sequence is per thread and is set by whoever decides or folds (ScopedCheckSequence). Nothing is
// caught and nothing is repaired: what is uncertain fails closed, and a restart refolds the log.

#pragma once

#include <cstdint>

namespace holdfast {

[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

// Names the entry under way in what CheckFailed prints.
class ScopedCheckSequence {
 public:
  explicit ScopedCheckSequence(std::uint64_t sequence);
  ~ScopedCheckSequence();
  ScopedCheckSequence(const ScopedCheckSequence&) = delete;
  ScopedCheckSequence& operator=(const ScopedCheckSequence&) = delete;

 private:
  std::uint64_t previous_;
};

// Called once with the sequence before the process aborts, e.g. to write the input that broke the invariant. May be
// null.
using CheckHook = void (*)(std::uint64_t sequence);
void SetCheckHook(CheckHook hook);

}  // namespace holdfast

#define HOLDFAST_CHECK(condition)                              \
  do {                                                         \
    if (!(condition)) [[unlikely]]                             \
      ::holdfast::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)
