#include "tools/checker/direct_path.h"

#include <utility>

namespace holdfast::checker {
namespace {

// Targets come and go with the tasks; beyond this many, those that nobody asks about are dropped.
constexpr std::size_t kEndpointsKept = 256;

}  // namespace

DirectPath::DirectPath(client::Scheduler& scheduler, Duration interval, Probe probe)
    : scheduler_(scheduler), interval_(interval), probe_(std::move(probe)) {}

const DirectAnswer* DirectPath::Kept(const Question& question, client::BootTime since) const {
  const auto found = endpoints_.find(question.Key());
  if (found == endpoints_.end() || !found->second.kept_since || *found->second.kept_since < since) return nullptr;
  return &found->second.kept;
}

DirectPath::WaiterId DirectPath::Ask(const Question& question, client::BootTime since, Answer answer) {
  const std::string key = question.Key();
  if (endpoints_.size() >= kEndpointsKept && !endpoints_.contains(key)) DropIdle();
  Endpoint& endpoint = endpoints_.try_emplace(key, question).first->second;
  const WaiterId waiter = ++last_waiter_;
  endpoint.waiters.emplace(waiter, Waiter{since, std::move(answer)});
  PlanNext(key);
  return waiter;
}

void DirectPath::Forget(const Question& question, WaiterId waiter) {
  const auto found = endpoints_.find(question.Key());
  if (found != endpoints_.end()) found->second.waiters.erase(waiter);
}

void DirectPath::PlanNext(const std::string& key) {
  Endpoint& endpoint = endpoints_.at(key);
  if (endpoint.under_way || endpoint.planned || endpoint.waiters.empty()) return;
  const client::BootTime now = scheduler_.Now();
  const client::BootTime allowed = endpoint.last_begun ? *endpoint.last_begun + interval_ : now;
  if (allowed <= now) return BeginProbe(key);
  endpoint.planned = true;
  scheduler_.RunAt(allowed, [this, key] {
    endpoints_.at(key).planned = false;
    PlanNext(key);
  });
}

void DirectPath::BeginProbe(const std::string& key) {
  Endpoint& endpoint = endpoints_.at(key);
  endpoint.under_way = true;
  endpoint.last_begun = scheduler_.Now();
  probe_(endpoint.question, [this, key](const DirectAnswer& answer) { OnEnded(key, answer); });
}

void DirectPath::OnEnded(const std::string& key, const DirectAnswer& answer) {
  Endpoint& endpoint = endpoints_.at(key);
  endpoint.under_way = false;
  if (answer.reached) {
    endpoint.kept = answer;
    endpoint.kept_since = endpoint.last_begun;
  }
  std::vector<Answer> answered;
  std::erase_if(endpoint.waiters, [&](auto& entry) {
    if (entry.second.since > *endpoint.last_begun) return false;
    answered.push_back(std::move(entry.second.answer));
    return true;
  });
  PlanNext(key);
  // Each may ask again, which may drop the endpoint: nothing of it is touched from here on.
  for (const Answer& tell : answered) tell(answer);
}

void DirectPath::DropIdle() {
  std::erase_if(endpoints_, [this](const auto& entry) {
    const Endpoint& endpoint = entry.second;
    const bool may_be_asked = !endpoint.last_begun || *endpoint.last_begun + interval_ <= scheduler_.Now();
    return endpoint.question.ask == Question::Ask::kFetch && endpoint.waiters.empty() && !endpoint.under_way &&
           !endpoint.planned && may_be_asked;
  });
}

}  // namespace holdfast::checker
