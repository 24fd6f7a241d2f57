#include "pool/redis_clock.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <optional>
#include <utility>

#include "pool/trouble.h"

namespace holdfast::pool {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kMostSeconds = 253'402'300'799;  // the end of the year 9999

// Seconds and microseconds, as texts.
std::optional<std::int64_t> MicrosOf(const RedisReply& reply) {
  if (!reply.is_array() || reply.elements.size() != 2) return std::nullopt;
  std::int64_t seconds = 0;
  std::int64_t micros = 0;
  if (!absl::SimpleAtoi(reply.elements[0].text, &seconds) || !absl::SimpleAtoi(reply.elements[1].text, &micros)) {
    return std::nullopt;
  }
  if (seconds < 0 || seconds > kMostSeconds || micros < 0 || micros >= kMillion) return std::nullopt;
  return seconds * kMillion + micros;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RedisClockSampler>> RedisClockSampler::Make(RedisSettings settings,
                                                                           const BootClock& clock) {
  if (absl::Status status = Validate(settings); !status.ok()) return status;
  return std::unique_ptr<RedisClockSampler>(new RedisClockSampler(std::move(settings), clock));
}

absl::Status RedisClockSampler::Connect() {
  if (connection_ != nullptr && !connection_->IsStale()) return absl::OkStatus();
  connection_.reset();
  const auto places = static_cast<std::int64_t>(settings_.addresses.size() + 2 * settings_.sentinels.size());
  auto found = finder_.FindMaster(Deadline(clock_, settings_.connect_timeout * places));
  if (!found.ok()) return found.status();
  connection_ = *std::move(found);
  return absl::OkStatus();
}

absl::StatusOr<ClockSample> RedisClockSampler::Ask() {
  const RedisCommand commands[] = {{"TIME"}};
  ClockSample sample;
  sample.before_micros = clock_.Micros();
  const auto replies = connection_->Run(commands, Deadline(clock_, settings_.connect_timeout));
  sample.after_micros = clock_.Micros();
  if (!replies.ok()) return replies.status();
  const RedisReply& reply = replies->front();
  if (reply.is_error()) return StatusOfError(reply, connection_->where());
  const std::optional<std::int64_t> told = MicrosOf(reply);
  if (!told) return WrongAnswer(absl::StrCat("Redis at ", connection_->where(), " does not say what time it is"));
  sample.told_micros = *told;
  return sample;
}

absl::StatusOr<ClockSample> RedisClockSampler::Sample() {
  if (absl::Status status = Connect(); !status.ok()) return status;
  absl::StatusOr<ClockSample> sample = Ask();
  // It may answer late, or be a replica by now: look anew.
  if (!sample.ok()) connection_.reset();
  return sample;
}

}  // namespace holdfast::pool
