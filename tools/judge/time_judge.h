// Whether log time goes back, over all the answers that anybody was given.
//
// Fed in the order in which the answers came. What was sent after an answer had come may not be answered with an
// earlier time; answers that were under way together prove nothing about their order. Owned by the Judge, one thread
// at a time. Does not judge how fast log time goes.

#pragma once

#include <deque>
#include <optional>
#include <string>

#include "tools/judge/records.h"

namespace holdfast::judge {

class TimeJudge {
 public:
  explicit TimeJudge(Records& records) : records_(records) {}

  // The server_time of an answer. `call`: what was answered to whom, in words.
  void Hear(const std::string& call, bool present, const google::protobuf::Timestamp& time, std::int64_t sent_us,
            std::int64_t at_us);

  // Log time had reached this at that instant, since an answer that had come before said so; nothing: none had.
  std::optional<std::int64_t> KnownAt(std::int64_t boot_us) const;

 private:
  struct TimeMark {
    std::int64_t received_us = 0;
    std::int64_t server_time_us = 0;  // the highest up to then
  };

  const TimeMark* LastBefore(std::int64_t boot_us) const;

  Records& records_;
  std::deque<TimeMark> times_;  // ascending in both
};

}  // namespace holdfast::judge
