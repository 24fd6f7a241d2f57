#include "tests/scenarios/scenario.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include "tests/controller/entry_maker.h"

namespace holdfast::testing {
namespace {

using Words = std::vector<std::string>;

// The value of NAME=VALUE among the words; empty: it is not there.
std::string Option(const Words& words, const std::string& name) {
  for (const std::string& word : words) {
    if (word.rfind(name + "=", 0) == 0) return word.substr(name.size() + 1);
  }
  return "";
}

bool Has(const Words& words, const std::string& flag) {
  return std::find(words.begin(), words.end(), flag) != words.end();
}

// "3", or "1..4".
std::vector<int> NumbersOf(const std::string& text) {
  const std::size_t dots = text.find("..");
  const int from = std::stoi(text.substr(0, dots));
  const int to = dots == std::string::npos ? from : std::stoi(text.substr(dots + 2));
  std::vector<int> numbers;
  for (int number = from; number <= to; ++number) numbers.push_back(number);
  return numbers;
}

std::vector<std::string> IdsOf(const std::string& text) {
  std::vector<std::string> ids;
  for (const int number : NumbersOf(text)) ids.push_back(IdOf(number));
  return ids;
}

// "1:2" of the words: proxy 1 runs two.
std::vector<Running> CountersOf(const Words& words) {
  std::vector<Running> counters;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::size_t colon = words[i].find(':');
    if (colon == std::string::npos) continue;
    counters.push_back({IdOf(std::stoi(words[i].substr(0, colon))),
                        static_cast<std::uint32_t>(std::stoul(words[i].substr(colon + 1))), 0});
  }
  return counters;
}

std::string NameOf(const std::string& handle) { return handle.substr(0, handle.find('/')); }

std::string StateWord(OwnershipState state) {
  static const char* const kWords[] = {"?", "unowned", "granted", "revoking", "lapsing", "extracting", "extracted"};
  return kWords[static_cast<std::size_t>(state)];
}

std::string ShownWord(GrantState state) {
  static const char* const kWords[] = {"?", "ACTIVE", "SUSPECT", "DRAINING", "HELD"};
  return kWords[static_cast<std::size_t>(state)];
}

std::string SessionWord(SessionState state) {
  static const char* const kWords[] = {"?",        "connecting", "handshaking", "active",
                                       "draining", "closed",     "reconnecting"};
  return kWords[static_cast<std::size_t>(state)];
}

std::string EntryText(const LoggedEntry& logged) {
  const MadeEntry entry = MakeEntry(logged.input, logged.events, logged.point.sequence.value());
  EntryMessages messages;
  if (!ParseEntry(entry.view(), messages).ok()) return "? an entry that cannot be read";
  return absl::StrCat(logged.point.sequence.value(), " ", std::string(InputKind(logged.input)), ": ",
                      EntrySummary(messages));
}

}  // namespace

Duration DurationOf(const std::string& text) {
  const std::size_t unit = text.find_first_not_of("-0123456789");
  const std::int64_t number = std::stoll(text.substr(0, unit));
  const std::string name = text.substr(unit);
  if (name == "ms") return milliseconds(number);
  if (name == "m") return minutes(number);
  if (name == "h") return hours(number);
  return seconds(number);
}

Worker& Scenario::WorkerNamed(const std::string& handle) { return workers_[handle]; }

// Everybody named answers what is outstanding and reports, second by second.
void Scenario::Live(const Words& words) {
  story_.AdvanceInSteps(DurationOf(words.at(1)), seconds(1), [&] {
    for (std::size_t i = 2; i < words.size(); ++i) {
      if (words[i].find(':') != std::string::npos || words[i] == "quietly") continue;
      Worker& worker = WorkerNamed(words[i]);
      if (!story_.SessionOf(worker.id).open() ||
          story_.SessionOf(worker.id).opened.session_id.value() != worker.session) {
        continue;
      }
      if (story_.SnapshotsOf(worker.id).outstanding.value() != 0) story_.Ack(worker);
      story_.Report(worker, CountersOf(words));
    }
  });
}

