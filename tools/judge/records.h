// What the judge remembers of workers, sessions and versions: shared by its parts, decides nothing.
//
// Owned by the Judge, touched by one thread at a time.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "tools/judge/conservative_clock.h"
#include "tools/judge/content.h"
#include "tools/judge/happening.h"
#include "tools/judge/violation.h"

namespace holdfast::judge {

// One version of a session, as it came.
struct VersionRecord {
  std::uint64_t version = 0;
  std::int64_t valid_until_us = 0;
  std::string checksum;
  ContentPointer content;
};

struct SessionRecord {
  std::string id;
  Who who;
  std::uint64_t epoch = 0;
  bool takes_deltas = false;
  bool resolves_secret_refs = false;
  std::optional<std::uint32_t> max_proxies;
  std::int64_t registered_sent_us = 0;  // of the registration that opened it
  std::int64_t session_ttl_us = 0;
  std::int64_t lapse_grace_us = 0;
  std::shared_ptr<ConservativeClock> clock = std::make_shared<ConservativeClock>();

  // Updates. Versions below the accepted one are forgotten.
  std::map<std::uint64_t, VersionRecord> versions;
  std::uint64_t last_received = 0;
  std::uint64_t outstanding = 0;  // on the newest stream, no answer sent yet; 0: none

  // Answers.
  std::uint64_t accepted = 0;         // by an answered positive ACK
  std::set<std::uint64_t> acks_sent;  // positive ones, at or above the accepted
  bool fenced = false;                // a refusal was accepted after it
  wire::SessionState state = wire::SESSION_STATE_HANDSHAKING;
  std::int64_t state_known_us = 0;        // when that answer came
  std::int64_t last_renewal_sent_us = 0;  // of the last call that certainly renewed it
  std::uint64_t last_outcome_accepted = 0;
};

struct WorkerRecord {
  std::uint64_t highest_epoch = 0;
  InstanceId last_instance;
  std::int64_t last_registration_sent_us = 0;
  std::uint64_t highest_version = 0;  // received by any session, and when
  bool saw_gap = false;               // a version was issued that never came
  std::int64_t highest_version_received_us = 0;
  std::set<std::string> session_ids;
};

inline std::int64_t MicrosOf(const google::protobuf::Timestamp& time) {
  return time.seconds() * 1'000'000 + time.nanos() / 1'000;
}

struct Records {
  std::map<WorkerId, WorkerRecord> workers;
  std::map<std::string, SessionRecord> sessions;  // by session_id
  std::map<Who, std::set<std::string>> shown;     // addresses that each was shown as ACTIVE or SUSPECT
  std::function<void(Violation)> report;

  void Report(ViolationKind kind, std::int64_t at_us, std::string text) { report({kind, at_us, std::move(text)}); }
  SessionRecord* Session(const std::string& session_id) {
    const auto found = sessions.find(session_id);
    return found == sessions.end() ? nullptr : &found->second;
  }
};

// "worker w1 (instance 0123abcd)"
inline std::string Name(const Who& who) {
  return "worker " + who.worker.value() + " (instance " + who.instance.value().substr(0, 8) + ")";
}

}  // namespace holdfast::judge
