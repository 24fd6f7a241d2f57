#include "replay/command_snapshot.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <memory>

#include "base/endpoint.h"
#include "replay/enum_word.h"
#include "replay/json_text.h"
#include "replay/log_fold.h"
#include "replay/snapshot_message.h"
#include "replay/text_table.h"
#include "replay/time_text.h"

namespace holdfast::replay {
namespace {

// What the fold met on its way to the version that is asked for.
struct Search {
  const SnapshotCommand& command;
  const ControllerState& state;
  WorkerKey found;  // 0: not met
  SnapshotIssued issued;
  Sequence sequence;
  Version lowest, highest;  // that were issued to this worker; 0: none

  // False: this event issued it.
  bool After(const EntryView& entry, const Event& event) {
    const auto* update = std::get_if<SnapshotIssued>(&event);
    if (update == nullptr) return true;
    if (state.sessions().At(update->worker).opened.worker_id.value() != command.worker_id) return true;
    if (lowest.value() == 0) lowest = update->version;
    highest = update->version;
    if (update->version != command.version) return true;
    found = update->worker;
    issued = *update;
    sequence = entry.sequence;
    return false;
  }
};

void TellMissing(const Search& search, const Environment& environment) {
  environment.errors << "holdfast-replay: version " << search.command.version.value() << " was never issued to worker "
                     << search.command.worker_id;
  if (search.highest.value() == 0) {
    environment.errors << ", nor was any other. Its ids are in `holdfast-replay state DIR`.\n";
  } else {
    environment.errors << ", which was issued some from " << search.lowest.value() << " to " << search.highest.value()
                       << ". They are in `holdfast-replay log DIR --worker " << search.command.worker_id
                       << " --kind issue_snapshot`.\n";
  }
}

std::string ChecksumText(const Checksum& checksum) {
  return HexText({reinterpret_cast<const char*>(checksum.data()), checksum.size()});
}

void WriteJson(const controlplane::v1::WorkerSnapshot& message, std::ostream& out) {
  std::string text;
  if (google::protobuf::util::MessageToJsonString(message, &text).ok()) out << text << '\n';
}

void WriteTable(const Search& search, const Checksum& computed, std::ostream& out) {
  const SnapshotIssued& issued = search.issued;
  const WorkerSnapshots& row = search.state.snapshots().At(search.found);
  out << "worker      " << search.command.worker_id << ", session "
      << search.state.sessions().At(search.found).opened.session_id.value() << ", epoch " << issued.epoch.value()
      << '\n'
      << "version     " << issued.version.value() << ", issued at sequence " << search.sequence.value() << ", ";
  if (issued.base.value() == 0) {
    out << "in full";
  } else {
    out << "as a delta on " << issued.base.value();
  }
  out << (issued.partial ? ", more follows" : "") << '\n'
      << "valid       from " << TimeText(row.issued_at) << " until " << TimeText(issued.valid_until) << '\n'
      << "checksum    " << ChecksumText(issued.checksum)
      << (computed == issued.checksum ? " (computed again: equal)" : " (WRONG)") << '\n'
      << "routings    revision " << issued.routings_revision << "\n\n";
  TextTable table(out, {"PROXY", "STATE", "ENDPOINT", "CAPACITY", "USABLE_UNTIL", "EXPIRES"});
  std::vector<const Grant*> grants;
  for (const auto& [proxy, grant] : row.content) grants.push_back(&*grant);
  std::sort(grants.begin(), grants.end(),
            [](const Grant* a, const Grant* b) { return a->spec->proxy_id < b->spec->proxy_id; });
  for (const Grant* grant : grants) {
    table.Add({grant->spec->proxy_id.value(), Word(grant->state),
               CanonicalUrl(grant->spec->endpoint, grant->spec->secret_ref), std::to_string(grant->spec->capacity),
               TimeText(grant->usable_until), TimeText(grant->expires_at)});
  }
  table.Finish("It listed no proxy.");
}

}  // namespace

ReplayExit RunSnapshot(const EventLog& log, const SnapshotCommand& command, const Environment& environment) {
  const auto state = std::make_unique<ControllerState>();
  Search search{command, *state, {}, {}, {}, {}, {}};
  FoldHooks hooks;
  hooks.after = [&](const EntryView& entry, const Event& event) { return search.After(entry, event); };
  if (const absl::Status status = FoldLog(log, environment, hooks, *state); !status.ok()) {
    environment.errors << "holdfast-replay: " << status.message() << '\n';
    return ExitOf(status);
  }
  if (search.found.value() == 0) {
    TellMissing(search, environment);
    return ReplayExit::kCouldNotRun;
  }
  const Checksum computed = ChecksumOfContent(*state, search.found);
  if (command.json) {
    WriteJson(SnapshotMessage(*state, search.found), environment.out);
  } else {
    WriteTable(search, computed, environment.out);
  }
  if (computed == search.issued.checksum) return ReplayExit::kSound;
  environment.errors << "holdfast-replay: the checksum that sequence " << search.sequence.value()
                     << " says is not that of the content, which is " << ChecksumText(computed) << '\n';
  return ReplayExit::kFoundWanting;
}

}  // namespace holdfast::replay
