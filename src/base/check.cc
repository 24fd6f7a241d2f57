#include "base/check.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace holdfast {
namespace {

thread_local std::uint64_t current_sequence = 0;
std::atomic<CheckHook> check_hook{nullptr};

}  // namespace

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(
      stderr,
      "holdfast: broken invariant at sequence %llu: %s (%s:%d). The process ends; what was acknowledged is in the "
      "log. Look at it with: holdfast-replay verify DIR\n",
      static_cast<unsigned long long>(current_sequence), condition, file, line);
  std::fflush(stderr);
  if (CheckHook hook = check_hook.exchange(nullptr)) hook(current_sequence);
  std::abort();
}

ScopedCheckSequence::ScopedCheckSequence(std::uint64_t sequence) : previous_(current_sequence) {
  current_sequence = sequence;
}

ScopedCheckSequence::~ScopedCheckSequence() { current_sequence = previous_; }

void SetCheckHook(CheckHook hook) { check_hook.store(hook); }

}  // namespace holdfast
