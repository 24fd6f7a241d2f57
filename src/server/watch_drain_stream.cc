#include "server/watch_drain_stream.h"

#include <utility>

namespace holdfast::server {
namespace {

// What is told of it. That the member was heard again is no progress.
std::string ToldOf(admin::v1::DrainProgress progress) {
  progress.mutable_session()->clear_last_heartbeat_at();
  progress.mutable_session()->clear_expires_at();
  return progress.SerializeAsString();
}

}  // namespace

void WatchDrainStream::Tick(LogTime now) {
  ReadStream::Tick(now);
  rests_ = false;
  if (due_.exchange(false)) Produce();
}

void WatchDrainStream::Produce() {
  if (done_) return End(grpc::Status::OK);
  if (rests_) {
    due_ = true;
    return;
  }
  OnFollower([this](const ControllerState& state) { Look(state); });
}

void WatchDrainStream::Look(const ControllerState& state) {
  admin::v1::DrainProgress progress;
  if (const auto rejection = PutDrainProgress(state, subject_, &progress)) return EndWith(*rejection);
  std::string told = ToldOf(progress);
  if (told == told_) {
    // Where the log is further already it is looked at in the next tick.
    if (!reads().streams.WaitBeyond(number(), state.run().last().sequence)) due_ = true;
    return;
  }
  told_ = std::move(told);
  done_ = progress.done();
  rests_ = !done_;
  Send(std::move(progress));
}

Rejection WatchDrainStream::SlowReader() const {
  return {RejectReason::kSlowReader, "the progress is not read fast enough; watch again, the drain goes on"};
}

}  // namespace holdfast::server
