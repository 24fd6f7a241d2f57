#include "tools/cli/status_text.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <utility>
#include <vector>

#include "holdfast/admin/v1/admin.pb.h"
#include "tools/cli/clock_text.h"
#include "tools/cli/enum_word.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/row_text.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using audit::v1::GetStatusResponse;
using CountMap = google::protobuf::Map<std::string, std::uint64_t>;

constexpr std::size_t kShortHashBytes = 6;

std::string ShortHash(const std::string& hash) {
  return hash.empty() ? "unknown" : HexText(std::string_view(hash).substr(0, kShortHashBytes));
}

std::uint64_t Behind(std::uint64_t ahead, std::uint64_t behind) { return ahead > behind ? ahead - behind : 0; }

std::string BehindText(std::uint64_t lag) { return lag == 0 ? "up to date" : CountText(lag) + " behind"; }

std::string StateText(const GetStatusResponse& status, std::int64_t now) {
  std::string text = status.serving() ? "serving" : "NOT SERVING";
  if (!status.serving() && !status.not_serving_because().empty()) text += ": " + status.not_serving_because();
  if (status.has_hold_off_until()) {
    text += status.serving() ? ", but HOLDING OFF" : "; holding off";
    text += " until " + TimeWithAge(ToMicros(status.hold_off_until()), now);
    if (!status.hold_off_because().empty()) text += ": " + status.hold_off_because();
  }
  return text;
}

// What stands behind one word before the slash: "4,000 granted, 12 unowned (4,012 in all)".
struct CountLine {
  std::string parts;
  std::size_t part_count = 0;
  std::uint64_t total = 0;
};

// "worker/active" of the contract, a line for each word before the slash: those of `order` in its order, then others.
void WriteCounts(std::ostream& out, const char* name, const CountMap& counts, const std::vector<std::string>& order) {
  std::map<std::pair<std::size_t, std::string>, CountLine> lines;
  for (const auto& [key, count] : std::map<std::string, std::uint64_t>(counts.begin(), counts.end())) {
    const std::size_t slash = key.find('/');
    const std::string word = key.substr(0, slash);
    const auto place = static_cast<std::size_t>(std::find(order.begin(), order.end(), word) - order.begin());
    CountLine& line = lines[{place, word}];
    line.parts += (line.parts.empty() ? "" : ", ") + CountText(count);
    if (slash != std::string::npos) line.parts += " " + key.substr(slash + 1);
    line.total += count;
    ++line.part_count;
  }
  if (lines.empty()) WriteRow(out, name, "none");
  const char* label = name;
  for (const auto& [word, line] : lines) {
    const std::string total = line.part_count > 1 ? " (" + CountText(line.total) + " in all)" : "";
    WriteRow(out, label, word.second + ": " + line.parts + total);
    label = "";
  }
}

// "1,200 under way; waiting for a checker: basic since 7s".
std::string ChecksText(const GetStatusResponse& status) {
  std::string waiting;
  for (const std::string& level : EnumWords<controlplane::v1::CheckLevel>()) {
    const auto found = status.unchecked_age().find(level);
    if (found == status.unchecked_age().end()) continue;
    waiting += (waiting.empty() ? "" : ", ") + level + " since " + DurationText(ToMicros(found->second));
  }
  return CountText(status.checks_outstanding()) +
         " under way; waiting for a checker: " + (waiting.empty() ? "none" : waiting);
}

// ", 120 rows wait, the oldest for 2s".
std::string WaitingText(const GetStatusResponse& status) {
  std::string text;
  if (status.pool_rows_waiting() > 0) text += ", " + CountOf(status.pool_rows_waiting(), "row waits", "rows wait");
  const std::int64_t lag = ToMicros(status.pool_lag());
  if (lag > 0)
    text += std::string(text.empty() ? ", the oldest change waits" : ", the oldest") + " for " + DurationText(lag);
  return text;
}

void WritePoolRows(std::ostream& out, const GetStatusResponse& status) {
  std::string text = status.pool_backend().empty() ? std::string("none") : status.pool_backend();
  if (!status.pool_condition().empty()) text += ", " + status.pool_condition();
  if (status.pool_condition() == "writing")
    text += " (" + CountOf(status.pool_rows_written(), "row", "rows") + " so far)";
  WriteRow(out, "pool store",
           text + ", applied to " + CountText(status.pool_applied_sequence()) + ", " +
               BehindText(Behind(status.last_sequence(), status.pool_applied_sequence())) + WaitingText(status));
  if (!status.pool_trouble().empty()) WriteRow(out, "", "TROUBLE: " + status.pool_trouble());
}

// "1 asked, 12 standing".
std::string ExtractionsText(const CountMap& extractions) {
  std::string text;
  for (const auto& [word, count] : std::map<std::string, std::uint64_t>(extractions.begin(), extractions.end())) {
    if (count > 0) text += (text.empty() ? "" : ", ") + CountText(count) + " " + word;
  }
  return text.empty() ? "none" : text;
}

void WriteLogRows(std::ostream& out, const GetStatusResponse& status) {
  WriteRow(out, "log",
           "sequences " + CountText(status.first_sequence()) + " to " + CountText(status.last_sequence()) + ", " +
               BytesText(status.log_bytes()) + " (disk free " + BytesText(status.disk_free_bytes()) + "), id " +
               status.log_id());
  WriteRow(out, "last commit",
           status.has_since_last_commit()
               ? DurationText(ToMicros(status.since_last_commit())) + " ago, queue " + BytesText(status.queue_bytes())
               : "none since the start, queue " + BytesText(status.queue_bytes()));
  const std::string verified = status.verified_sequence() == 0 ? "none" : "to " + CountText(status.verified_sequence());
  WriteRow(out, "verified", verified + ", " + BehindText(Behind(status.last_sequence(), status.verified_sequence())));
  WriteRow(out, "checkpoint",
           status.checkpoint_sequence() == 0 ? "none" : "at " + CountText(status.checkpoint_sequence()));
}

