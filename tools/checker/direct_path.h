// The way to an echo, judge or target without a proxy, looked at on behalf of all checks that need to know whether this
// machine's own uplink works.
//
// On the scheduler's thread. Whoever asks names the moment `since`: only an answer of a probe that began then or later
// counts, so that an uplink that broke together with a proxy is not excused by what it could do before. One probe an
// endpoint at a time, and one in `interval` at most, however many ask; all of them share its answer. Keeps the last
// good answer of each endpoint. Does not know what a probe is, nor time limits: who waits has its own.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/scheduler.h"
#include "tools/checker/judge_report.h"
#include "tools/checker/question.h"

namespace holdfast::checker {

struct DirectAnswer {
  bool reached = false;               // and the answer was what the question asks for
  std::optional<JudgeReport> report;  // of a kIdentify that was reached
};

class DirectPath {
 public:
  using Answer = std::function<void(const DirectAnswer& answer)>;
  // Begins a probe; the answer comes later, on the scheduler's thread, exactly once.
  using Probe = std::function<void(const Question& question, Answer ended)>;
  using WaiterId = std::uint64_t;  // 0: none

  DirectPath(client::Scheduler& scheduler, Duration interval, Probe probe);

  // The last good answer, if its probe began at `since` or later.
  const DirectAnswer* Kept(const Question& question, client::BootTime since) const;

  // `answer` is called once, later, unless the waiter is forgotten first.
  WaiterId Ask(const Question& question, client::BootTime since, Answer answer);
  void Forget(const Question& question, WaiterId waiter);

 private:
  struct Waiter {
    client::BootTime since;
    Answer answer;
  };
  struct Endpoint {
    explicit Endpoint(const Question& asked) : question(asked) {}

    const Question question;
    std::optional<client::BootTime> last_begun;
    bool under_way = false;
    bool planned = false;  // a timer will begin the next
    std::optional<client::BootTime> kept_since;
    DirectAnswer kept;
    std::map<WaiterId, Waiter> waiters;
  };

  void PlanNext(const std::string& key);
  void BeginProbe(const std::string& key);
  void OnEnded(const std::string& key, const DirectAnswer& answer);
  void DropIdle();

  client::Scheduler& scheduler_;
  const Duration interval_;
  const Probe probe_;
  WaiterId last_waiter_ = 0;
  std::map<std::string, Endpoint> endpoints_;
};

}  // namespace holdfast::checker
