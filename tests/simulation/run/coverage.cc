#include "tests/simulation/run/coverage.h"

#include <algorithm>
#include <set>
#include <utility>

#include "controlplane/v1/types.pb.h"
#include "holdfast/log/v1/event.pb.h"
#include "holdfast/log/v1/input.pb.h"
#include "tests/simulation/world/faults.h"
#include "tests/simulation/world/operation.h"

namespace holdfast::simulation {
namespace {

using Names = std::set<std::pair<std::string, std::string>>;

void AddFields(const google::protobuf::Descriptor& message, const std::string& group, Names& names) {
  for (int i = 0; i < message.field_count(); ++i) names.emplace(group, message.field(i)->name());
}

void AddRejections(Names& names) {
  const auto& reasons = *controlplane::v1::RejectReason_descriptor();
  for (int i = 0; i < reasons.value_count(); ++i) {
    if (reasons.value(i)->number() != 0) names.emplace("rejection", reasons.value(i)->name());
  }
}

void AddEdges(Names& names) {
  for (const char* edge : {"none to handshaking", "closed to handshaking", "handshaking to active",
                           "handshaking to closed", "active to draining", "active to closed", "draining to closed"}) {
    names.emplace("session edge", edge);
  }
  for (const char* edge :
       {"none to handshaking", "closed to handshaking", "handshaking to active", "handshaking to closed",
        "active to draining", "active to closed", "draining to draining", "draining to closed"}) {
    names.emplace("checker edge", edge);
  }
  for (const char* edge : {"unknown to available", "unknown to suspect", "available to suspect", "suspect to available",
                           "suspect to unhealthy", "unhealthy to available", "unknown to suspect by outcomes",
                           "available to suspect by outcomes"}) {
    names.emplace("health edge", edge);
  }
  for (const char* whose : {"of everybody's word", "of one checker's word"}) names.emplace("freeze", whose);
  for (const char* by : {"by what is said", "by an operator", "with its checker", "with its routing"}) {
    names.emplace("freeze lifted", by);
  }
  for (const char* edge :
       {"unowned to granted", "granted to revoking", "granted to lapsing", "granted to unowned", "revoking to revoking",
        "revoking to lapsing", "revoking to unowned", "lapsing to lapsing", "lapsing to granted", "lapsing to unowned",
        "unowned to extracting", "extracting to extracted", "extracting to unowned", "extracted to unowned"}) {
    names.emplace("ownership edge", edge);
  }
  for (const char* alarm :
       {"ALARM_KIND_INSTANCE_CONFLICT", "ALARM_KIND_CLOCK_JUMPED", "ALARM_KIND_SNAPSHOT_REFUSED",
        "ALARM_KIND_SNAPSHOT_OVERSIZE", "ALARM_KIND_DRAIN_FORCED", "ALARM_KIND_HISTORY_LOST", "ALARM_KIND_SYNC_STALLED",
        "ALARM_KIND_HEALTH_FROZEN", "ALARM_KIND_CHECKING_SHORT", "ALARM_KIND_JUDGE_SILENT", "ALARM_KIND_HOLD_OFF",
        "ALARM_KIND_POOL_BEHIND", "ALARM_KIND_POOL_FOREIGN"}) {
    names.emplace("alarm", alarm);
  }
  for (const char* reason :
       {"REJECT_REASON_SESSION_SUPERSEDED", "REJECT_REASON_SESSION_EXPIRED", "REJECT_REASON_SESSION_CLOSED",
        "REJECT_REASON_STREAM_REPLACED", "REJECT_REASON_ACK_TIMEOUT"}) {
    names.emplace("stream end", reason);
  }
  for (const char* reason : {"REJECT_REASON_SESSION_SUPERSEDED", "REJECT_REASON_SESSION_EXPIRED",
                             "REJECT_REASON_SESSION_CLOSED", "REJECT_REASON_STREAM_REPLACED"}) {
    names.emplace("task stream end", reason);
  }
}

void AddOfExtraction(Names& names) {
  for (const char* reason : {"GIVE_BACK_REASON_CANCELLED", "GIVE_BACK_REASON_DOUBTED", "GIVE_BACK_REASON_NO_ANSWER"}) {
    names.emplace("given back", reason);
  }
  for (const char* reason : {"END_REASON_RELEASED", "END_REASON_HOLD_OVER", "END_REASON_EXPIRED"}) {
    names.emplace("extraction end", reason);
  }
  for (const char* verdict : {"POOL_STORE_VERDICT_USABLE", "POOL_STORE_VERDICT_BEHIND", "POOL_STORE_VERDICT_FOREIGN",
                              "POOL_STORE_VERDICT_AHEAD"}) {
    names.emplace("store judged", verdict);
  }
  // Not NOT_ENOUGH_PROXIES: the store has what the log calls available, and one that gave up is unavailable.
  for (const char* answer : {"extracted", "REJECT_REASON_POOL_UNAVAILABLE"}) {
    names.emplace("settled", answer);
  }
}

Names Wanted() {
  Names names;
  AddFields(*log::v1::Event::descriptor(), "event", names);
  AddFields(*log::v1::Input::descriptor(), "input", names);
  AddRejections(names);
  for (std::size_t i = 0; i < static_cast<std::size_t>(Fault::kCount); ++i) {
    names.emplace("fault", FaultName(static_cast<Fault>(i)));
  }
  for (const auto& table : {PoolOperations(), RogueOperations(), MemberOperations(), CheckerOperations(),
                            RogueCheckerOperations(), ClientOperations()}) {
    for (const Operation& operation : table) names.emplace("operation", operation.name);
  }
  AddEdges(names);
  AddOfExtraction(names);
  return names;
}

}  // namespace

const std::vector<Unreachable>& UnreachableTable() {
  static const auto& table = *new std::vector<Unreachable>{
      {"input", "audit_diverged", "the simulated daemon does not audit itself: each run verifies its log instead"},
      {"input", "disk_watched", "the simulated disk is never full"},
      {"rejection", "REJECT_REASON_IDENTITY_MISMATCH", "no certificates: it is a matter of the transport"},
      {"rejection", "REJECT_REASON_NOT_LEADER", "not given by a single daemon"},
      {"rejection", "REJECT_REASON_DRAINING", "of the framed link, which is not simulated"},
      {"rejection", "REJECT_REASON_TASK_UNKNOWN", "of the framed link, which is not simulated"},
      {"rejection", "REJECT_REASON_NO_LONGER_KEPT", "of readers; nothing reads the log from outside"},
      {"rejection", "REJECT_REASON_STREAM_REPLACED", "ends a stream; counted there"},
      {"rejection", "REJECT_REASON_ACK_TIMEOUT", "ends a stream; counted there"},
      {"rejection", "REJECT_REASON_SLOW_READER", "of the gRPC stream's mailbox, which is bounded in bytes"},
      {"rejection", "REJECT_REASON_SHUTTING_DOWN", "the simulated daemon crashes, it never says good-bye"},
  };
  return table;
}

std::vector<std::string> MissingFrom(const Reached& reached) {
  std::vector<std::string> missing;
  const auto& table = UnreachableTable();
  for (const auto& [group, name] : Wanted()) {
    const bool unreachable = std::any_of(
        table.begin(), table.end(),
        [&, &group = group, &name = name](const auto& row) { return row.group == group && row.name == name; });
    if ((reached.count(group, name) > 0) != unreachable) continue;
    missing.push_back(group + ": " + name + (unreachable ? " (reached, though the table says that it cannot be)" : ""));
  }
  return missing;
}

}  // namespace holdfast::simulation