void Scenario::Show(std::vector<std::string>& out) const {
  const ControllerState& state = story_.state();
  state.sessions().workers().ForEach([&](WorkerKey, const WorkerRow& row) {
    std::string line = absl::StrCat(row.opened.worker_id.value(), " ", SessionWord(row.state), ", shown");
    for (const auto& [proxy, grant] : state.snapshots().At(row.opened.worker).content) {
      absl::StrAppend(&line, " ", grant->spec->endpoint.host, " ", ShownWord(grant->state));
    }
    out.push_back(std::move(line));
  });
  state.pool().addresses().ForEach([&](AddressKey key, const AddressRow& row) {
    const HoldRow& hold = state.ownership().hold(key);
    std::string line = absl::StrCat(row.text, " ", StateWord(hold.state));
    if (hold.owner.value() != 0) {
      absl::StrAppend(&line, ", ", state.ownership().holder(hold.owner).worker_id.value(), ", owned for ",
                      (state.ownership().OwnedUntil(key) - story_.now()) / seconds(1), " s more");
    }
    out.push_back(std::move(line));
  });
  for (const auto& [key, alarm] : state.run().alarms()) out.push_back("alarm: " + alarm.detail);
}

const std::map<std::string, Scenario::Command>& Scenario::Commands() {
  static const auto* const kCommands = [] {
    auto* commands = new std::map<std::string, Command>(WorkerCommands());
    commands->merge(OtherCommands());
    commands->merge(CheckerCommands());
    return commands;
  }();
  return *kCommands;
}

// Of the pool and of workers.
std::map<std::string, Scenario::Command> Scenario::WorkerCommands() {
  return {
      {"import",
       [](Scenario& s, const Words& w) {
         std::vector<admin::v1::ProxySpec> items;
         for (const int number : NumbersOf(w.at(1))) {
           items.push_back(Item(number, [&](auto& item) { item.set_zone(Option(w, "zone")); }));
         }
         s.story_.Import(items);
       }},
      {"remove", [](Scenario& s, const Words& w) { s.story_.Remove(IdsOf(w.at(1))); }},
      {"register",
       [](Scenario& s, const Words& w) {
         s.WorkerNamed(w.at(1)) = s.story_.Register(NameOf(w.at(1)), w.at(2), [&](auto& request) {
           if (!Option(w, "weight").empty())
             request.set_weight(static_cast<std::uint32_t>(std::stoul(Option(w, "weight"))));
           request.set_zone(Option(w, "zone"));
         });
       }},
      {"reconnect",
       [](Scenario& s, const Words& w) { s.WorkerNamed(w.at(1)) = s.story_.Reconnect(s.WorkerNamed(w.at(1))); }},
      {"keep", [](Scenario& s, const Words& w) { s.WorkerNamed(w.at(2)) = s.WorkerNamed(w.at(1)); }},
      {"watch", [](Scenario& s, const Words& w) { s.story_.Watch(s.WorkerNamed(w.at(1))); }},
      {"stream-ends", [](Scenario& s, const Words& w) { s.story_.StreamEnds(s.WorkerNamed(w.at(1))); }},
      {"ack", [](Scenario& s, const Words& w) { s.story_.Ack(s.WorkerNamed(w.at(1))); }},
      {"nack", [](Scenario& s, const Words& w) { s.story_.Nack(s.WorkerNamed(w.at(1))); }},
      {"drink", [](Scenario& s, const Words& w) { s.story_.Drink(s.WorkerNamed(w.at(1))); }},
      {"report",
       [](Scenario& s, const Words& w) { s.story_.Report(s.WorkerNamed(w.at(1)), CountersOf(w), Has(w, "draining")); }},
  };
}

