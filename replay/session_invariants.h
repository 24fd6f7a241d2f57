// What must hold of members at every sequence, looked up in the events alone and with arithmetic of its own: nothing
// here is shared with the projections or the rules, since it judges them.
//
// Life cycle: handed every event of a log in order, from the first. Thread: one at a time. An event that it does not
// list says nothing about members. After a violation it is not to be used further.

#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/log_time.h"
#include "events/ownership_events.h"
#include "events/session_events.h"
#include "events/snapshot_events.h"

namespace holdfast::replay {

// What is broken, for people; nullopt: nothing.
using Violation = std::optional<std::string>;

class SessionInvariants {
 public:
  Violation Check(const SessionOpened& event, LogTime at);
  Violation Check(const SessionActivated& event, LogTime at);
  Violation Check(const SessionAttached& event, LogTime at);
  Violation Check(const SessionDetached& event, LogTime at);
  Violation Check(const SessionHeard& event, LogTime at);
  Violation Check(const SessionDraining& event, LogTime at);
  Violation Check(const SessionClosed& event, LogTime at);
  Violation Check(const SnapshotIssued& event, LogTime at);
  Violation Check(const SnapshotAcknowledged& event, LogTime at);
  Violation Check(const SnapshotRefused& event, LogTime at);
  Violation Check(const UpdateAbandoned& event, LogTime at);
  Violation Check(const RuntimeAccepted& event, LogTime at);
  Violation Check(const OutcomesAccepted& event, LogTime at);
  Violation Check(const OwnershipGranted& event, LogTime at);
  Violation Check(const OwnershipResumed& event, LogTime at);

 private:
  enum class Life : std::uint8_t { kNone, kHandshaking, kActive, kDraining, kClosed };

  struct Member {
    std::string worker_id, instance_id, session_id;
    std::uint64_t epoch = 0;
    Life life = Life::kNone;
    std::uint64_t stream = 0;         // 0: detached
    std::uint64_t version = 0;        // highest that was issued, or promised not to be used
    std::uint64_t session_first = 0;  // versions of this session begin here
    std::uint64_t accepted = 0;       // highest of this session
    bool holds_accepted = false;      // and no refusal came after it
    std::uint64_t refused = 0;
    bool fenced = false;
    std::uint64_t outstanding = 0;
    std::uint64_t report_sequence = 0;
    std::uint64_t outcome_sequence = 0;

    bool open() const { return life != Life::kNone && life != Life::kClosed; }
  };

  // nullptr: never seen.
  Member* Find(WorkerKey worker);
  // The member with its session open, or what is wrong.
  Member* FindOpen(WorkerKey worker, const char* event, Violation& violation);
  Violation CheckLineage(const SessionOpened& event, const Member& member) const;
  Violation CheckCurrent(WorkerKey worker, Epoch epoch, const SessionId& session_id, const char* event);

  std::vector<Member> members_;  // by key, from 1
  absl::flat_hash_set<std::string> session_ids_;
};

}  // namespace holdfast::replay
