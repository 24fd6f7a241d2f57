#include "server/follower.h"

#include "base/check.h"

namespace holdfast::server {

Follower::Follower(std::unique_ptr<ControllerState> state) : state_(std::move(state)), thread_([this] { Run(); }) {}

Follower::~Follower() { Stop(); }

void Follower::Feed(std::vector<AppliedEntry> entries) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stopped_) return;
  work_.emplace_back(std::move(entries));
  wake_.notify_one();
}

bool Follower::Read(ReadFunction read) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stopped_) return false;
  work_.emplace_back(std::move(read));
  wake_.notify_one();
  return true;
}

void Follower::OnAdvance(std::function<void(Sequence)> listener) {
  const std::lock_guard<std::mutex> lock(mutex_);
  listener_ = std::move(listener);
}

void Follower::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    wake_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void Follower::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stopped_ || !work_.empty(); });
    if (stopped_) return;
    Work work = std::move(work_.front());
    work_.pop_front();
    const std::function<void(Sequence)> listener = listener_;
    lock.unlock();
    if (const auto* entries = std::get_if<std::vector<AppliedEntry>>(&work)) {
      Fold(*entries);
      if (listener) listener(state_->run().last().sequence);
    } else {
      std::get<ReadFunction>(work)(*state_);
    }
    lock.lock();
  }
}

void Follower::Fold(const std::vector<AppliedEntry>& entries) {
  for (const AppliedEntry& entry : entries) {
    const ScopedCheckSequence check(entry.point.sequence.value());
    for (const Event& event : entry.events) {
      if (observer_ != nullptr) observer_->Before(*state_, event, entry.point);
      state_->Apply(event, entry.point);
    }
    state_->Passed(entry.point);
  }
  state_->TakeEndedPeriods();  // the sequencer has written them
}

}  // namespace holdfast::server
