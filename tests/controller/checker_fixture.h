// Checkers in a story: they register, watch, are given what is due, and say what the story lets them find.
//
// Thread: plain functions of one test.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {

// A checker process as the story drives it.
struct Checker {
  std::string id;
  std::string session;
  std::uint64_t stream = 0;
  std::uint64_t report = 0;  // the last sequence
};

// A task as its checker sees it.
struct GivenTask {
  std::uint64_t id = 0;
  std::string proxy_id;
  CheckLevel level{};
  std::string routing_id;
  std::uint32_t target = 0;
  LogTime deadline;
};

using EditChecker = std::function<void(controlplane::v1::RegisterCheckerRequest&)>;
using Finding = std::function<void(controlplane::v1::HealthObservation&)>;

// What is imported is PENDING until it is checked.
Settings Checked();

// Of all levels, resolving secrets, ten tasks at once, unless edited. Requires: it is accepted.
Checker RegisterChecker(Story& story, const std::string& id, const EditChecker& edit = {});
const Decision& WatchTasks(Story& story, Checker& checker);
// Registered, its task stream open, given what is due.
Checker ActiveChecker(Story& story, const std::string& id, const EditChecker& edit = {});

// What is outstanding to it, in the order of the tasks.
std::vector<GivenTask> TasksOf(const Story& story, const Checker& checker);
controlplane::v1::HealthObservation Observe(const GivenTask& task, Verdict verdict, const Finding& edit = {});
const Decision& Report(Story& story, Checker& checker,
                       const std::vector<controlplane::v1::HealthObservation>& observations, bool draining = false);

// Answers everything that is outstanding to it. verdict: what is found of a task.
using Finds = std::function<Verdict(const GivenTask&)>;
const Decision& Answer(Story& story, Checker& checker, const Finds& verdict, const Finding& edit = {});
inline Finds Always(Verdict verdict) {
  return [verdict](const GivenTask&) { return verdict; };
}

// Lets time pass in steps; each checker answers at each step what it was given.
void Check(Story& story, std::vector<Checker*> checkers, Duration duration, const Finds& verdict,
           Duration step = seconds(1));

PoolState PoolOf(const Story& story, int number);
const KeyHealth& HealthOf(const Story& story, int number, CheckLevel level = CheckLevel::kBasic,
                          const std::string& routing_id = "");
// How many proxies of the pool are in this state.
std::uint64_t CountOf(const Story& story, PoolState state);
bool HasAlarm(const Story& story, AlarmKind kind, const std::string& subject);

}  // namespace holdfast::testing
