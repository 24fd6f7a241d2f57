#include "tests/simulation/world/process.h"

#include <algorithm>
#include <utility>

namespace holdfast::simulation {
namespace {

constexpr int kDeadlineExceeded = 4;

}  // namespace

void Process::Run(std::function<void()> what) {
  if (!alive_) return;
  if (!paused()) return what();
  world_.time.At(paused_until_, [this, what = std::move(what)]() mutable { Run(std::move(what)); });
}

void Process::Later(Micros delay, std::function<void()> what) {
  world_.time.After(delay, [this, what = std::move(what)]() mutable { Run(std::move(what)); });
}

void Process::Call(const log::v1::Input& input, Micros deadline, const Done& done,
                   const std::function<void()>& arrives) {
  const std::uint64_t id = next_call_++;
  open_calls_.insert(id);
  const auto finish = [this, id, done](const CallAnswer& answer) {
    if (open_calls_.erase(id) > 0) done(answer);
  };
  IncomingCall call;
  call.input = input;
  call.principal = "loopback";
  call.peer = name_;
  call.respond = [this, finish](const CallAnswer& answer) {
    network_.SendDown(link_, [this, finish, answer] { Run([finish, answer] { finish(answer); }); });
  };
  network_.SendUp(link_, true, [this, call, arrives] {
    if (arrives) arrives();
    controller_.Arrive(call);
  });
  Later(deadline, [finish] {
    CallAnswer late;
    late.end.code = kDeadlineExceeded;
    finish(late);
  });
}

Micros Process::Backoff() {
  const Micros base = std::min<Micros>(kSecond << std::min(failures_, 4), 10 * kSecond);
  ++failures_;
  return base * world_.Between(80, 120) / 100;
}

void Process::Pause(Micros length) { paused_until_ = std::max(paused_until_, world_.time.now() + length); }

void Process::End() {
  alive_ = false;
  world_.time.After(world_.Between(0, world_.random.Chance(1, 4) ? 20 * kSecond : kSecond),
                    [this] { controller_.LinkGone(&link_); });
}

void Process::EndPauseAndCut() {
  link_.cut_until = 0;
  paused_until_ = std::min(paused_until_, world_.time.now());
}

}  // namespace holdfast::simulation
