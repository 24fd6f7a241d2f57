#include "tools/judge/time_judge.h"

#include <algorithm>

namespace holdfast::judge {
namespace {

// Answers that came longer ago bound no call that may still be under way.
constexpr std::int64_t kTimesKeptUs = 60'000'000;

}  // namespace

const TimeJudge::TimeMark* TimeJudge::LastBefore(std::int64_t boot_us) const {
  const auto later = std::upper_bound(times_.begin(), times_.end(), boot_us,
                                      [](std::int64_t sent, const TimeMark& mark) { return sent <= mark.received_us; });
  return later == times_.begin() ? nullptr : &*std::prev(later);
}

std::optional<std::int64_t> TimeJudge::KnownAt(std::int64_t boot_us) const {
  const TimeMark* known = LastBefore(boot_us);
  return known ? std::optional(known->server_time_us) : std::nullopt;
}

void TimeJudge::Hear(const std::string& call, bool present, const google::protobuf::Timestamp& time,
                     std::int64_t sent_us, std::int64_t at_us) {
  if (!present || time.nanos() % 1'000 != 0) {
    records_.Report(ViolationKind::kAnswer, at_us, call + ": server_time is absent or not whole microseconds");
    return;
  }
  const std::int64_t server_time = MicrosOf(time);
  const TimeMark* known = LastBefore(sent_us);
  if (known && known->server_time_us > server_time) {
    records_.Report(ViolationKind::kTime, at_us,
                    call + ": server_time " + std::to_string(server_time) + " µs, sent at " + std::to_string(sent_us) +
                        " µs; an answer that had come at " + std::to_string(known->received_us) + " µs said " +
                        std::to_string(known->server_time_us) + " µs");
  }
  const std::int64_t highest = times_.empty() ? server_time : std::max(server_time, times_.back().server_time_us);
  times_.push_back({at_us, highest});
  while (times_.size() > 1 && times_[1].received_us < at_us - kTimesKeptUs) times_.pop_front();
}

}  // namespace holdfast::judge
