#include "tools/checker/event_lines.h"

#include "absl/strings/str_cat.h"
#include "tools/cli/time_text.h"

namespace holdfast::checker {
namespace {

using Json = nlohmann::ordered_json;
using session::SessionEnd;

std::string EndName(SessionEnd end) {
  switch (end) {
    case SessionEnd::kDrained:
      return "drained";
    case SessionEnd::kDrainTimedOut:
      return "drain_timed_out";
    case SessionEnd::kRefusedForGood:
      return "refused";
    case SessionEnd::kStopped:
    case SessionEnd::kNotYet:
      break;
  }
  return "stopped";
}

// Only what there is any of.
Json InconclusiveByReason(const CheckCounts& counts) {
  Json reasons = Json::object();
  for (std::size_t i = 0; i < counts.inconclusive.size(); ++i) {
    if (counts.inconclusive[i] > 0) reasons[std::string(kTroubleNames[i])] = counts.inconclusive[i];
  }
  return reasons;
}

}  // namespace

void EventLines::Registered(const std::string& checker_id, const std::string& session_id, const std::string& server) {
  Write({{"event", "registered"}, {"checker_id", checker_id}, {"session_id", session_id}, {"server", server}},
        "registered at " + server + " as " + checker_id + ", session " + session_id);
}

void EventLines::RegisterFailed(const std::string& server, const std::string& why) {
  Write({{"event", "register_failed"}, {"server", server}, {"why", why}},
        "not registered at " + server + ": " + why + "; it will be tried again");
}

void EventLines::Summary(const CheckCounts& counts) {
  const Json reasons = InconclusiveByReason(counts);
  std::string words = absl::StrCat("checked: ", counts.passed, " passed, ", counts.failed, " failed");
  for (const auto& [reason, count] : reasons.items()) {
    absl::StrAppend(&words, ", ", count.get<std::uint64_t>(), " inconclusive (", reason, ")");
  }
  absl::StrAppend(&words, "; ", counts.cancelled, " cancelled, ", counts.running, " running");
  Write({{"event", "summary"},
         {"passed", counts.passed},
         {"failed", counts.failed},
         {"inconclusive", reasons},
         {"cancelled", counts.cancelled},
         {"running", counts.running}},
        words);
}

void EventLines::Finished(SessionEnd end, const std::string& why) {
  Write({{"event", "finished"}, {"end", EndName(end)}, {"why", why}},
        "finished: " + EndName(end) + (why.empty() ? "" : ": " + why));
}

void EventLines::Write(Json fields, const std::string& words) {
  const std::string at = cli::Rfc3339(wall_clock_.Micros());
  const std::lock_guard lock(mutex_);
  if (json_) {
    fields["at"] = at;
    out_ << fields.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  } else {
    out_ << at << " " << words << std::endl;
  }
}

}  // namespace holdfast::checker
