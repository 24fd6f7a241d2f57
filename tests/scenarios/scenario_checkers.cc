// What checkers do in a golden story.

#include <absl/strings/str_cat.h>

#include "tests/scenarios/scenario.h"

namespace holdfast::testing {
namespace {

Verdict VerdictOf(const std::string& word) {
  if (word == "pass") return Verdict::kPass;
  return word == "fail" ? Verdict::kFail : Verdict::kInconclusive;
}

CheckLevel LevelOf(const std::string& word) {
  if (word == "egress") return CheckLevel::kEgress;
  return word == "target" ? CheckLevel::kTarget : CheckLevel::kBasic;
}

std::string PoolWord(PoolState state) {
  static const char* const kWords[] = {"?", "PENDING", "AVAILABLE", "SUSPECT", "UNHEALTHY", "EXTRACTED", "EXPIRED"};
  return kWords[static_cast<std::size_t>(state)];
}

// "pass", but "1:fail" for proxy 1, and "egress:fail" for what is checked at that level.
Finds FindsOf(const std::vector<std::string>& words, std::size_t from) {
  return [words, from](const GivenTask& task) {
    Verdict verdict = VerdictOf(words.at(from));
    for (std::size_t i = from + 1; i < words.size(); ++i) {
      const std::size_t colon = words[i].find(':');
      if (colon == std::string::npos) continue;
      const std::string what = words[i].substr(0, colon);
      const bool number = what.find_first_not_of("0123456789") == std::string::npos;
      const bool meant = number ? IdOf(std::stoi(what)) == task.proxy_id : LevelOf(what) == task.level;
      if (meant) verdict = VerdictOf(words[i].substr(colon + 1));
    }
    return verdict;
  };
}

}  // namespace

void Scenario::Find(const Words& words, std::size_t from, const std::string& handle) {
  Answer(story_, checkers_.at(handle), FindsOf(words, from));
  story_.Settle();
}

// Everybody named answers what is outstanding, second by second; workers report as with `live`.
void Scenario::LiveChecked(const Words& words) {
  const std::string& checker = words.at(2);
  story_.AdvanceInSteps(DurationOf(words.at(1)), seconds(1), [&] {
    Answer(story_, checkers_.at(checker), FindsOf(words, 3));
    for (auto& [handle, worker] : workers_) {
      const WorkerRow& session = story_.SessionOf(worker.id);
      if (!session.open() || session.opened.session_id.value() != worker.session) continue;
      if (story_.SnapshotsOf(worker.id).outstanding.value() != 0) story_.Ack(worker);
      story_.Report(worker);
    }
  });
}

void Scenario::ShowChecks(std::vector<std::string>& out) const {
  for (const auto& [handle, checker] : checkers_) {
    const CheckerRow& row = *story_.state().checkers().Find(checker.id);
    out.push_back(absl::StrCat(handle, row.open() ? "" : " closed", ", ", row.tasks.size(), " tasks"));
  }
  std::map<PoolState, int> proxies;
  story_.state().pool().proxies().ForEach([&](ProxyKey, const ProxyRow& row) { ++proxies[row.state]; });
  for (const auto& [state, count] : proxies) out.push_back(absl::StrCat(count, " ", PoolWord(state)));
  for (const auto& [key, alarm] : story_.state().run().alarms()) out.push_back("alarm: " + alarm.detail);
}

std::map<std::string, Scenario::Command> Scenario::CheckerCommands() {
  return {
      {"checker",
       [](Scenario& s, const Words& w) {
         s.checkers_[w.at(1)] = ActiveChecker(s.story_, w.at(1), [&](auto& request) {
           if (w.size() > 2) request.set_max_concurrency(static_cast<std::uint32_t>(std::stoul(w[2])));
         });
       }},
      {"find", [](Scenario& s, const Words& w) { s.Find(w, 2, w.at(1)); }},
      {"live-checked", [](Scenario& s, const Words& w) { s.LiveChecked(w); }},
      {"check",
       [](Scenario& s, const Words& w) {
         log::v1::Input input;
         input.mutable_check_proxy()->set_proxy_id(IdOf(std::stoi(w.at(1))));
         input.mutable_check_proxy()->set_level(static_cast<controlplane::v1::CheckLevel>(LevelOf(w.at(2))));
         s.story_.When(input);
         s.story_.Settle();
       }},
      {"outcomes",
       [](Scenario& s, const Words& w) {
         const Worker& worker = s.WorkerNamed(w.at(1));
         log::v1::Input input;
         auto& request = *input.mutable_report_outcomes()->mutable_request();
         request.set_worker_id(worker.id);
         request.set_session_id(worker.session);
         request.set_ownership_epoch(worker.epoch);
         request.set_sequence(s.story_.entries().size());
         auto& outcome = *request.add_outcomes();
         outcome.set_proxy_id(IdOf(std::stoi(w.at(2))));
         outcome.set_phase(controlplane::v1::OUTCOME_PHASE_DIAL);
         outcome.set_error(controlplane::v1::OUTCOME_ERROR_REFUSED);
         outcome.set_count(static_cast<std::uint32_t>(std::stoul(w.at(3))));
         s.story_.When(input);
         s.story_.Settle();
       }},
      {"drain-checker",
       [](Scenario& s, const Words& w) {
         s.story_.When(Drain(w.at(1), [](auto& request) { request.set_kind(controlplane::v1::SESSION_KIND_CHECKER); }));
       }},
      {"clear-freeze",
       [](Scenario& s, const Words& w) { s.story_.When(Clear(admin::v1::ALARM_KIND_HEALTH_FROZEN, w.at(1))); }},
  };
}

}  // namespace holdfast::testing
