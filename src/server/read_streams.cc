#include "server/read_streams.h"

#include <utility>

namespace holdfast::server {

std::uint64_t ReadStreams::Add(std::shared_ptr<OperatorStream> stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return 0;
  streams_.emplace(next_, std::move(stream));
  return next_++;
}

void ReadStreams::Remove(std::uint64_t stream) {
  std::shared_ptr<OperatorStream> removed;  // destroyed without the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  removed = std::move(found->second);
  streams_.erase(found);
}

bool ReadStreams::WaitBeyond(std::uint64_t stream, Sequence seen) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (advanced_ > seen) return false;
  waiting_.push_back(stream);
  return true;
}

void ReadStreams::Advance(Sequence last) {
  std::vector<std::shared_ptr<OperatorStream>> woken;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    advanced_ = last;
    for (const std::uint64_t stream : std::exchange(waiting_, {})) {
      if (const auto found = streams_.find(stream); found != streams_.end()) woken.push_back(found->second);
    }
  }
  for (const auto& stream : woken) stream->Wake();
}

void ReadStreams::Follow(Follower& follower) {
  follower.OnAdvance([this](Sequence last) { Advance(last); });
}

std::vector<std::shared_ptr<OperatorStream>> ReadStreams::All() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::shared_ptr<OperatorStream>> all;
  for (const auto& [number, stream] : streams_) all.push_back(stream);
  return all;
}

void ReadStreams::Tick(LogTime now) {
  for (const auto& stream : All()) stream->Tick(now);
}

void ReadStreams::CloseAll(const Rejection& rejection) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
  }
  for (const auto& stream : All()) stream->EndWith(rejection);
}

std::size_t ReadStreams::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return streams_.size();
}

}  // namespace holdfast::server
