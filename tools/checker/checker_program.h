// The program: a CheckerClient that gets tasks, a CheckEngine that runs them, and the signals that end both.
//
// Run is called once, on the main thread, with SIGINT and SIGTERM blocked in every thread. The first signal drains: no
// new task is taken, what runs comes to its end within the bound. The second ends at once.

#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "base/boot_clock.h"
#include "client/checker_client.h"
#include "client/event_loop.h"
#include "tools/checker/check_engine.h"
#include "tools/checker/checker_options.h"
#include "tools/checker/event_lines.h"

namespace holdfast::checker {

// What a process has. All of it outlives the program.
struct CheckerEnvironment {
  const BootClock& boot_clock;
  const WallClock& wall_clock;
  RandomSource& random;
  EventLines& lines;
};

class CheckerProgram : private client::CheckHandler, private client::CheckerObserver {
 public:
  CheckerProgram(const CheckerOptions& options, SecretBook secrets, const CheckerEnvironment& environment);
  ~CheckerProgram() override;

  // Until a signal or the controller ends it.
  ExitCode Run();

 private:
  void Run(const controlplane::v1::CheckTask& task) override { engine_.Submit(task); }
  void Cancel(const std::string& task_id) override { engine_.Cancel(task_id); }
  void OnCall(const client::CallRecord& record) override;
  void OnRegistered(const controlplane::v1::RegisterCheckerRequest& request,
                    const controlplane::v1::RegisterCheckerResponse& response) override;
  void OnFinished(session::SessionEnd end, const std::string& why) override;

  void Start();
  // A signal that asks to end came within a moment.
  bool StopAsked();
  void SummariseNowAndThen();
  void Leave();
  ExitCode Conclude();
  client::BootTime Now() const { return client::BootTime(Duration(environment_.boot_clock.Micros())); }

  const CheckerOptions& options_;
  const CheckerEnvironment environment_;
  const bool resolves_secrets_;
  std::atomic<bool> registered_{false};
  std::mutex mutex_;  // guards end_ and why_
  std::optional<session::SessionEnd> end_;
  std::string why_;
  std::atomic<bool> finished_{false};
  bool leaving_ = false;
  client::BootTime summarised_at_{};
  std::shared_ptr<client::EventLoop> loop_;
  CheckEngine engine_;
  std::unique_ptr<client::CheckerClient> client_;  // on loop_
};

}  // namespace holdfast::checker
