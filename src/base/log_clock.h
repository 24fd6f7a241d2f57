// The time of the log. It runs by the boot-time clock, is slewed towards the wall by at most 0.1 %, and never jumps:
// a wall that is more than 5 s away is not followed, but reported, and an operator may move the log's time forward.
//
//   start, same boot:   last block's time + what the boot-time clock says has passed
//   start, other boot:  the later of the wall and the last block's time
//   start, empty log:   the wall
//   then                + boot-time passed ± at most 1/1000 of it, towards a wall within 5 s
//
// Called by the sequencer's driver. Thread: one at a time. Promises: pure in its readings; whole microseconds; Now
// never goes back; over any stretch the correction is at most 0.1 % of what passed, plus one microsecond. Does not:
// read a clock itself, or log anything: the driver turns an observation into an input.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/log_time.h"

namespace holdfast {

// Both clocks, read at one moment, in microseconds.
struct ClockReading {
  std::int64_t boot_micros = 0;
  std::int64_t wall_micros = 0;  // since the Unix epoch
};

// Where the log stands: of its last block.
struct LogClockAnchor {
  LogTime last_at;               // of its last entry
  std::string boot_id;           // of the boot that wrote it
  std::int64_t boot_micros = 0;  // boot-time clock that belongs to last_at
};

// The wall went away from the log's time, or came back to it.
struct ClockObservation {
  Duration offset{};  // wall minus log time
  LogTime wall;       // what the wall said
  bool over = false;  // true: the difference is 5 s or less again, and is followed
};

class LogClock {
 public:
  // The largest difference that is followed.
  static constexpr Duration kFollowedOffset{5'000'000};

  // `last`: nullopt for an empty log. `boot_id`: of the boot that runs now. `reported`: the offset that the log already
  // tells of, so that a restart does not tell it again; nullopt: none.
  LogClock(const std::optional<LogClockAnchor>& last, std::string_view boot_id, ClockReading now,
           std::optional<Duration> reported = std::nullopt);

  // Moves on to `now`. A boot-time reading before an earlier one counts as no time passed.
  LogTime Now(ClockReading now);

  // What Now has seen since the last call and nobody was told yet; the newest alone.
  std::optional<ClockObservation> TakeObservation();

  // Wall minus log time at the last reading.
  Duration Offset() const { return offset_; }
  // Whether the log's last block was written in this boot; false for an empty log.
  bool ContinuesBoot() const { return continues_boot_; }

  // An operator's logged decision. Requires: by >= 0.
  void MoveForward(Duration by);

 private:
  void Observe(std::int64_t wall_micros);

  bool continues_boot_ = false;
  LogTime time_;
  std::int64_t boot_micros_ = 0;  // of the last reading
  std::int64_t slew_credit_ = 0;  // microseconds passed that no correction was drawn from yet, below 1,000
  Duration offset_{};
  std::optional<Duration> reported_;  // offset that was last told of; nullopt: the wall is followed
  std::optional<ClockObservation> observation_;
};

}  // namespace holdfast
