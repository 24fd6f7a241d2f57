#include "replay/command_state.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <memory>

#include "replay/enum_word.h"
#include "replay/log_fold.h"
#include "replay/state_rows.h"
#include "replay/text_table.h"
#include "replay/time_text.h"

namespace holdfast::replay {
namespace {

bool IsAfter(const EntryView& entry, const StatePoint& point) {
  if (const auto* sequence = std::get_if<Sequence>(&point)) return entry.sequence > *sequence;
  return entry.at > std::get<LogTime>(point);
}

// What is asked for lies outside the log; empty: it does not.
std::string OutOfReach(const EventLog& log, const StateCommand& command, const ControllerState& state) {
  if (state.run().last().sequence.value() == 0) return "the log holds nothing up to there";
  const auto* sequence = command.at ? std::get_if<Sequence>(&*command.at) : nullptr;
  if (sequence == nullptr || *sequence <= log.Tip()) return {};
  return absl::StrCat("the log ends with sequence ", log.Tip().value());
}

// {"name":[ROW,\nROW] without holding more than one row.
class JsonRows {
 public:
  JsonRows(std::ostream& out, const char* name) : out_(out) { out_ << ",\"" << name << "\":["; }
  ~JsonRows() { out_ << ']'; }
  void Add(const Json& row) {
    out_ << (empty_ ? "\n" : ",\n") << JsonText(row);
    empty_ = false;
  }

 private:
  std::ostream& out_;
  bool empty_ = true;
};

void WriteJson(const ControllerState& state, std::ostream& out) {
  const Run& run = state.run();
  Json head;
  head["sequence"] = run.last().sequence.value();
  head["at"] = TimeJson(run.last().at);
  head["log_id"] = run.log_id_text();
  head["controller_epoch"] = run.controller_epoch();
  head["rules_version"] = run.rules_version();
  head["software_version"] = run.software_version();
  head["wait_until"] = TimeJson(run.wait_until());
  head["wait_reason"] = IsAbsent(run.wait_until()) ? Json(nullptr) : Json(Word(run.wait_reason()));
  head["routings_revision"] = state.routings().revision();
  std::string text = JsonText(head);
  text.pop_back();
  out << text;
  {
    JsonRows rows(out, "sessions");
    state.sessions().workers().ForEach([&](WorkerKey key, const WorkerRow&) { rows.Add(SessionRowJson(state, key)); });
  }
  {
    JsonRows rows(out, "addresses");
    state.pool().addresses().ForEach([&](AddressKey key, const AddressRow&) { rows.Add(AddressRowJson(state, key)); });
  }
  {
    JsonRows rows(out, "proxies");
    state.pool().proxies().ForEach([&](ProxyKey key, const ProxyRow&) { rows.Add(ProxyRowJson(state, key)); });
  }
  {
    JsonRows rows(out, "routings");
    for (const RoutingSpec& routing : *state.routings().routings()) rows.Add(RoutingRowJson(routing));
  }
  out << "}\n";
}

void WriteTables(const ControllerState& state, std::ostream& out) {
  const Run& run = state.run();
  out << "After sequence " << run.last().sequence.value() << ", " << TimeText(run.last().at) << ".\n";
  if (!IsAbsent(run.wait_until())) {
    out << "No grants before " << TimeText(run.wait_until()) << " (" << Word(run.wait_reason()) << ").\n";
  }
  out << "\nSessions\n";
  TextTable sessions(out, SessionColumns());
  state.sessions().workers().ForEach([&](WorkerKey key, const WorkerRow&) { sessions.Add(SessionCells(state, key)); });
  sessions.Finish("No worker was registered.");
  out << "\nOwnership\n";
  TextTable addresses(out, AddressColumns());
  state.pool().addresses().ForEach([&](AddressKey key, const AddressRow&) { addresses.Add(AddressCells(state, key)); });
  addresses.Finish("No address was known.");
  out << "\nPool\n";
  TextTable proxies(out, ProxyColumns());
  state.pool().proxies().ForEach([&](ProxyKey key, const ProxyRow&) { proxies.Add(ProxyCells(state, key)); });
  proxies.Finish("The pool was empty.");
  out << "\nRoutings, revision " << state.routings().revision() << '\n';
  TextTable routings(out, RoutingColumns());
  for (const RoutingSpec& routing : *state.routings().routings()) routings.Add(RoutingCells(routing));
  routings.Finish("No routing was applied.");
}

}  // namespace

std::optional<StatePoint> ParseStatePoint(std::string_view text) {
  std::uint64_t sequence = 0;
  if (absl::SimpleAtoi(absl::string_view(text.data(), text.size()), &sequence)) return Sequence(sequence);
  if (const std::optional<LogTime> time = ParseTimeText(text)) return *time;
  return std::nullopt;
}

ReplayExit RunState(const EventLog& log, const StateCommand& command, const Environment& environment) {
  const auto state = std::make_unique<ControllerState>();
  FoldHooks hooks;
  if (command.at) hooks.before = [&](const EntryView& entry) { return !IsAfter(entry, *command.at); };
  if (const absl::Status status = FoldLog(log, environment, hooks, *state); !status.ok()) {
    environment.errors << "holdfast-replay: " << status.message() << '\n';
    return ExitOf(status);
  }
  if (const std::string problem = OutOfReach(log, command, *state); !problem.empty()) {
    environment.errors << "holdfast-replay: there is no state to show: " << problem
                       << ". See `holdfast-replay info DIR`.\n";
    return ReplayExit::kCouldNotRun;
  }
  command.json ? WriteJson(*state, environment.out) : WriteTables(*state, environment.out);
  return ReplayExit::kSound;
}

}  // namespace holdfast::replay
