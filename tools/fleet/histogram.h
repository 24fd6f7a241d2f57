// Latencies in log-linear buckets: 32 a power of two, so a quantile is right within about 3 %.
//
// Microseconds from 0 to 2^40; what is above counts as that. One thread at a time.

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace holdfast::fleet {

class Histogram {
 public:
  void Add(std::int64_t micros) {
    const auto value = static_cast<std::uint64_t>(std::clamp<std::int64_t>(micros, 0, kLimit));
    ++buckets_[BucketOf(value)];
    ++count_;
    max_ = std::max(max_, value);
  }

  std::uint64_t count() const { return count_; }
  std::uint64_t max_micros() const { return max_; }

  // The upper edge of the bucket that holds the quantile, at most the maximum; 0 when empty. `permille` 0..1000.
  std::uint64_t Quantile(std::uint32_t permille) const {
    if (count_ == 0) return 0;
    const std::uint64_t wanted = std::max<std::uint64_t>(1, (count_ * permille + 999) / 1'000);
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
      seen += buckets_[bucket];
      if (seen >= wanted) return std::min(UpperEdge(bucket), max_);
    }
    return max_;
  }

 private:
  static constexpr int kSubBits = 5;
  static constexpr std::uint64_t kSubBuckets = std::uint64_t{1} << kSubBits;
  static constexpr std::int64_t kLimit = std::int64_t{1} << 40;

  static std::size_t BucketOf(std::uint64_t value) {
    if (value < kSubBuckets) return value;
    const int shift = std::bit_width(value) - kSubBits - 1;
    return static_cast<std::size_t>(shift + 1) * kSubBuckets + ((value >> shift) - kSubBuckets);
  }
  static std::uint64_t UpperEdge(std::size_t bucket) {
    if (bucket < kSubBuckets) return bucket;
    const std::uint64_t shift = bucket / kSubBuckets - 1;
    return ((kSubBuckets + bucket % kSubBuckets + 1) << shift) - 1;
  }

  std::array<std::uint64_t, 38 * kSubBuckets> buckets_{};
  std::uint64_t count_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace holdfast::fleet
