#include "tools/fleet/fleet.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <latch>

namespace holdfast::fleet {
namespace {

constexpr std::size_t kLoops = 2;
// Loops may be this late with what they tell, at most.
constexpr std::int64_t kFeedDelayUs = 2'000'000;
constexpr long kLookEveryNanos = 250'000'000;

// Waits a quarter of a second, or less where a signal asks to stop; true then.
bool StopAsked() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  const timespec wait = {.tv_sec = 0, .tv_nsec = kLookEveryNanos};
  return sigtimedwait(&signals, nullptr, &wait) > 0;
}

}  // namespace

Fleet::Fleet(const FleetOptions& options, const BootClock& clock, RandomSource& random)
    : options_(options),
      clock_(clock),
      judge_([this](judge::Violation violation) { statistics_.AddViolation(std::move(violation)); }),
      feed_(judge_, kFeedDelayUs),
      channels_(options.server, options.port_file),
      environment_{options, random, channels_, statistics_, feed_} {}

Fleet::~Fleet() = default;

client::BootTime Fleet::Now() const { return client::BootTime(Duration(clock_.Micros())); }

int Fleet::Run() {
  if (const absl::Status started = Start(); !started.ok()) {
    std::cerr << "holdfast-fleet: " << started.message() << "\n";
    Stop();
    return kExitCouldNotRun;
  }
  RunUntilStopped();
  elapsed_ = Now() - started_at_;
  Stop();
  feed_.Finish();
  return Conclude();
}

absl::Status Fleet::Start() {
  for (std::size_t i = 0; i < kLoops; ++i) {
    loops_.push_back(std::make_shared<client::EventLoop>([this] { return Now(); }));
  }
  for (std::size_t number = 0; number < options_.workers; ++number) {
    std::unique_ptr<AckLog> ack_log;
    if (!options_.ack_log.empty()) {
      char digits[16];
      std::snprintf(digits, sizeof digits, "%04zu", number + 1);
      auto opened = AckLog::Open(options_.ack_log, options_.name + "-" + digits);
      if (!opened.ok()) return opened.status();
      ack_log = *std::move(opened);
    }
    workers_.push_back(
        std::make_unique<SimulatedWorker>(environment_, loops_[number % kLoops], number, std::move(ack_log)));
  }
  started_at_ = Now();
  for (std::size_t number = 0; number < workers_.size(); ++number) {
    loops_[number % kLoops]->Post([worker = workers_[number].get()] { worker->Start(); });
  }
  return absl::OkStatus();
}

void Fleet::RunUntilStopped() {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  int looks = 0;
  while (!StopAsked()) {
    Look();
    const Duration elapsed = Now() - started_at_;
    if (options_.duration.count() != 0 && elapsed >= options_.duration) break;
    if (terminal && ++looks % 4 == 0) std::cerr << "\r\033[K" << statistics_.Progress(elapsed) << std::flush;
  }
  if (terminal) std::cerr << "\r\033[K";
}

void Fleet::Look() {
  feed_.Deliver(Now().time_since_epoch().count());
  for (const judge::Violation& violation : statistics_.TakeNewViolations()) {
    std::cerr << "violation " << judge::ViolationKindName(violation.kind) << ": " << violation.text << "\n";
  }
}

void Fleet::Stop() {
  if (options_.drain.count() != 0 && !workers_.empty()) {
    auto waiting = std::make_shared<std::latch>(static_cast<std::ptrdiff_t>(workers_.size()));
    for (std::size_t number = 0; number < workers_.size(); ++number) {
      loops_[number % kLoops]->Post([this, waiting, worker = workers_[number].get()] {
        worker->Drain(options_.drain, [waiting] { waiting->count_down(); });
      });
    }
    waiting->wait();
  }
  for (std::size_t loop = 0; loop < loops_.size(); ++loop) {
    loops_[loop]->RunAndWait([this, loop] {
      for (std::size_t number = loop; number < workers_.size(); number += kLoops) workers_[number].reset();
    });
  }
  for (const auto& loop : loops_) loop->Stop();
}

int Fleet::Conclude() {
  Look();
  const judge::Judge::Counts judged = judge_.counts();
  if (options_.json) {
    std::cout << statistics_.Json(elapsed_, judged).dump(2) << "\n";
  } else {
    std::cout << statistics_.Table(elapsed_, judged);
  }
  if (statistics_.violations() > 0) return kExitFoundWanting;
  if (statistics_.reached()) return kExitDone;
  const std::string where = options_.port_file.empty() ? options_.server : "the address in " + options_.port_file;
  std::cerr << "holdfast-fleet: no worker ever got through to " << where
            << "; is holdfastd running there? Name it with --server or --port-file\n";
  return kExitUnreachable;
}

}  // namespace holdfast::fleet
