// What holdfast-checker prints: one line an event on stdout, for people, or with --json one JSON object.
//
// Any thread; a line is written whole and at once. JSON: {"event": …, "at": RFC 3339, …}:
//   registered       checker_id, session_id, server
//   register_failed  server, why
//   summary          passed, failed, inconclusive {reason: count}, cancelled, running: since the start
//   finished         the last line: end ("drained", "drain_timed_out", "stopped", "refused"), why
// No line holds an address of a proxy, a secret_ref or anything that a proxy said.

#pragma once

#include <mutex>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "base/wall_clock.h"
#include "session/session_machine.h"
#include "tools/checker/check_counts.h"

namespace holdfast::checker {

class EventLines {
 public:
  // Requires: both outlive it.
  EventLines(std::ostream& out, const WallClock& wall_clock, bool json)
      : out_(out), wall_clock_(wall_clock), json_(json) {}

  void Registered(const std::string& checker_id, const std::string& session_id, const std::string& server);
  void RegisterFailed(const std::string& server, const std::string& why);
  void Summary(const CheckCounts& counts);
  void Finished(session::SessionEnd end, const std::string& why);

 private:
  void Write(nlohmann::ordered_json fields, const std::string& words);

  std::mutex mutex_;  // guards out_
  std::ostream& out_;
  const WallClock& wall_clock_;
  const bool json_;
};

}  // namespace holdfast::checker
