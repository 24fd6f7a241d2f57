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

TruthSettings TruthOf(const FleetOptions& options) {
  return {.seed = options.seed,
          .dead_share = options.checks.dead_share,
          .flip_every_us = options.checks.flip_every.count(),
          .egress_is_checked = options.checks.Checks(controlplane::v1::CHECK_LEVEL_EGRESS)};
}

// Member `number` lives on loop `number % kLoops`. Calls run(member) on that loop's thread, later.
template <class Member, class Run>
void PostToEach(const std::vector<std::shared_ptr<client::EventLoop>>& loops,
                const std::vector<std::unique_ptr<Member>>& members, const Run& run) {
  for (std::size_t number = 0; number < members.size(); ++number) {
    loops[number % kLoops]->Post([run, member = members[number].get()] { run(*member); });
  }
}

// Destroys the members of that loop. On the loop's thread.
template <class Member>
void DestroyOf(std::size_t loop, std::vector<std::unique_ptr<Member>>& members) {
  for (std::size_t number = loop; number < members.size(); number += kLoops) members[number].reset();
}

}  // namespace

Fleet::Fleet(const FleetOptions& options, const BootClock& clock, RandomSource& random)
    : options_(options),
      clock_(clock),
      judge_([this](judge::Violation violation) { statistics_.AddViolation(std::move(violation)); }),
      feed_(judge_, kFeedDelayUs),
      channels_(options.server, options.port_file),
      environment_{options, random, channels_, statistics_, feed_},
      started_at_(Now()),
      truth_(TruthOf(options)),
      client_environment_{options, random, channels_, client_statistics_, feed_} {}

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
  if (absl::Status made = MakeWorkers(); !made.ok()) return made;
  if (options_.checks.checkers > 0) MakeCheckers();
  if (absl::Status made = MakeClients(); !made.ok()) return made;
  PostToEach(loops_, workers_, [](SimulatedWorker& worker) { worker.Start(); });
  PostToEach(loops_, checkers_, [](SimulatedChecker& checker) { checker.Start(); });
  PostToEach(loops_, clients_, [](SimulatedClient& client) { client.Start(); });
  if (watch_) watch_loop_->Post([this] { watch_->Start(); });
  return absl::OkStatus();
}

absl::Status Fleet::MakeWorkers() {
  for (std::size_t number = 0; number < options_.workers; ++number) {
    auto ack_log = OpenAckLog(MemberId(options_.name, number));
    if (!ack_log.ok()) return ack_log.status();
    workers_.push_back(
        std::make_unique<SimulatedWorker>(environment_, loops_[number % kLoops], number, *std::move(ack_log)));
  }
  return absl::OkStatus();
}

// Null where none was asked for.
absl::StatusOr<std::unique_ptr<AckLog>> Fleet::OpenAckLog(const std::string& member_id) const {
  if (options_.ack_log.empty()) return nullptr;
  return AckLog::Open(options_.ack_log, member_id);
}

absl::Status Fleet::MakeClients() {
  // After the workers, the checkers, and who looks at the pool.
  const std::size_t first_channel = options_.workers + options_.checks.checkers + 1;
  for (std::size_t number = 0; number < options_.clients.clients; ++number) {
    auto ack_log = OpenAckLog(MemberId(options_.name + "-client", number));
    if (!ack_log.ok()) return ack_log.status();
    clients_.push_back(std::make_unique<SimulatedClient>(client_environment_, loops_[number % kLoops], number,
                                                         first_channel + number, *std::move(ack_log)));
  }
  return absl::OkStatus();
}

void Fleet::MakeCheckers() {
  const std::size_t checkers = options_.checks.checkers;
  watch_loop_ = std::make_shared<client::EventLoop>([this] { return Now(); });
  watch_ = std::make_unique<HealthWatch>(
      options_.checks.health, watch_loop_, [this, checkers] { return channels_.Get(options_.workers + checkers); },
      truth_, started_at_, checker_statistics_,
      [this](judge::Violation violation) { statistics_.AddViolation(std::move(violation)); });
  checker_environment_ = std::make_unique<CheckerEnvironment>(
      CheckerEnvironment{options_, environment_.random, channels_, checker_statistics_, truth_, started_at_,
                         [this](const std::string& proxy_id) { watch_->Excuse(proxy_id); }});
  for (std::size_t number = 0; number < checkers; ++number) {
    checkers_.push_back(std::make_unique<SimulatedChecker>(*checker_environment_, loops_[number % kLoops], number,
                                                           options_.workers + number));
  }
}

