#include "server/stream_hub.h"

#include <google/protobuf/arena.h>

#include <utility>

#include "server/call_bytes.h"
#include "server/update_message.h"

namespace holdfast::server {
namespace {

constexpr std::size_t kRowsBuiltAtOnce = 64;  // about 20 µs on the dispatcher's thread

StreamMail MailOf(const PushUpdate& push) {
  google::protobuf::Arena arena;
  auto* message = google::protobuf::Arena::CreateMessage<controlplane::v1::SnapshotUpdate>(&arena);
  BuildUpdate(push, message);
  return {SerialiseToBuffer(*message), push.update.version, push.update.valid_until};
}

}  // namespace

std::shared_ptr<WatchStream> StreamHub::Open(WatchStream::Identity identity, grpc::CallbackServerContext* context) {
  const StreamId id = identity.stream;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return nullptr;
  const WatchStream::Limits& limits = identity.member == MemberKind::kChecker ? of_tasks_ : of_snapshots_;
  std::shared_ptr<WatchStream> stream = WatchStream::Make(std::move(identity), limits, *this, context);
  streams_.emplace(id, stream);
  return stream;
}

void StreamHub::Carry(Effect effect) {
  if (auto* push = std::get_if<PushUpdate>(&effect)) return Push(std::move(*push));
  if (const auto* end = std::get_if<EndStream>(&effect)) {
    if (const auto stream = Find(end->stream)) stream->End(end->reason);
    return;
  }
  if (const auto* task = std::get_if<PushTask>(&effect)) return Send(task->stream, task->update);
  const auto* drain = std::get_if<PushDrain>(&effect);
  if (drain == nullptr) return;
  controlplane::v1::SnapshotUpdate message;
  BuildDrain(*drain, &message);
  Send(drain->stream, message);
}

// Small messages, built on the dispatcher's thread.
void StreamHub::Send(StreamId id, const google::protobuf::MessageLite& message) {
  const auto stream = Find(id);
  const auto slot = stream ? stream->Reserve() : nullptr;
  if (slot) stream->Fill(slot, {SerialiseToBuffer(message), Version(), LogTime()});
}

void StreamHub::Push(PushUpdate push) {
  const auto stream = Find(push.stream);
  const auto slot = stream ? stream->Reserve() : nullptr;
  if (!slot) return;
  if (RowsOf(push) <= kRowsBuiltAtOnce) return stream->Fill(slot, MailOf(push));
  builder_.Post([stream, slot, push = std::move(push)] { stream->Fill(slot, MailOf(push)); });
}

void StreamHub::Tick() {
  const LogTime now = links_.now();
  for (const auto& stream : All()) stream->Tick(now);
}

void StreamHub::CloseAll(const Rejection& rejection) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
  }
  for (const auto& stream : All()) stream->Close(rejection);
}

std::size_t StreamHub::streams() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return streams_.size();
}

std::size_t StreamHub::waiting_bytes() const {
  std::size_t bytes = 0;
  for (const auto& stream : All()) bytes += stream->waiting_bytes();
  return bytes;
}

void StreamHub::Forget(StreamId stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  streams_.erase(stream);
}

std::shared_ptr<WatchStream> StreamHub::Find(StreamId stream) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<WatchStream>> StreamHub::All() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::shared_ptr<WatchStream>> all;
  all.reserve(streams_.size());
  for (const auto& [id, stream] : streams_) all.push_back(stream);
  return all;
}

}  // namespace holdfast::server
