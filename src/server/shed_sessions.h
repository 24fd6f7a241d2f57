// The sessions whose calls were shed since it was last asked: their silence is the controller's, and once a second they
// come in as one input (CallsShed), which renews them.
//
// Thread: any. Promises: each session once; bounded (what is over the bound waits for its next shed call).

#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "holdfast/log/v1/input.pb.h"

namespace holdfast::server {

class ShedSessions {
 public:
  static constexpr std::size_t kMost = 10'000;

  void Note(const std::string& worker_id, const std::string& session_id);
  // nullopt: nobody's call was shed.
  std::optional<log::v1::Input> Take();

 private:
  std::mutex mutex_;
  std::set<std::pair<std::string, std::string>> sessions_;  // guarded by mutex_
};

}  // namespace holdfast::server
