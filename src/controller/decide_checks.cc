// Which checker gets which check, and what becomes of those that nobody answers. Design: health.md "Tasks".
//
// What is due longest is served first, over all levels. Who could conclude nothing the last time is asked after others;
// a checker of the proxy's zone is taken before those of others, then the one that carries least for what it takes,
// ties by id.

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

#include "controller/check_due.h"
#include "controller/check_plan.h"
#include "controller/check_times.h"
#include "controller/checker_rules.h"
#include "controller/decide.h"
#include "controller/rule_constant.h"

namespace holdfast {
namespace {

constexpr std::size_t kMostTasks = RuleConstant<std::size_t>(512, 1);  // of one decision
constexpr std::size_t kMostExpired = 256;
constexpr Duration kMostSilence = std::chrono::minutes(5);  // without a conclusion, while checkers answer
constexpr std::array<const char*, 4> kLevelWords{"", "basic", "egress", "target"};

struct DueCheck {
  LogTime at;
  CheckKey key;
  bool needs_secret = false;

  friend bool operator<(const DueCheck& a, const DueCheck& b) {
    return std::tie(a.at, a.key.level, a.key) < std::tie(b.at, b.key.level, b.key);
  }
};

// Checkers as they stand after the tasks decided so far.
class Slots {
 public:
  explicit Slots(const ControllerState& state) : state_(state) {
    absl::btree_set<CheckerKey> keys;
    for (const CheckLevel level : Checks::kLevels) {
      const absl::btree_set<CheckerKey>& takers = state.checkers().candidates(level, false);
      keys.insert(takers.begin(), takers.end());
    }
    for (const CheckerKey key : keys) slots_.push_back({key, state.checkers().At(key).tasks.size()});
  }

  // 0: nobody has a free slot for it.
  CheckerKey Take(const DueCheck& due) {
    const std::string& zone = state_.pool().proxy(due.key.proxy).spec->zone;
    const CheckerKey unsure = state_.checks().proxy(due.key.proxy).Find(due.key.level, due.key.routing)->unsure;
    Slot* best = nullptr;
    for (Slot& slot : slots_) {
      if (!Fits(slot, due)) continue;
      const bool sure = best != nullptr && best->checker != unsure;
      const bool same = best != nullptr && (slot.checker != unsure) == sure;
      if (best == nullptr || (same ? IsBetter(slot, *best, zone) : !sure)) best = &slot;
    }
    if (best == nullptr) return CheckerKey();
    ++best->running;
    return best->checker;
  }

 private:
  struct Slot {
    CheckerKey checker;
    std::size_t running = 0;
  };
  const CheckerRow& Row(const Slot& slot) const { return state_.checkers().At(slot.checker); }
  bool Fits(const Slot& slot, const DueCheck& due) const {
    const CheckerRow& row = Row(slot);
    return slot.running < row.opened.max_concurrency && row.checks(due.key.level) &&
           (!due.needs_secret || row.takes_secrets());
  }
  bool IsBetter(const Slot& a, const Slot& b, const std::string& zone) const {
    const CheckerOpened& left = Row(a).opened;
    const CheckerOpened& right = Row(b).opened;
    const bool left_near = !zone.empty() && left.zone == zone;
    const bool right_near = !zone.empty() && right.zone == zone;
    if (left_near != right_near) return left_near;
    const std::uint64_t left_load = std::uint64_t{a.running} * right.max_concurrency;
    const std::uint64_t right_load = std::uint64_t{b.running} * left.max_concurrency;
    return left_load != right_load ? left_load < right_load : left.checker_id.value() < right.checker_id.value();
  }

