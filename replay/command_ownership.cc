#include "replay/command_ownership.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <memory>
#include <tuple>
#include <vector>

#include "replay/enum_word.h"
#include "replay/json_text.h"
#include "replay/log_fold.h"
#include "replay/text_table.h"
#include "replay/time_text.h"

namespace holdfast::replay {
namespace {

bool IsAskedFor(const OwnershipPeriod& period, const OwnershipCommand& command) {
  return (command.proxy_id.empty() || period.proxy_id == command.proxy_id) &&
         (command.worker_id.empty() || period.worker_id == command.worker_id);
}

std::string At(LogTime time, Sequence sequence) { return absl::StrCat(TimeText(time), " #", sequence.value()); }

// The entries that prove a drain: shown, acknowledged, reported zero.
std::string Proof(const OwnershipPeriod& period) {
  if (period.end_reason != EndReason::kDrained) return "";
  return absl::StrCat(" (#", period.issue_sequence.value(), ", #", period.ack_sequence.value(), ", #",
                      period.report_sequence.value(), ")");
}

std::string EndText(const OwnershipPeriod& period) {
  if (!IsAbsent(period.ended_at))
    return absl::StrCat(At(period.ended_at, period.ended_sequence), " ", Word(period.end_reason), Proof(period));
  if (IsAbsent(period.owned_until)) return "held";
  if (!period.client_id.empty()) return absl::StrCat("extracted, until ", TimeText(period.owned_until));
  return absl::StrCat("lapsing, until ", TimeText(period.owned_until));
}

std::vector<std::string> Cells(const OwnershipPeriod& period) {
  std::string revoked;
  if (!IsAbsent(period.revoked_at)) {
    revoked = absl::StrCat(At(period.revoked_at, period.revoked_sequence), " ", Word(period.revoke_reason));
  }
  const bool client = !period.client_id.empty();
  const bool lapsed = period.lapse_cause != LapseCause::kUnspecified;
  return {period.proxy_id,
          client ? absl::StrCat("client ", period.client_id) : period.worker_id,
          client ? "" : std::to_string(period.epoch.value()),
          At(period.granted_at, period.granted_sequence),
          revoked,
          lapsed ? Word(period.lapse_cause) : "",
          EndText(period),
          client ? period.extraction_id : period.session_id};
}

Json PeriodJson(const OwnershipPeriod& period) {
  const auto word = [](auto value) { return static_cast<int>(value) == 0 ? Json(nullptr) : Json(Word(value)); };
  Json json;
  json["proxy_id"] = period.proxy_id;
  json["address"] = period.address;
  json["worker_id"] = period.worker_id;
  json["session_id"] = period.session_id;
  if (!period.client_id.empty()) {
    json["client_id"] = period.client_id;
    json["extraction_id"] = period.extraction_id;
  }
  json["ownership_epoch"] = period.epoch.value();
  json["granted_at"] = TimeJson(period.granted_at);
  json["granted_sequence"] = SequenceJson(period.granted_sequence);
  json["revoked_at"] = TimeJson(period.revoked_at);
  json["revoked_sequence"] = SequenceJson(period.revoked_sequence);
  json["revoke_reason"] = word(period.revoke_reason);
  json["lapse_cause"] = word(period.lapse_cause);
  json["owned_until"] = TimeJson(period.owned_until);
  json["ended_at"] = TimeJson(period.ended_at);
  json["ended_sequence"] = SequenceJson(period.ended_sequence);
  json["end_reason"] = word(period.end_reason);
  json["revoked_by"] = period.revoked_by.empty() ? Json(nullptr) : Json(period.revoked_by);
  json["target_version"] = period.target_version.value() == 0 ? Json(nullptr) : Json(period.target_version.value());
  json["issue_sequence"] = SequenceJson(period.issue_sequence);
  json["ack_sequence"] = SequenceJson(period.ack_sequence);
  json["report_sequence"] = SequenceJson(period.report_sequence);
  return json;
}

void Write(const std::vector<OwnershipPeriod>& periods, const OwnershipCommand& command, std::ostream& out) {
  if (command.json) {
    out << "{\"periods\":[";
    const char* separator = "\n";
    for (const OwnershipPeriod& period : periods) {
      out << separator << JsonText(PeriodJson(period));
      separator = ",\n";
    }
    out << "]}\n";
    return;
  }
  TextTable table(out, {"PROXY", "WORKER", "EPOCH", "GRANTED", "REVOKED", "LAPSED_BY", "ENDED", "SESSION"});
  for (const OwnershipPeriod& period : periods) table.Add(Cells(period));
  table.Finish("Never held.");
}

bool IsKnown(const ControllerState& state, const OwnershipCommand& command, bool proxy_seen) {
  const bool worker = command.worker_id.empty() || state.sessions().Find(command.worker_id) != nullptr;
  return worker && (command.proxy_id.empty() || proxy_seen);
}

}  // namespace

ReplayExit RunOwnership(const EventLog& log, const OwnershipCommand& command, const Environment& environment) {
  const auto state = std::make_unique<ControllerState>();
  std::vector<OwnershipPeriod> periods;
  bool proxy_seen = false;
  const auto collect = [&](const std::vector<OwnershipPeriod>& all) {
    for (const OwnershipPeriod& period : all) {
      if (IsAskedFor(period, command)) periods.push_back(period);
    }
  };
  FoldHooks hooks;
  hooks.ended = collect;
  hooks.after = [&](const EntryView&, const Event& event) {
    const auto* added = std::get_if<ProxyAdded>(&event);
    proxy_seen = proxy_seen || (added != nullptr && added->spec->proxy_id.value() == command.proxy_id);
    return true;
  };
  if (const absl::Status status = FoldLog(log, environment, hooks, *state); !status.ok()) {
    environment.errors << "holdfast-replay: " << status.message() << '\n';
    return ExitOf(status);
  }
  if (!IsKnown(*state, command, proxy_seen)) {
    environment.errors << "holdfast-replay: this log never knew "
                       << (command.proxy_id.empty() || proxy_seen ? "worker " + command.worker_id
                                                                  : "proxy " + command.proxy_id)
                       << ". Look for it with `holdfast-replay state DIR`.\n";
    return ReplayExit::kCouldNotRun;
  }
  state->pool().addresses().ForEach(
      [&](AddressKey address, const AddressRow&) { collect(state->audit().Open(address)); });
  std::sort(periods.begin(), periods.end(), [](const OwnershipPeriod& a, const OwnershipPeriod& b) {
    return std::tie(a.granted_sequence, a.proxy_id) < std::tie(b.granted_sequence, b.proxy_id);
  });
  Write(periods, command, environment.out);
  return ReplayExit::kSound;
}

}  // namespace holdfast::replay
