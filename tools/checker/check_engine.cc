#include "tools/checker/check_engine.h"

#include <utility>

#include "tools/checker/observation.h"

namespace holdfast::checker {
namespace {

using controlplane::v1::Anonymity;
using controlplane::v1::CheckTask;
using controlplane::v1::HealthObservation;
using controlplane::v1::Verdict;

// Longer than anybody waits for it: a late answer still says that the path works.
constexpr Duration kProbeTimeout = std::chrono::seconds(5);

}  // namespace

CheckEngine::CheckEngine(CheckSettings settings, SecretBook secrets, RandomSource& random, const WallClock& wall_clock,
                         TransferLoop::BootClock clock, Sink sink)
    : settings_(std::move(settings)),
      secrets_(std::move(secrets)),
      policy_(settings_.allow_private, settings_.loopback_only),
      random_(random),
      wall_clock_(wall_clock),
      sink_(std::move(sink)),
      loop_(policy_, settings_.ca_file, std::move(clock)),
      direct_path_(loop_, settings_.direct_interval,
                   [this](const Question& question, DirectPath::Answer ended) { Probe(question, std::move(ended)); }) {}

CheckEngine::~CheckEngine() { Stop(); }

void CheckEngine::Stop() { loop_.Stop(); }

void CheckEngine::Submit(CheckTask task) {
  const client::BootTime received_at = loop_.Now();
  loop_.Post([this, received_at, task = std::move(task)]() mutable { Begin(std::move(task), received_at); });
}

void CheckEngine::Cancel(std::string task_id) {
  loop_.Post([this, task_id = std::move(task_id)] {
    if (!checks_.contains(task_id)) return;
    Drop(task_id);
    const std::lock_guard lock(mutex_);
    ++counts_.cancelled;
  });
}

CheckCounts CheckEngine::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void CheckEngine::Begin(CheckTask task, client::BootTime received_at) {
  if (checks_.contains(task.task_id())) return;
  auto made = MakePlan(task, {settings_, policy_, secrets_, random_});
  if (const auto* trouble = std::get_if<Trouble>(&made)) return ConcludeWithout(task, *trouble, nullptr);
  auto& plan = std::get<CheckPlan>(made);
  plan.order.timeout = received_at + plan.budget.total - plan.budget.reserve - loop_.Now();
  if (plan.order.timeout <= Duration::zero()) return ConcludeWithout(task, Trouble::kResources, nullptr);
  const std::string task_id = task.task_id();
  Check check{.task = std::move(task),
              .plan = std::move(plan),
              .answer_by = received_at + plan.budget.total - plan.budget.margin};
  Check& begun = checks_.emplace(task_id, std::move(check)).first->second;
  begun.transfer = loop_.Begin(begun.plan.order, [this, task_id](const TransferEnd& end) { OnEnded(task_id, end); });
  const std::lock_guard lock(mutex_);
  counts_.running = checks_.size();
}

void CheckEngine::OnEnded(const std::string& task_id, const TransferEnd& end) {
  Check& check = checks_.at(task_id);
  check.transfer = 0;
  check.end = end;
  check.finding = Find(check.plan.order, end);
  if (check.finding.trouble != Trouble::kNone) return ConcludeWithout(check.task, check.finding.trouble, &check);
  const client::BootTime now = loop_.Now();
  if (!check.finding.good) return AwaitDirectPath(check, now);
  if (check.task.level() != controlplane::v1::CHECK_LEVEL_EGRESS) {
    return Conclude(check, controlplane::v1::VERDICT_PASS);
  }
  // Who we are to the judge is asked now and then; what the proxy made of it was seen just now.
  const client::BootTime since = now - settings_.own_traces_age;
  const DirectAnswer* const kept = direct_path_.Kept(check.plan.order.question, since);
  if (kept != nullptr) return OnDirectPath(task_id, DirectAnswer(*kept));
  AwaitDirectPath(check, since);
}

void CheckEngine::AwaitDirectPath(Check& check, client::BootTime since) {
  const std::string& task_id = check.task.task_id();
  check.limit = loop_.RunAt(check.answer_by, [this, task_id] {
    Check& late = checks_.at(task_id);
    late.limit = 0;
    ConcludeWithout(late.task, Trouble::kDirectPath, &late);
  });
  check.waiter = direct_path_.Ask(check.plan.order.question, since,
                                  [this, task_id](const DirectAnswer& answer) { OnDirectPath(task_id, answer); });
}

void CheckEngine::OnDirectPath(const std::string& task_id, const DirectAnswer& answer) {
  Check& check = checks_.at(task_id);
  check.waiter = 0;
  if (!answer.reached) return ConcludeWithout(check.task, Trouble::kDirectPath, &check);
  if (!check.finding.good) return Conclude(check, controlplane::v1::VERDICT_FAIL);
  const Anonymity anonymity = AnonymityOf(check, answer);
  const bool enough = anonymity >= check.task.min_anonymity();
  Conclude(check, enough ? controlplane::v1::VERDICT_PASS : controlplane::v1::VERDICT_FAIL, anonymity);
}

Anonymity CheckEngine::AnonymityOf(const Check& check, const DirectAnswer& direct) const {
  OwnTraces own = TracesOf(*direct.report);
  // Towards the proxy it may have another one than towards the judge.
  if (check.end.local_address) own.addresses.push_back(*check.end.local_address);
  return DeriveAnonymity(*check.finding.report, own);
}

void CheckEngine::Drop(const std::string& task_id) {
  const auto found = checks_.find(task_id);
  loop_.Abandon(found->second.transfer);
  loop_.Cancel(found->second.limit);
  direct_path_.Forget(found->second.plan.order.question, found->second.waiter);
  checks_.erase(found);
  const std::lock_guard lock(mutex_);
  counts_.running = checks_.size();
}

void CheckEngine::Probe(const Question& question, DirectPath::Answer ended) {
  const bool is_judge = question.ask == Question::Ask::kIdentify;
  const TransferOrder order{is_judge ? JudgeQuestion(settings_, random_) : question, std::nullopt, kProbeTimeout};
  loop_.Begin(order, [order, ended = std::move(ended)](const TransferEnd& end) {
    Finding finding = Find(order, end);
    ended({finding.good && finding.trouble == Trouble::kNone, std::move(finding.report)});
  });
}

void CheckEngine::Conclude(Check& check, Verdict verdict, Anonymity anonymity) {
  HealthObservation observation = ObservationOf(check.task, verdict, wall_clock_.Micros());
  AddSeen(check.finding, check.end, &observation);
  observation.set_anonymity(anonymity);
  Drop(check.task.task_id());
  Tell(std::move(observation), Trouble::kNone);
}

void CheckEngine::ConcludeWithout(const CheckTask& task, Trouble trouble, const Check* check) {
  HealthObservation observation = ObservationOf(task, controlplane::v1::VERDICT_INCONCLUSIVE, wall_clock_.Micros());
  if (check != nullptr) {
    AddSeen(check->finding, check->end, &observation);
    Drop(check->task.task_id());
  }
  Tell(std::move(observation), trouble);
}

void CheckEngine::Tell(HealthObservation observation, Trouble trouble) {
  {
    const std::lock_guard lock(mutex_);
    if (trouble != Trouble::kNone) {
      ++counts_.inconclusive[static_cast<std::size_t>(trouble)];
    } else {
      ++(observation.verdict() == controlplane::v1::VERDICT_PASS ? counts_.passed : counts_.failed);
    }
  }
  sink_(std::move(observation));
}

}  // namespace holdfast::checker