Json CountsJson(const CountMap& map) {
  Json json = Json::object();
  for (const auto& [key, count] : std::map<std::string, std::uint64_t>(map.begin(), map.end())) json[key] = count;
  return json;
}

void PutPool(const GetStatusResponse& status, Json& json) {
  json["pool_backend"] = TextJson(status.pool_backend());
  json["pool_applied_sequence"] = status.pool_applied_sequence();
  json["pool_condition"] = TextJson(status.pool_condition());
  json["pool_trouble"] = TextJson(status.pool_trouble());
  json["pool_lag_ms"] = status.has_pool_lag() ? Json(ToMicros(status.pool_lag()) / 1000) : Json(nullptr);
  json["pool_rows_waiting"] = status.pool_rows_waiting();
  json["pool_rows_written"] = status.pool_rows_written();
  json["extractions"] = CountsJson(status.extractions());
}

}  // namespace

void WriteStatus(std::ostream& out, const std::string& server, const GetStatusResponse& status) {
  const std::int64_t now = ToMicros(status.log_time());
  std::string head = "holdfastd " + status.software_version() + " at " + server + ", " + EnumWord(status.role());
  if (status.has_started_at()) head += ", started " + TimeWithAge(ToMicros(status.started_at()), now);
  out << PrintableText(head) << "\n\n";
  WriteRow(out, "state", StateText(status, now));
  WriteRow(out, "alarms", status.alarms() == 0 ? "none" : CountText(status.alarms()) + " RAISED");
  WriteRow(out, "connection",
           status.insecure() ? "INSECURE: plaintext on loopback, every caller may be anyone" : "mutual TLS");
  WriteCounts(out, "sessions", status.sessions(), EnumWords<controlplane::v1::SessionKind>());
  WriteCounts(out, "proxies", status.proxies(), EnumWords<admin::v1::PoolState>());
  WriteRow(out, "checks", ChecksText(status));
  WriteRow(out, "extractions", ExtractionsText(status.extractions()));
  WriteLogRows(out, status);
  WritePoolRows(out, status);
  WriteRow(out, "log clock", TimeText(now) + ", " + ClockText(ToMicros(status.clock_offset())));
  WriteRow(out, "rules",
           "version " + std::to_string(status.rules_version()) + ", configuration " + ShortHash(status.config_hash()) +
               ", chain " + ShortHash(status.chain_hash()));
}

Json StatusJson(const std::string& server, const GetStatusResponse& status) {
  Json json;
  json["server"] = server;
  json["software_version"] = status.software_version();
  json["role"] = EnumWord(status.role());
  json["serving"] = status.serving();
  json["not_serving_because"] = TextJson(status.not_serving_because());
  json["hold_off_until"] = TimeJson(status.has_hold_off_until(), status.hold_off_until());
  json["hold_off_because"] = TextJson(status.hold_off_because());
  json["alarms"] = status.alarms();
  json["insecure"] = status.insecure();
  json["started_at"] = TimeJson(status.has_started_at(), status.started_at());
  json["sessions"] = CountsJson(status.sessions());
  json["proxies"] = CountsJson(status.proxies());
  json["checks_outstanding"] = status.checks_outstanding();
  json["unchecked_age_ms"] = Json::object();
  for (const auto& [level, age] : status.unchecked_age()) json["unchecked_age_ms"][level] = ToMicros(age) / 1000;
  json["queue_bytes"] = status.queue_bytes();
  json["since_last_commit_ms"] =
      status.has_since_last_commit() ? Json(ToMicros(status.since_last_commit()) / 1000) : Json(nullptr);
  json["log_id"] = status.log_id();
  json["first_sequence"] = status.first_sequence();
  json["last_sequence"] = status.last_sequence();
  json["checkpoint_sequence"] = status.checkpoint_sequence();
  json["verified_sequence"] = status.verified_sequence();
  json["verified_lag"] = Behind(status.last_sequence(), status.verified_sequence());
  json["log_bytes"] = status.log_bytes();
  json["disk_free_bytes"] = status.disk_free_bytes();
  json["log_time"] = TimeJson(status.has_log_time(), status.log_time());
  json["clock_offset_ms"] = ToMicros(status.clock_offset()) / 1000;
  PutPool(status, json);
  json["rules_version"] = status.rules_version();
  json["config_hash"] = HexText(status.config_hash());
  json["chain_hash"] = HexText(status.chain_hash());
  json["state_digest"] = HexText(status.state_digest());
  return json;
}

std::string StatusFault(const GetStatusResponse& status) {
  if (!status.serving()) return "it does not serve";
  if (status.has_hold_off_until()) return "it holds off";
  if (status.alarms() > 0) return CountText(status.alarms()) + " alarm(s) are raised";
  if (status.pool_condition() == "superseded") return "a later controller writes its pool store: two of them run";
  if (status.pool_condition() == "away" && !status.pool_trouble().empty()) {
    return "nothing is extracted, its pool store is away (" + PrintableText(status.pool_trouble()) + ")";
  }
  return "";
}

}  // namespace holdfast::cli
