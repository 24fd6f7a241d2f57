#include "server/command_queue.h"

#include <limits>

namespace holdfast::server {
namespace {

// The part of the queue that may be full for a call of this class to be taken.
double ShedAbove(CallClass call_class) {
  switch (call_class) {
    case CallClass::kOutcomes:
      return 0.50;
    case CallClass::kObservations:
      return 0.55;
    case CallClass::kRead:
      return 0.60;
    case CallClass::kImport:
      return 0.70;
    case CallClass::kExtract:
      return 0.75;
    case CallClass::kRuntime:
      return 0.85;
    case CallClass::kRegister:
      return 0.90;
    case CallClass::kRelease:
      return 0.92;
    case CallClass::kOperator:
      return 0.95;
    case CallClass::kNeverShed:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

CommandQueue::CommandQueue(std::size_t bytes, double share)
    : limit_(bytes), peer_limit_(static_cast<std::size_t>(static_cast<double>(bytes) * share)) {}

bool CommandQueue::Push(Command& command, CallClass call_class) {
  const std::size_t size = command.size();
  const std::lock_guard<std::mutex> lock(mutex_);
  std::size_t& of_peer = peer_bytes_[command.peer];
  if (call_class != CallClass::kNeverShed) {
    const bool full = static_cast<double>(bytes_ + size) > ShedAbove(call_class) * static_cast<double>(limit_);
    if (full || of_peer + size > peer_limit_) {
      ++shed_[static_cast<std::size_t>(call_class)];
      return false;
    }
  }
  bytes_ += size;
  of_peer += size;
  waiting_.push_back(std::move(command));
  return true;
}

std::vector<Command> CommandQueue::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  bytes_ = 0;
  peer_bytes_.clear();
  return std::exchange(waiting_, {});
}

bool CommandQueue::empty() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return waiting_.empty();
}

std::size_t CommandQueue::bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return bytes_;
}

std::uint64_t CommandQueue::shed(CallClass call_class) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return shed_[static_cast<std::size_t>(call_class)];
}

}  // namespace holdfast::server
