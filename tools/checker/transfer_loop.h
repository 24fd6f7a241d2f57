// Hundreds of transfers at once on one thread: libcurl's multi interface over epoll, as a Scheduler.
//
// Begin, Abandon, RunAt and Cancel are for the loop's own thread, Post for any. A transfer costs nothing while nothing
// happens on its socket, so proxies that hang hold nobody up. Promises: `done` runs on the loop, never from within
// Begin, exactly once; never after Abandon; nothing runs after Stop(). Only names are looked up elsewhere, on threads
// of libcurl's own, which nobody waits for. The clock is injected: nothing here reads one.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client/scheduler.h"
#include "tools/checker/easy_transfer.h"

namespace holdfast::checker {

class TransferLoop : public client::Scheduler {
 public:
  using BootClock = std::function<client::BootTime()>;
  using TransferId = std::uint64_t;  // 0: none

  TransferLoop(const AddressPolicy& policy, std::string ca_file, BootClock clock);
  ~TransferLoop() override;

  client::BootTime Now() const override { return clock_(); }
  void Post(Task task) override;
  TimerId RunAt(client::BootTime at, Task task) override;
  void Cancel(TimerId timer) override;

  TransferId Begin(const TransferOrder& order, EasyTransfer::Done done);
  // No effect where it has ended, or for 0.
  void Abandon(TransferId transfer);

  // Ends after the task that is running and abandons every transfer; joins the thread. Safe to call twice, not from the
  // loop's own thread.
  void Stop();

 private:
  using TimerKey = std::pair<client::BootTime, TimerId>;

  void Run();
  bool RunPosted();  // false: stopped
  void RunDueTimers();
  void WaitForSockets();
  int WaitMilliseconds() const;  // -1: for as long as it takes
  void TellLibcurl(int socket, int what);
  void TakeEnded();
  void Remove(TransferId transfer);

  static int OnSocket(CURL* handle, curl_socket_t socket, int what, void* self, void*);
  static int OnTimeout(CURLM* multi, long milliseconds, void* self);

  const AddressPolicy policy_;
  const std::string ca_file_;
  const BootClock clock_;
  CURLM* const multi_;
  const int poll_;  // epoll's descriptor
  const int wake_;  // an eventfd

  std::mutex mutex_;  // guards the next two
  bool stopped_ = false;
  std::vector<Task> posted_;

  // The loop's own.
  TransferId last_transfer_ = 0;
  std::map<TransferId, std::unique_ptr<EasyTransfer>> transfers_;
  std::map<CURL*, TransferId> ids_;
  std::optional<client::BootTime> libcurl_due_;
  TimerId last_timer_ = 0;
  std::map<TimerKey, Task> timers_;
  std::map<TimerId, client::BootTime> timer_times_;

  std::thread thread_;  // the last: it uses all of the above
};

}  // namespace holdfast::checker
