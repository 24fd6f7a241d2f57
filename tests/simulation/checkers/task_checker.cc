#include "tests/simulation/checkers/task_checker.h"

#include <algorithm>
#include <charconv>

namespace holdfast::simulation {
namespace {

using controlplane::v1::CheckLevel;
using controlplane::v1::HealthObservation;
using log::v1::Event;

constexpr std::int64_t kMargin = 2'000'000;          // of a deadline behind its timeout
constexpr std::int64_t kOverdueSlack = 120'000'000;  // of log time, over a pause of the controller

// 0: none.
std::uint64_t NumberOf(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

std::int64_t TimeoutOf(const log::v1::Settings& settings, CheckLevel level) {
  if (level == controlplane::v1::CHECK_LEVEL_BASIC) return settings.basic_timeout();
  return level == controlplane::v1::CHECK_LEVEL_EGRESS ? settings.egress_timeout() : settings.target_timeout();
}

}  // namespace

void TaskChecker::Wrong(const Entry& entry, const std::string& what) {
  violations_.Add("tasks", "sequence " + std::to_string(entry.sequence) + ": " + what);
}

void TaskChecker::BeforeEntry(const Entry& entry) {
  counts_.clear();
  observed_.clear();
  cancelled_.clear();
  look_at_outstanding_ = false;
  if (entry.input.has_report_observations()) Expect(entry);
  if (entry.input.input_case() < log::v1::Input::kRegisterWorker) return;
  for (const std::uint64_t id : checks_.outstanding()) {
    if (std::max(checks_.Task(id)->deadline, started_at_) + kOverdueSlack < entry.at_us) {
      Wrong(entry, "task " + std::to_string(id) + " is outstanding long after its deadline");
    }
  }
}

// Which observations of a report count, as it stands before it is decided.
void TaskChecker::Expect(const Entry& entry) {
  const auto& request = entry.input.report_observations().request();
  const ModelChecker* checker = checks_.CheckerOf(request.checker_id());
  std::set<std::uint64_t> seen_before;
  for (const HealthObservation& seen : request.observations()) {
    const std::uint64_t id = NumberOf(seen.task_id());
    const ModelTask* task = checks_.Task(id);
    bool counts = checker != nullptr && checker->open() && checker->session_id == request.session_id() &&
                  task != nullptr && task->outstanding && task->session_id == request.session_id() &&
                  checker->tasks.contains(id) && entry.at_us < task->deadline;
    if (counts) {
      const CheckedProxy* proxy = checks_.Proxy(task->key.proxy);
      const ModelRouting* routing = checks_.Routing(task->key.routing);
      const std::string routing_id = routing == nullptr ? "" : routing->spec.routing_id();
      counts = proxy != nullptr && proxy->spec.proxy_id() == seen.proxy_id() && task->key.level == seen.level() &&
               routing_id == seen.routing_id() && seen_before.insert(id).second;
    }
    counts_.push_back(counts);
  }
}

void TaskChecker::Before(const Entry& entry, const Event& event) {
  switch (event.event_case()) {
    case Event::kControllerStarted:
      started_at_ = entry.at_us;
      return;
    case Event::kCheckIssued:
      return BeforeIssue(entry, event.check_issued());
    case Event::kCheckObserved:
      return BeforeObserved(entry, event.check_observed());
    case Event::kCheckExpired: {
      const ModelTask* task = checks_.Task(event.check_expired().task());
      BeforeEnd(entry, event.check_expired().task(), "expires");
      if (task != nullptr && entry.at_us < task->deadline) Wrong(entry, "a task expires before its deadline");
      return;
    }
    case Event::kCheckCancelled:
      cancelled_.insert(event.check_cancelled().task());
      return BeforeEnd(entry, event.check_cancelled().task(), "is cancelled");
    case Event::kProxyUnusable:
    case Event::kProxyExpired:
    case Event::kProxyLeaving:
    case Event::kProxyRemoved:
    case Event::kChecksPlanned:
    case Event::kCheckerOpened:
    case Event::kCheckerClosed:
      look_at_outstanding_ = true;
      return;
    default:
      return;
  }
}

void TaskChecker::BeforeIssue(const Entry& entry, const log::v1::CheckIssued& issued) {
  const ModelKey key = KeyOf(issued);
  const std::string what = "task " + std::to_string(issued.task()) + " for " + TextOf(key);
  if (issued.task() != last_task_ + 1) Wrong(entry, what + " follows task " + std::to_string(last_task_));
  last_task_ = issued.task();
  for (const std::uint64_t id : checks_.outstanding()) {
    if (checks_.Task(id)->key == key) Wrong(entry, what + " while task " + std::to_string(id) + " is under way");
  }
  const CheckedProxy* proxy = checks_.Proxy(key.proxy);
  const ModelProxy* in_pool = model_.Proxy(key.proxy);
  if (proxy == nullptr || proxy->stopped || in_pool == nullptr || !in_pool->usable) {
    return Wrong(entry, what + ", which may not be used");
  }
  const ModelCheck* check = checks_.Check(key);
  if (check == nullptr) return Wrong(entry, what + ", which is not planned");
  if (check->due_at == 0 || entry.at_us < check->due_at) Wrong(entry, what + ", which is not due");
  JudgeTaker(entry, issued);
  JudgeTarget(entry, issued);
}

void TaskChecker::JudgeTaker(const Entry& entry, const log::v1::CheckIssued& issued) {
  const ModelChecker* checker = checks_.Checker(issued.checker());
  if (checker == nullptr) return Wrong(entry, "a task for a checker that was never seen");
  const std::string whose = "task " + std::to_string(issued.task()) + " for " + checker->checker_id;
  if (checker->state != controlplane::v1::SESSION_STATE_ACTIVE) Wrong(entry, whose + ", which is not active");
  if (checker->stream == 0) Wrong(entry, whose + ", which is not attached");
  if (checks_.cordoned(checker->checker_id)) Wrong(entry, whose + ", which is cordoned");
  if (!checker->checks(issued.level())) Wrong(entry, whose + ", which does not check at this level");
  if (checker->tasks.size() >= checker->max_concurrency) Wrong(entry, whose + ", which has as many as it takes");
  const bool secret = !checks_.Proxy(issued.proxy())->spec.secret_ref().empty();
  if (secret && !checker->resolves_secrets) Wrong(entry, whose + ", which cannot resolve the proxy's secret_ref");
}

// Which of the routing's targets, in turn; and until when.
void TaskChecker::JudgeTarget(const Entry& entry, const log::v1::CheckIssued& issued) {
  const ModelKey key = KeyOf(issued);
  std::int64_t timeout = TimeoutOf(model_.settings(), key.level);
  if (key.level == controlplane::v1::CHECK_LEVEL_TARGET) {
    const ModelRouting* routing = checks_.Routing(key.routing);
    if (routing == nullptr || issued.target() >= static_cast<std::uint32_t>(routing->spec.targets_size())) {
      return Wrong(entry, "a task for a target that no routing has");
    }
    const std::int64_t own = routing->spec.targets(static_cast<int>(issued.target())).timeout();
    if (own > 0) timeout = std::min(timeout, own);
    const std::uint32_t turn = checks_.Check(key)->tasks;
    if (issued.target() != turn % static_cast<std::uint32_t>(routing->spec.targets_size())) {
      Wrong(entry, "a target that is not in turn, for " + TextOf(key));
    }
  }
  if (issued.deadline() != entry.at_us + timeout + kMargin) {
    Wrong(entry, "a task with another deadline than its timeout and two seconds, for " + TextOf(key));
  }
}

void TaskChecker::BeforeObserved(const Entry& entry, const log::v1::CheckObserved& observed) {
  ++observations_;
  BeforeEnd(entry, observed.task(), "is observed");
  observed_.insert(observed.task());
  const ModelTask* task = checks_.Task(observed.task());
  if (task == nullptr) return;
  if (task->key != KeyOf(observed) || task->checker != observed.checker()) {
    Wrong(entry, "task " + std::to_string(observed.task()) + " is observed as another than it was given as");
  }
}

void TaskChecker::BeforeEnd(const Entry& entry, std::uint64_t id, const std::string& how) {
  const ModelTask* task = checks_.Task(id);
  if (task == nullptr || !task->outstanding) {
    Wrong(entry, "task " + std::to_string(id) + " " + how + ", and is not outstanding");
  }
}

void TaskChecker::AfterEntry(const Entry& entry) {
  bool heard = false;
  for (const Event& event : entry.events.events()) {
    if (!event.has_checker_heard() || event.checker_heard().sequence() == 0) continue;
    AfterReport(entry, event.checker_heard());
    heard = true;
  }
  if (!heard && !observed_.empty()) Wrong(entry, "something is observed, though no report was taken");
  if (look_at_outstanding_) JudgeOutstanding(entry);
}

void TaskChecker::AfterReport(const Entry& entry, const log::v1::CheckerHeard& heard) {
  if (!entry.input.has_report_observations()) return Wrong(entry, "a checker is heard without a report");
  const auto& request = entry.input.report_observations().request();
  const TaskIds ignored{heard.ignored_task_ids().begin(), heard.ignored_task_ids().end()};
  ignored_[{request.session_id(), heard.sequence()}] = ignored;
  TaskIds expected;
  std::size_t counted = 0;
  for (int i = 0; i < request.observations_size(); ++i) {
    const std::string& id = request.observations(i).task_id();
    const std::uint64_t number = NumberOf(id);
    // What this report itself makes void may be left out.
    const bool counts =
        counts_[static_cast<std::size_t>(i)] && (!cancelled_.contains(number) || observed_.contains(number));
    if (counts != observed_.contains(number) && counts) Wrong(entry, "the observation of task " + id + " must count");
    counted += counts ? 1 : 0;
    if (!counts) expected.push_back(id);
  }
  if (counted != observed_.size()) Wrong(entry, "an observation counts that may not: not of this session, or too late");
  if (ignored != expected) Wrong(entry, "what counts for nothing is not named as such");
}

// What is under way is under way for somebody, and somebody wants to know.
void TaskChecker::JudgeOutstanding(const Entry& entry) {
  for (const std::uint64_t id : checks_.outstanding()) {
    const ModelTask& task = *checks_.Task(id);
    const std::string what = "task " + std::to_string(id) + " for " + TextOf(task.key);
    const ModelChecker* checker = checks_.Checker(task.checker);
    if (checker == nullptr || !checker->open() || checker->session_id != task.session_id) {
      Wrong(entry, what + " outlives the session that it was given in");
    }
    const CheckedProxy* proxy = checks_.Proxy(task.key.proxy);
    if (proxy == nullptr || proxy->stopped) {
      Wrong(entry, what + " is under way, though the proxy may not be used");
      continue;
    }
    const ModelCheck* check = checks_.Check(task.key);
    if (check == nullptr || check->task != id) Wrong(entry, what + " is under way, though it is not checked so");
  }
}

void TaskChecker::Shown(const std::string& checker_id, const std::string& session_id,
                        const controlplane::v1::TaskUpdate& update) {
  const auto wrong = [&](const std::string& what) {
    violations_.Add("tasks", checker_id + " is sent " + update.ShortDebugString() + ": " + what);
  };
  if (update.has_cancel()) {
    const ModelTask* task = checks_.Task(NumberOf(update.cancel().task_id()));
    if (task == nullptr || task->outstanding) wrong("what is cancelled is outstanding");
  }
  if (!update.has_task()) return;
  const controlplane::v1::CheckTask& shown = update.task();
  const ModelTask* task = checks_.Task(NumberOf(shown.task_id()));
  if (task == nullptr) return wrong("no such task is in the log");
  const ModelChecker* checker = checks_.Checker(task->checker);
  if (checker == nullptr || checker->checker_id != checker_id || task->session_id != session_id) {
    wrong("it is another's task");
  }
  const std::int64_t deadline = shown.deadline().seconds() * 1'000'000 + shown.deadline().nanos() / 1'000;
  if (deadline != task->deadline || shown.level() != task->key.level) wrong("it is not what stands in the log");
  const CheckedProxy* proxy = checks_.Proxy(task->key.proxy);
  if (proxy == nullptr) return;  // removed meanwhile
  const log::v1::StoredProxy& spec = proxy->spec;
  if (spec.proxy_id() != shown.proxy_id() || spec.secret_ref() != shown.secret_ref() ||
      spec.scheme() != shown.endpoint().scheme() || spec.host() != shown.endpoint().host() ||
      spec.port() != shown.endpoint().port()) {
    wrong("it names another proxy");
  }
}

void TaskChecker::Answered(const controlplane::v1::ReportObservationsRequest& request,
                           const controlplane::v1::ReportObservationsResponse& response) {
  const auto taken = ignored_.find({request.session_id(), request.sequence()});
  const TaskIds unknown{response.unknown_task_ids().begin(), response.unknown_task_ids().end()};
  if (taken != ignored_.end() && taken->second == unknown) return;
  violations_.Add("tasks", "the answer to report " + std::to_string(request.sequence()) + " of " +
                               request.checker_id() + " does not name what counted for nothing");
}

}  // namespace holdfast::simulation