  const ControllerState& state_;
  std::vector<Slot> slots_;
};

template <class F>
void ForEachClass(const ControllerState& state, F&& f) {
  for (const CheckLevel level : Checks::kLevels) {
    for (const bool secret : {false, true}) {
      if (!state.checkers().candidates(level, secret).empty()) f(level, secret, state.checks().due(level, secret));
    }
  }
}

// What is due and can be given to somebody, longest due first.
std::vector<DueCheck> DueChecks(const ControllerState& state, LogTime now) {
  std::vector<DueCheck> due;
  ForEachClass(state, [&](CheckLevel, bool secret, const DeadlineIndex<CheckKey>& index) {
    index.ForEachDue(now, kMostTasks, [&](LogTime at, const CheckKey& key) { due.push_back({at, key, secret}); });
  });
  std::sort(due.begin(), due.end());
  return due;
}

// Which of the routing's targets is in turn; nullptr: there is none any more.
const RoutingTarget* TargetOf(const ControllerState& state, const CheckKey& key, std::uint32_t& index) {
  const RoutingSpec* routing = state.routings().Find(key.routing);
  if (routing == nullptr || routing->targets.empty()) return nullptr;
  const CheckRow* check = state.checks().proxy(key.proxy).Find(key.level, key.routing);
  index = check->turn % static_cast<std::uint32_t>(routing->targets.size());
  return &routing->targets[index];
}

// Proxies that are due for a routing which has gone meanwhile. Nothing of theirs is given out with the plan that
// follows from that: it may not keep what is due.
absl::btree_set<ProxyKey> PlannedAnew(const ControllerState& state, const std::vector<DueCheck>& all_due) {
  absl::btree_set<ProxyKey> planned;
  std::uint32_t index = 0;
  for (const DueCheck& due : all_due) {
    const bool gone = due.key.level == CheckLevel::kTarget && TargetOf(state, due.key, index) == nullptr;
    if (gone) planned.insert(due.key.proxy);
  }
  return planned;
}

Duration TimeoutOf(const ControllerState& state, const CheckKey& key, const RoutingTarget* target) {
  const Duration configured = CheckTimeout(state.settings(), key.level);
  return target != nullptr && target->timeout > Duration(0) ? std::min(target->timeout, configured) : configured;
}

std::optional<LogTime> ShortAt(const ControllerState& state, CheckLevel level) {
  if (state.run().alarms().contains({AlarmKind::kCheckingShort, kLevelWords[static_cast<std::size_t>(level)]})) {
    return std::nullopt;
  }
  const bool awaited =
      state.checkers().ever(level) || (level == CheckLevel::kBasic && !state.settings().trust_unchecked);
  const std::optional<LogTime> since = state.checks().WaitingSince(level);
  if (!since || !awaited) return std::nullopt;
  return *since + CheckInterval(state.settings(), level);
}

std::optional<LogTime> SilentAt(const ControllerState& state, CheckLevel level) {
  const LogTime since = state.guard().inconclusive_since(level);
  const std::string word = kLevelWords[static_cast<std::size_t>(level)];
  if (IsAbsent(since) || state.run().alarms().contains({AlarmKind::kJudgeSilent, word})) return std::nullopt;
  return since + std::min(kMostSilence, CheckInterval(state.settings(), level));
}

template <class At>
std::optional<LogTime> EarliestOf(const ControllerState& state, At&& at) {
  std::optional<LogTime> earliest;
  for (const CheckLevel level : Checks::kLevels) {
    const std::optional<LogTime> time = at(state, level);
    if (time && (!earliest || *time < *earliest)) earliest = time;
  }
  return earliest;
}

// Half the interval is caught up: else it would come and go with every task.
bool HasCaughtUp(const ControllerState& state, CheckLevel level, LogTime now) {
  const std::optional<LogTime> since = state.checks().WaitingSince(level);
  return !since || now - *since < CheckInterval(state.settings(), level) / 2;
}

}  // namespace

bool IsCheckDue(const ControllerState& state, LogTime now) {
  bool due = false;
  ForEachClass(state, [&](CheckLevel, bool, const DeadlineIndex<CheckKey>& index) {
    const std::optional<LogTime> earliest = index.Earliest();
    due = due || (earliest && IsOver(*earliest, now));
  });
  return due;
}

std::optional<LogTime> NextCheckAt(const ControllerState& state) {
  std::optional<LogTime> next;
  ForEachClass(state, [&](CheckLevel, bool, const DeadlineIndex<CheckKey>& index) {
    const std::optional<LogTime> earliest = index.Earliest();
    if (earliest && (!next || *earliest < *next)) next = earliest;
  });
  return next;
}

std::optional<LogTime> NextCheckAlarmAt(const ControllerState& state) {
  const std::optional<LogTime> wanting = EarliestOf(state, ShortAt);
  const std::optional<LogTime> silent = EarliestOf(state, SilentAt);
  return !silent || (wanting && *wanting < *silent) ? wanting : silent;
}

Decision DecideCheck(const ControllerState& state, const DecisionPoint& point) {
  Decision decision;
  Slots slots(state);
  const std::vector<DueCheck> all_due = DueChecks(state, point.now);
  const absl::btree_set<ProxyKey> planned = PlannedAnew(state, all_due);
  TaskId next = state.checks().next_task();
  std::size_t issued = 0;
  for (const DueCheck& due : all_due) {
    if (issued == kMostTasks) break;
    if (planned.contains(due.key.proxy)) continue;
    std::uint32_t index = 0;
    const RoutingTarget* target = due.key.level == CheckLevel::kTarget ? TargetOf(state, due.key, index) : nullptr;
    const CheckerKey checker = slots.Take(due);
    if (checker.value() == 0) continue;
    const LogTime deadline = point.now + TimeoutOf(state, due.key, target) + kCheckMargin;
    decision.events.emplace_back(
        CheckIssued{next, checker, due.key.proxy, due.key.level, due.key.routing, index, deadline});
    next = Next(next);
    ++issued;
  }
  for (const ProxyKey proxy : planned) {
    PlanChecks(state, proxy, point.now, decision.events);
    MarkRoutings(state, proxy, {}, decision.events);
  }
  for (const CheckLevel level : Checks::kLevels) {
    const std::string word = kLevelWords[static_cast<std::size_t>(level)];
    if (!state.run().alarms().contains({AlarmKind::kCheckingShort, word})) continue;
    if (HasCaughtUp(state, level, point.now)) {
      decision.events.emplace_back(AlarmCleared{AlarmKind::kCheckingShort, word});
    }
  }
  return decision;
}

Decision ExpireChecks(const ControllerState& state, LogTime now) {
  Decision decision;
  for (const TaskId task : state.checks().deadlines().Due(now, kMostExpired)) {
    const CheckTaskRow& row = *state.checks().FindTask(task);
    decision.events.emplace_back(CheckExpired{task, row.checker, row.key.proxy, row.key.level, row.key.routing, now});
  }
  return decision;
}

Decision TellCheckAlarm(const ControllerState& state, LogTime now) {
  Decision decision;
  for (const CheckLevel level : Checks::kLevels) {
    const std::string word = kLevelWords[static_cast<std::size_t>(level)];
    if (const std::optional<LogTime> at = ShortAt(state, level); at && IsOver(*at, now)) {
      decision.events.emplace_back(AlarmRaised{
          AlarmKind::kCheckingShort, word,
          "checks of this level have waited a whole interval for a checker with a free slot; start more checkers, or "
          "let them take more at once"});
    }
    if (const std::optional<LogTime> at = SilentAt(state, level); at && IsOver(*at, now)) {
      decision.events.emplace_back(
          AlarmRaised{AlarmKind::kJudgeSilent, word,
                      "no check of this level could conclude anything for long; nothing of it counts, so look "
                      "at the checkers' uplink, judge and secrets"});
    }
  }
  return decision;
}

Decision DecideCheckProxy(const ControllerState& state, const admin::v1::CheckProxyRequest& request,
                          const DecisionPoint& point) {
  const ProxyKey proxy = state.pool().FindProxy(request.proxy_id());
  if (proxy.value() == 0) {
    return {{},
            Rejection{RejectReason::kNotFound, "no proxy of this id is in the pool; `holdfast proxies` lists them",
                      "proxy_id"}};
  }
  const CheckKey key{proxy, static_cast<CheckLevel>(request.level()), state.routings().KeyOf(request.routing_id())};
  const ProxyChecks& checks = state.checks().proxy(proxy);
  if (checks.stopped) {
    return {{},
            Rejection{RejectReason::kFailedCondition,
                      "this proxy is not checked any more: its time is over, or it leaves the pool", "proxy_id"}};
  }
  if (!request.routing_id().empty() && key.routing.value() == 0) {
    return {
        {},
        Rejection{RejectReason::kNotFound, "no routing of this id; `holdfast routings list` lists them", "routing_id"}};
  }
  const CheckRow* check = checks.Find(key.level, key.routing);
  if (check == nullptr) {
    return {
        {},
        Rejection{RejectReason::kFailedCondition,
                  "this proxy has no such check yet: EGRESS and TARGET follow its first BASIC pass, and TARGET needs "
                  "a routing with targets whose labels it carries",
                  "level"}};
  }
  Decision decision;
  decision.events.emplace_back(CheckRequested{proxy, key.level, key.routing, true});
  decision.reply = CheckAccepted{proxy, key.level, key.routing, point.sequence, check->task};
  return decision;
}

}  // namespace holdfast
