// The daemon audits itself: decides every entry of its log again, from the first block on, and compares, as the replay
// tool would. What differs becomes an input of the controller's own, and an alarm from it.
//
//   Start ─► reads block by block ─► at the end: waits for Nudge ─► …        a finding, or an error, ends the audit
//
// Life cycle: made, Start, Stop (or destruction). Thread: one of its own with the lowest ordinary priority (nice 19;
// not SCHED_IDLE: whoever holds a lock of the log must get on with it); the rest from any. Promises: verified() grows
// and is never ahead of the log; the log is only read; it is told once what was found. Does not: compare the rows of
// ownership_periods (`holdfast-replay verify` does), or begin where an earlier process ended.

#pragma once

#include <absl/status/status.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "events/event_log.h"

namespace holdfast::server {

class SelfAudit {
 public:
  // What ended an audit: where, and what was found there or could not be read.
  struct Divergence {
    Sequence sequence;
    std::string text;
  };
  using Listener = std::function<void(const Divergence&)>;

  // log must outlive it. on_divergence is called on the audit's thread, once at most.
  SelfAudit(const EventLog& log, Listener on_divergence) : log_(log), on_divergence_(std::move(on_divergence)) {}
  ~SelfAudit() { Stop(); }

  void Start();
  // More may have been committed: look again.
  void Nudge();
  void Stop();

  // The last entry that was decided again and found equal; 0: none yet.
  Sequence verified() const { return Sequence(verified_.load()); }

 private:
  void Run();
  // What ended it; text empty: it was stopped.
  Divergence AuditUntilItEnds();
  bool WaitForMore();

  const EventLog& log_;
  const Listener on_divergence_;
  std::atomic<std::uint64_t> verified_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool nudged_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace holdfast::server
