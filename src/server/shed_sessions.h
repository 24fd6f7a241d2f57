// The sessions whose calls were shed since it was last asked: their silence is the controller's, and once a second they
// come in as one input (CallsShed), which renews them.
//
// Thread: any. Promises: each session once; bounded (what is over the bound waits for its next shed call).

#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "holdfast/log/v1/input.pb.h"
#include "server/member_kind.h"

namespace holdfast::server {

class ShedSessions {
 public:
  static constexpr std::size_t kMost = 10'000;

  void Note(MemberKind kind, const std::string& member_id, const std::string& session_id);
  // nullopt: nobody's call was shed.
  std::optional<log::v1::Input> Take();

 private:
  using Session = std::tuple<MemberKind, std::string, std::string>;  // member id, session id

  std::mutex mutex_;
  std::set<Session> sessions_;  // guarded by mutex_
};

}  // namespace holdfast::server