// Of operators, the clock, and the controller itself.
std::map<std::string, Scenario::Command> Scenario::OtherCommands() {
  return {
      {"drain",
       [](Scenario& s, const Words& w) {
         s.story_.When(Drain(w.at(1), [&](auto& request) {
           const std::string grace = Option(w, "grace");
           if (!grace.empty()) request.mutable_grace()->set_seconds(DurationOf(grace) / seconds(1));
           request.set_no_deadline(Has(w, "no-deadline"));
           request.set_keep_eligible(Has(w, "keep-eligible"));
         }));
       }},
      {"fence", [](Scenario& s, const Words& w) { s.story_.When(Fence(w.at(1))); }},
      {"reclaim", [](Scenario& s, const Words& w) { s.story_.When(Reclaim(IdsOf(w.at(1)))); }},
      {"cordon", [](Scenario& s, const Words& w) { s.story_.When(Eligible(w.at(1), false)); }},
      {"uncordon", [](Scenario& s, const Words& w) { s.story_.When(Eligible(w.at(1), true)); }},
      {"accept-clock",
       [](Scenario& s, const Words& w) {
         s.story_.When(AcceptClock(DurationOf(w.at(1))));
         s.story_.Advance(DurationOf(w.at(1)));
       }},
      {"wall-is-off",
       [](Scenario& s, const Words& w) {
         log::v1::Input input;
         input.mutable_observe_clock()->set_offset_micros(-DurationOf(w.at(1)).count());
         input.mutable_observe_clock()->set_wall_micros(ToMicros(s.story_.now() + DurationOf(w.at(1))));
         s.story_.When(input);
       }},
      {"restart", [](Scenario& s, const Words& w) { s.story_.Restart(w.at(1) == "same-boot", DurationOf(w.at(2))); }},
      {"rebalance",
       [](Scenario& s, const Words&) {
         log::v1::Input input;
         input.mutable_rebalance();
         s.story_.When(input);
       }},
      {"settle", [](Scenario& s, const Words&) { s.story_.Settle(); }},
      {"pass",
       [](Scenario& s, const Words& w) {
         s.story_.Advance(DurationOf(w.at(1)));
         s.story_.Settle();
       }},
      {"live", [](Scenario& s, const Words& w) { s.Live(w); }},
  };
}

namespace {

constexpr std::size_t kMostTold = 8;

// Of what passed quietly, the first entries that changed somebody's health.
void TellOfHealth(const std::vector<LoggedEntry>& entries, std::size_t from, std::vector<std::string>& out) {
  std::size_t told = 0;
  for (std::size_t i = from; i < entries.size() && told < kMostTold; ++i) {
    const std::vector<Event>& events = entries[i].events;
    const bool tells = std::any_of(events.begin(), events.end(), [](const Event& event) {
      return std::holds_alternative<HealthChanged>(event) || std::holds_alternative<HealthFrozen>(event) ||
             std::holds_alternative<HealthThawed>(event);
    });
    if (!tells || events.size() > 12) continue;
    out.push_back(EntryText(entries[i]));
    ++told;
  }
}

}  // namespace

std::vector<std::string> Scenario::Run(const std::string& line) {
  const Words words = absl::StrSplit(line, ' ', absl::SkipEmpty());
  std::vector<std::string> out;
  if (words.at(0) == "show") {
    Show(out);
    return out;
  }
  if (words[0] == "show-checks") {
    ShowChecks(out);
    return out;
  }
  const auto command = Commands().find(words[0]);
  if (command == Commands().end()) return {"? unknown command " + words[0]};
  command->second(*this, words);
  const std::vector<LoggedEntry>& entries = story_.entries();
  // What passes by itself, second by second, is told as a number.
  const bool quiet = words[0].rfind("live", 0) == 0 && Has(words, "quietly");
  if (quiet) out.push_back(absl::StrCat("(", entries.size() - told_, " entries)"));
  if (quiet) TellOfHealth(entries, told_, out);
  for (std::size_t i = quiet ? entries.size() : told_; i < entries.size(); ++i) out.push_back(EntryText(entries[i]));
  told_ = entries.size();
  for (const std::string& fault : story_.faults()) out.push_back("? " + fault);
  return out;
}

std::string Rewritten(const std::string& text) {
  Settings settings;
  settings.trust_unchecked = text.rfind("# Checked:", 0) != 0;
  Scenario scenario(settings);
  std::string out;
  for (const absl::string_view part : absl::StrSplit(text, '\n')) {
    const std::string line(part);
    if (line.rfind("> ", 0) == 0) {
      absl::StrAppend(&out, line, "\n");
      for (const std::string& said : scenario.Run(line.substr(2))) absl::StrAppend(&out, "    ", said, "\n");
    } else if (line.empty() || line[0] == '#') {
      absl::StrAppend(&out, line, "\n");
    }
  }
  while (out.size() > 1 && out[out.size() - 1] == '\n' && out[out.size() - 2] == '\n') out.pop_back();
  return out;
}

}  // namespace holdfast::testing