void Fleet::RunUntilStopped() {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  int looks = 0;
  while (!StopAsked()) {
    Look();
    const Duration elapsed = Now() - started_at_;
    if (options_.duration.count() != 0 && elapsed >= options_.duration) break;
    if (terminal && ++looks % 4 == 0) std::cerr << "\r\033[K" << Progress(elapsed) << std::flush;
  }
  if (terminal) std::cerr << "\r\033[K";
}

void Fleet::Look() {
  feed_.Deliver(Now().time_since_epoch().count());
  for (const judge::Violation& violation : statistics_.TakeNewViolations()) {
    std::cerr << "violation " << judge::ViolationKindName(violation.kind) << ": " << violation.text << "\n";
  }
}

std::string Fleet::Progress(Duration elapsed) const {
  std::string line = statistics_.Progress(elapsed);
  if (options_.checks.checkers > 0) line += "; " + checker_statistics_.Progress();
  if (options_.clients.clients > 0) line += "; " + client_statistics_.Progress();
  return line;
}

void Fleet::DrainAll() {
  auto waiting = std::make_shared<std::latch>(static_cast<std::ptrdiff_t>(workers_.size() + checkers_.size()));
  const auto drain = [this, waiting](auto& member) {
    member.Drain(options_.drain, [waiting] { waiting->count_down(); });
  };
  PostToEach(loops_, workers_, drain);
  PostToEach(loops_, checkers_, drain);
  waiting->wait();
}

// While the workers are there: what a client still waits for may come from them.
void Fleet::SettleClients() {
  auto waiting = std::make_shared<std::latch>(static_cast<std::ptrdiff_t>(clients_.size()));
  PostToEach(loops_, clients_, [this, waiting](SimulatedClient& client) {
    client.Drain(options_.clients.settle, [waiting] { waiting->count_down(); });
  });
  waiting->wait();
}

void Fleet::Stop() {
  if (options_.clients.settle.count() != 0) SettleClients();
  if (options_.drain.count() != 0) DrainAll();
  for (std::size_t loop = 0; loop < loops_.size(); ++loop) {
    loops_[loop]->RunAndWait([this, loop] {
      DestroyOf(loop, workers_);
      DestroyOf(loop, checkers_);
      DestroyOf(loop, clients_);
    });
  }
  for (const auto& loop : loops_) loop->Stop();
  if (!watch_loop_) return;
  watch_loop_->RunAndWait([this] { watch_.reset(); });
  watch_loop_->Stop();
}

void Fleet::Print() const {
  const judge::Judge::Counts judged = judge_.counts();
  if (options_.json) {
    nlohmann::json said = statistics_.Json(elapsed_, judged);
    said["checkers"] = checker_statistics_.Json(elapsed_);
    said["clients"] = client_statistics_.Json(elapsed_);
    std::cout << said.dump(2) << "\n";
    return;
  }
  if (options_.workers > 0) std::cout << statistics_.Table(elapsed_, judged);
  if (options_.checks.checkers > 0) std::cout << "checkers\n" << checker_statistics_.Table(elapsed_);
  if (options_.clients.clients > 0) {
    std::cout << "clients\n"
              << client_statistics_.Table(elapsed_) << "judged: " << judged.extractions << " extractions\n";
  }
  std::cout << "violations: " << statistics_.violations() << "\n";
}

// A run that judged nothing proves nothing.
void Fleet::WarnWhereNothingWasJudged() const {
  if (options_.checks.checkers == 0 || checker_statistics_.comparisons() > 0) return;
  if (const std::string failure = checker_statistics_.last_failure(); !failure.empty()) {
    std::cerr << "holdfast-fleet: no state of the pool was judged: reading the pool failed: " << failure << "\n";
    return;
  }
  const judge::HealthSettings& health = options_.checks.health;
  std::cerr << "holdfast-fleet: no state of the pool was judged: none had its whole time, which is "
            << health.DownWithin(health.basic_interval_us) / 1'000'000 << " s for a dead proxy and "
            << health.UpWithin() / 1'000'000
            << " s for a living one; run longer, or give daemon and fleet shorter health intervals\n";
}

bool Fleet::reached() const {
  return statistics_.reached() || checker_statistics_.reached() || client_statistics_.reached();
}

int Fleet::Conclude() {
  Look();
  Print();
  WarnWhereNothingWasJudged();
  if (statistics_.violations() > 0) return kExitFoundWanting;
  if (reached()) return kExitDone;
  const std::string where = options_.port_file.empty() ? options_.server : "the address in " + options_.port_file;
  std::cerr << "holdfast-fleet: no member ever got through to " << where
            << "; is holdfastd running there? Name it with --server or --port-file\n";
  return kExitUnreachable;
}

}  // namespace holdfast::fleet
