// What is due when: keys ordered by (time, key), so that what is due comes out in one order on every machine. Exact
// rather than lazy, so that asking needs no repair and stays const (docs/decisions/0003).
//
// Thread: owned by its projection. Cost: a logarithm a change.

#pragma once

#include <absl/container/btree_set.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/log_time.h"

namespace holdfast {

template <class Key>
class DeadlineIndex {
 public:
  // Moves a key from one deadline to another; an absent time: none.
  void Move(Key key, LogTime from, LogTime to) {
    if (from == to) return;
    if (!IsAbsent(from)) due_.erase({from, key});
    if (!IsAbsent(to)) due_.insert({to, key});
  }

  std::optional<LogTime> Earliest() const {
    if (due_.empty()) return std::nullopt;
    return due_.begin()->first;
  }

  // Keys whose time has come, earliest first, at most `limit`.
  std::vector<Key> Due(LogTime now, std::size_t limit) const {
    std::vector<Key> keys;
    for (const auto& [time, key] : due_) {
      if (!IsOver(time, now) || keys.size() == limit) break;
      keys.push_back(key);
    }
    return keys;
  }

  // The same, with their times. F: void(LogTime, const Key&).
  template <class F>
  void ForEachDue(LogTime now, std::size_t limit, F&& f) const {
    std::size_t seen = 0;
    for (const auto& [time, key] : due_) {
      if (!IsOver(time, now) || seen++ == limit) break;
      f(time, key);
    }
  }

  bool empty() const { return due_.empty(); }

 private:
  absl::btree_set<std::pair<LogTime, Key>> due_;
};

}  // namespace holdfast
