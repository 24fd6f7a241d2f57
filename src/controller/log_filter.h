// Which entries speak of a proxy, a member, a session, or are of some kinds. docs/log_reading.md.
//
// Called by ReadLog on the reader pool's threads and by the replay tool. Thread: one at a time; entries must be shown
// in order, all of them. Promises: an entry matches when every set filter does. Names are looked for in the input and
// in the events; keys (numbers) in events count when they are known to be the proxy's, its address's or the member's:
// learned from the entries shown, so that a filter shown a log from its beginning misses nothing, and from a state
// (Seed) for one that begins later. Does not: decode (log_render.h), know keys of what was removed before the first
// entry that it is shown.

#pragma once

#include <absl/container/btree_set.h>

#include <google/protobuf/message.h>

#include <map>
#include <string>
#include <vector>

#include "controller/log_render.h"
#include "projections/controller_state.h"

namespace holdfast {

// Empty: any.
struct LogFilterSettings {
  std::string proxy_id;
  std::string member_id;
  std::string session_id;
  std::vector<std::string> kinds;  // of inputs
};

// Whether a kind of input has this name.
bool IsInputKind(const std::string& name);

class LogFilter {
 public:
  // What a field says: the key or the name of something, or nothing that a filter knows.
  enum class Role { kNone, kProxyKey, kAddressKey, kWorkerKey, kCheckerKey, kProxyId, kMemberId, kSessionId };
  static Role RoleOf(const google::protobuf::FieldDescriptor& field);

  explicit LogFilter(LogFilterSettings settings);

  // Learns what a state knows, where the first entry shown will not be the log's first. Before the first Matches.
  void Seed(const ControllerState& state);

  // Learns from the entry; whether it is wanted.
  bool Matches(const EntryView& entry, const EntryMessages& messages);

 private:
  struct Step {
    const google::protobuf::FieldDescriptor* field = nullptr;
    Role role = Role::kNone;  // kNone: a message to descend into
  };
  using Plan = std::vector<Step>;
  struct Seen {
    bool proxy = false, member = false, session = false;
  };
  // A worker and a checker may have one id. 0: not known yet.
  struct MemberKeys {
    std::uint32_t worker = 0, checker = 0;
  };

  bool WantsMore(const Seen& seen) const;
  const Plan& PlanOf(const google::protobuf::Descriptor& type);
  void Learn(const log::v1::Event& event);
  template <class Opened>
  void LearnOpened(const Opened& opened, const std::string& member_id, std::uint32_t MemberKeys::*kind,
                   std::uint32_t key);
  void Forget(const log::v1::Event& event);
  void Look(const google::protobuf::Message& message, Seen& seen);
  void LookAtField(const google::protobuf::Message& message, const Step& step, Seen& seen);
  void LookAtNumber(Role role, std::uint32_t key, Seen& seen) const;
  void LookAtText(Role role, const std::string& text, Seen& seen) const;

  const LogFilterSettings settings_;
  std::map<const google::protobuf::Descriptor*, Plan> plans_;  // looked up only
  absl::btree_set<std::uint32_t> proxies_;
  absl::btree_set<std::uint32_t> addresses_;
  MemberKeys member_;
  MemberKeys session_;     // whose session it is, while it is open
  LogTime session_since_;  // entries before it belong to an earlier session of that member
  LogTime at_;             // of the entry under way
};

}  // namespace holdfast
