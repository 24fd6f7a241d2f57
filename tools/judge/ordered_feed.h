// Brings happenings of many workers into the order of their instants before the judge hears them.
//
// Add: any thread, with instants that lie at most `delay` before the newest. Deliver and Finish: one thread at a time.
// Equal instants keep the order in which they were added.

#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "tools/judge/judge.h"

namespace holdfast::judge {

class OrderedFeed {
 public:
  OrderedFeed(Judge& judge, std::int64_t delay_us) : judge_(judge), delay_us_(delay_us) {}

  void Add(Happening happening) {
    const std::lock_guard lock(mutex_);
    const std::pair key(happening.at_us, ++added_);
    waiting_.emplace(key, std::move(happening));
  }

  // Gives the judge what is older than now_us - delay.
  void Deliver(std::int64_t now_us) { DeliverBefore(now_us - delay_us_); }
  // Gives it all the rest.
  void Finish() { DeliverBefore(INT64_MAX); }

 private:
  using Key = std::pair<std::int64_t, std::uint64_t>;

  void DeliverBefore(std::int64_t limit_us) {
    std::map<Key, Happening> ready;
    {
      const std::lock_guard lock(mutex_);
      const auto end = waiting_.lower_bound(Key(limit_us, 0));
      while (waiting_.begin() != end) ready.insert(ready.end(), waiting_.extract(waiting_.begin()));
    }
    for (const auto& [key, happening] : ready) judge_.Hear(happening);
  }

  Judge& judge_;
  const std::int64_t delay_us_;
  std::mutex mutex_;  // guards all below
  std::uint64_t added_ = 0;
  std::map<Key, Happening> waiting_;
};

}  // namespace holdfast::judge
