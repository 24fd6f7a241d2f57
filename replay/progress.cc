#include "replay/progress.h"

#include <utility>

namespace holdfast::replay {
namespace {

constexpr std::uint64_t kWorthShowing = 200'000;  // entries: less is done before one has read the line

}  // namespace

Progress::Progress(const Environment& environment, std::string what, Sequence end)
    : environment_(environment), what_(std::move(what)), end_(end.value()) {}

Progress::~Progress() {
  if (shown_ > 0) environment_.errors << "\r\x1b[K" << std::flush;
}

void Progress::At(Sequence sequence) {
  if (!environment_.shows_progress || end_ < kWorthShowing) return;
  const std::uint64_t hundredth = sequence.value() * 100 / end_;
  if (hundredth + 1 == shown_) return;
  shown_ = hundredth + 1;
  environment_.errors << '\r' << what_ << ": sequence " << sequence.value() << " of " << end_ << " (" << hundredth
                      << " %)" << std::flush;
}

}  // namespace holdfast::replay
