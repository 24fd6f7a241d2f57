#include "tests/simulation/checkers/health_checker.h"

#include <algorithm>
#include <optional>

namespace holdfast::simulation {
namespace {

using admin::v1::HealthState;
using log::v1::Event;

constexpr std::size_t kMostSeen = 16;  // of one row: more than any threshold

const std::set<std::string>& AllowedEdges() {
  static const auto& edges = *new std::set<std::string>{
      "unknown to available",   "unknown to suspect",   "unknown to unhealthy", "available to suspect",
      "available to unhealthy", "suspect to available", "suspect to unhealthy", "unhealthy to available"};
  return edges;
}

std::string Word(HealthState state) {
  switch (state) {
    case admin::v1::HEALTH_STATE_AVAILABLE:
      return "available";
    case admin::v1::HEALTH_STATE_SUSPECT:
      return "suspect";
    case admin::v1::HEALTH_STATE_UNHEALTHY:
      return "unhealthy";
    default:
      return "unknown";
  }
}

}  // namespace

void HealthChecker::Wrong(const Entry& entry, const std::string& what) {
  violations_.Add("health", "sequence " + std::to_string(entry.sequence) + ": " + what);
}

bool HealthChecker::passed(const ModelKey& key) const {
  const auto row = rows_.find(key);
  return row != rows_.end() && row->second.passed;
}

void HealthChecker::BeforeEntry(const Entry& entry) {
  expected_.clear();
  suspects_.clear();
  const bool counts = std::any_of(entry.events.events().begin(), entry.events.events().end(),
                                  [](const Event& event) { return event.has_outcomes_accepted(); });
  if (counts) suspects_ = outcomes_.Take(entry);
}

void HealthChecker::Before(const Entry& entry, const Event& event) {
  Forget(event);
  if (event.has_check_observed()) BeforeObserved(entry, event.check_observed());
  if (event.has_health_changed()) BeforeChanged(entry, event.health_changed());
}

void HealthChecker::Forget(const Event& event) {
  const auto rows_of = [&](std::uint32_t proxy) {
    return std::pair(rows_.lower_bound(ModelKey{proxy, {}, 0}), rows_.lower_bound(ModelKey{proxy + 1, {}, 0}));
  };
  std::optional<std::uint32_t> gone;
  if (event.has_proxy_expired()) gone = event.proxy_expired().proxy();
  if (event.has_proxy_removed()) gone = event.proxy_removed().proxy();
  if (event.has_proxy_removed()) outcomes_.Forget(event.proxy_removed().proxy());
  if (gone) {
    const auto [first, last] = rows_of(*gone);
    rows_.erase(first, last);
  }
  // It comes back from a client: counted anew; that it has passed once stays.
  for (const std::uint32_t proxy : event.health_forgotten().proxies()) {
    Row& row = rows_[{proxy, controlplane::v1::CHECK_LEVEL_BASIC, 0}];
    row.count = 0;
    row.seen.clear();
  }
  if (!event.has_checks_planned()) return;
  const log::v1::ChecksPlanned& planned = event.checks_planned();
  const auto [first, last] = rows_of(planned.proxy());
  for (auto row = first; row != last;) {
    const bool target = row->first.level == controlplane::v1::CHECK_LEVEL_TARGET;
    const bool stays = std::count(planned.routings().begin(), planned.routings().end(), row->first.routing) > 0;
    row = target && !stays ? rows_.erase(row) : std::next(row);
  }
}

// ---- observations and changes --------------------------------------------------------------------------------------

// The verdict is the checker's own, but where it passes what gives away more than is allowed.
void HealthChecker::JudgeVerdict(const Entry& entry, const log::v1::CheckObserved& observed) {
  for (const auto& seen : entry.input.report_observations().request().observations()) {
    if (seen.task_id() != std::to_string(observed.task())) continue;
    const bool too_open = observed.level() == controlplane::v1::CHECK_LEVEL_EGRESS &&
                          seen.verdict() == controlplane::v1::VERDICT_PASS &&
                          static_cast<std::uint64_t>(seen.anonymity()) < model_.settings().egress_min_anonymity();
    const controlplane::v1::Verdict counts = too_open ? controlplane::v1::VERDICT_FAIL : seen.verdict();
    if (observed.verdict() != counts) Wrong(entry, "another verdict is counted than was reported");
    if (observed.anonymity() != seen.anonymity()) Wrong(entry, "another anonymity is counted than was reported");
    return;
  }
  Wrong(entry, "task " + std::to_string(observed.task()) + " is observed, and the report does not say so");
}

// Whether one failure more is held at a freeze, so that it does not make the key UNHEALTHY.
bool HealthChecker::IsHeld(const log::v1::CheckObserved& observed, const Row& row) const {
  const ModelKey key = KeyOf(observed);
  const ModelCheck* check = checks_.Check(key);
  return check != nullptr && check->state != admin::v1::HEALTH_STATE_UNHEALTHY && row.passed &&
         row.count >= model_.settings().failures_to_unhealthy() && checks_.IsFrozen(key, observed.checker());
}

void HealthChecker::BeforeObserved(const Entry& entry, const log::v1::CheckObserved& observed) {
  JudgeVerdict(entry, observed);
  const ModelKey key = KeyOf(observed);
  Row& row = rows_[key];
  const bool passed = observed.verdict() == controlplane::v1::VERDICT_PASS;
  const bool conclusive = observed.verdict() != controlplane::v1::VERDICT_INCONCLUSIVE;
  if (conclusive) {
    if (passed != row.passing) row.seen.clear();
    row.count = passed != row.passing ? 1 : row.count + 1;
    row.passing = passed;
    row.seen.emplace_back(entry.sequence, observed.task());
    if (row.seen.size() > kMostSeen) row.seen.erase(row.seen.begin());
    if (!passed && IsHeld(observed, row)) row.count = model_.settings().failures_to_unhealthy() - 1;
    row.passed = row.passed || passed;
  }
  if ((row.passing ? observed.passes() : observed.failures()) != row.count) {
    Wrong(entry, TextOf(key) + ": " + std::to_string(observed.passes()) + " passes and " +
                     std::to_string(observed.failures()) + " failures in a row are counted, " +
                     std::to_string(row.count) + (row.passing ? " passes" : " failures") + " were seen");
  }
  const ModelCheck* check = checks_.Check(key);
  if (check == nullptr) return;  // found by the task checker
  expected_[key] = conclusive ? After(key, row) : check->state;
}

HealthState HealthChecker::After(const ModelKey& key, const Row& row) const {
  const log::v1::Settings& settings = model_.settings();
  const HealthState from = checks_.Check(key)->state;
  if (row.passing)
    return row.count >= Needed(from, admin::v1::HEALTH_STATE_AVAILABLE) ? admin::v1::HEALTH_STATE_AVAILABLE : from;
  if (from == admin::v1::HEALTH_STATE_UNHEALTHY || row.count >= settings.failures_to_unhealthy()) {
    return admin::v1::HEALTH_STATE_UNHEALTHY;
  }
  return row.count >= settings.failures_to_suspect() ? admin::v1::HEALTH_STATE_SUSPECT : from;
}

// How many observations in a row.
std::uint64_t HealthChecker::Needed(HealthState from, HealthState to) const {
  const log::v1::Settings& settings = model_.settings();
  if (to == admin::v1::HEALTH_STATE_UNHEALTHY) return settings.failures_to_unhealthy();
  if (to == admin::v1::HEALTH_STATE_SUSPECT) return settings.failures_to_suspect();
  return from == admin::v1::HEALTH_STATE_UNHEALTHY ? settings.passes_from_unhealthy() : settings.passes_to_available();
}

void HealthChecker::BeforeChanged(const Entry& entry, const log::v1::HealthChanged& changed) {
  ++changes_;
  const ModelKey key = KeyOf(changed);
  if (!checks_.Knows(key)) return Wrong(entry, TextOf(key) + " changes, and is not checked so");
  const std::string edge = Word(checks_.StateOf(key)) + " to " + Word(changed.state());
  reached_.Count("health edge", edge + (changed.checker() == 0 ? " by outcomes" : ""));
  if (!AllowedEdges().contains(edge)) Wrong(entry, TextOf(key) + " goes from " + edge + ", which is no edge");
  if (changed.checker() != 0) return JudgeEvidence(entry, changed);
  if (changed.state() != admin::v1::HEALTH_STATE_SUSPECT) {
    Wrong(entry, TextOf(key) + " goes from " + edge + " by outcomes alone");
  }
  const bool its_own = changed.tasks().empty() && changed.evidence_size() == 1 && changed.evidence(0) == entry.sequence;
  if (!its_own || suspects_.erase(key) == 0) {
    Wrong(entry, TextOf(key) + " becomes SUSPECT by outcomes that do not say so");
  }
}

// The observations that it names are the latest in a row, all of one kind, as many as are needed, this one last.
void HealthChecker::JudgeEvidence(const Entry& entry, const log::v1::HealthChanged& changed) {
  const ModelKey key = KeyOf(changed);
  const auto row = rows_.find(key);
  const auto expected = expected_.find(key);
  if (row == rows_.end() || expected == expected_.end()) {
    return Wrong(entry, TextOf(key) + " changes without an observation");
  }
  if (changed.state() != expected->second) {
    Wrong(entry,
          TextOf(key) + " becomes " + Word(changed.state()) + ", by what was seen it is " + Word(expected->second));
  }
  const auto& seen = row->second.seen;
  const auto named = static_cast<std::size_t>(changed.tasks_size());
  bool backed = named > 0 && named == static_cast<std::size_t>(changed.evidence_size()) && named <= seen.size();
  for (std::size_t i = 0; backed && i < named; ++i) {
    const auto& [sequence, task] = seen[seen.size() - named + i];
    backed = changed.tasks(static_cast<int>(i)) == task && changed.evidence(static_cast<int>(i)) == sequence;
  }
  backed = backed && seen.back().first == entry.sequence && named >= Needed(checks_.StateOf(key), changed.state());
  if (!backed) Wrong(entry, TextOf(key) + " becomes " + Word(changed.state()) + " without the observations for it");
}

void HealthChecker::AfterEntry(const Entry& entry) {
  for (const auto& [key, state] : expected_) {
    const HealthState is = checks_.StateOf(key);
    if (checks_.Knows(key) && is != state) {
      Wrong(entry, TextOf(key) + " is " + Word(is) + ", by what was seen it is " + Word(state));
    }
  }
  for (const ModelKey& key : suspects_) Wrong(entry, TextOf(key) + " must be SUSPECT by its outcomes");
}

}  // namespace holdfast::simulation
