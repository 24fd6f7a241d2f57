#include "tests/simulation/world/server_streams.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "server/update_message.h"

namespace holdfast::simulation {
namespace {

constexpr Duration kLeastValidity = std::chrono::seconds(1);  // of an update that is worth writing
constexpr Micros kLongestNotice = 25 * kSecond;               // a ping and its timeout

}  // namespace

ServerStreams::ServerStreams(World& world, Network& network, Outlet outlet)
    : world_(world), network_(network), outlet_(std::move(outlet)) {}

void ServerStreams::Open(StreamId id, Member member, std::shared_ptr<WatchEnds> ends) {
  streams_[id] = Stream{std::move(member), std::move(ends), false, false, 0, 0, {}};
}

void ServerStreams::Accept(StreamId id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  found->second.accepted = true;
  Write(id);
}

void ServerStreams::Carry(const Effect& effect) {
  if (const auto* push = std::get_if<PushUpdate>(&effect)) {
    controlplane::v1::SnapshotUpdate message;
    server::BuildUpdate(*push, &message);
    Push(push->stream, {std::move(message), push->update.version, push->update.valid_until});
  }
  if (const auto* drain = std::get_if<PushDrain>(&effect)) {
    controlplane::v1::SnapshotUpdate message;
    server::BuildDrain(*drain, &message);
    Push(drain->stream, {std::move(message), Version(), LogTime()});
  }
  if (const auto* task = std::get_if<PushTask>(&effect)) Push(task->stream, {task->update, Version(), LogTime()});
  if (const auto* end = std::get_if<EndStream>(&effect)) End(end->stream, end->reason, "");
}

void ServerStreams::Push(StreamId id, Mail mail) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  found->second.mailbox.push_back(std::move(mail));
  Write(id);
}

// Now and then for about as long as what waits is valid.
Micros ServerStreams::BlockedFor(const Mail& mail) {
  if (IsAbsent(mail.valid_until) || world_.random.Chance(1, 2)) return world_.Between(kSecond, 45 * kSecond);
  const Micros left = (mail.valid_until - outlet_.now()).count();
  return std::max<Micros>(left + world_.Between(-2 * kSecond, 2 * kSecond), kSecond);
}

void ServerStreams::Write(StreamId id) {
  const auto found = streams_.find(id);
  if (found == streams_.end() || !found->second.accepted) return;
  Stream& stream = found->second;
  while (!stream.mailbox.empty()) {
    if (world_.faults.Strikes(Fault::kStreamBlocked)) {
      stream.blocked_until = world_.time.now() + BlockedFor(stream.mailbox.front());
    }
    if (stream.blocked_until > world_.time.now()) {
      world_.time.At(stream.blocked_until, [this, id, alive = alive_] {
        if (*alive) Write(id);
      });
      return;
    }
    const Mail mail = std::move(stream.mailbox.front());
    stream.mailbox.pop_front();
    if (!WriteOne(id, stream, mail)) return;
  }
}

bool ServerStreams::WriteOne(StreamId id, Stream& stream, const Mail& mail) {
  if (mail.version.value() != 0 && mail.valid_until - outlet_.now() < kLeastValidity) {
    TellNotWritten(id, stream, mail.version);
    return true;
  }
  if (world_.faults.Strikes(Fault::kStreamBroken)) {
    Break(id, stream);
    return false;
  }
  TellCheckers(stream, mail);
  if (!stream.dead) {
    stream.last_arrival =
        network_.SendInOrder(*stream.ends->link, stream.last_arrival, [ends = stream.ends, message = mail.message] {
          if (const auto* task = std::get_if<controlplane::v1::TaskUpdate>(&message)) return ends->on_task(*task);
          ends->on_message(std::get<controlplane::v1::SnapshotUpdate>(message));
        });
    if (stream.last_arrival == 0) {  // neither end hears of it until a ping stays unanswered
      stream.dead = true;
      TellByPing(stream.ends);
      world_.time.After(world_.Between(kSecond, kLongestNotice), [this, id, alive = alive_] {
        if (*alive) End(id, {}, "a ping was not answered");
      });
    }
  }
  if (mail.version.value() == 0) return true;
  delivered_until_[id] = mail.valid_until;
  Tick(id, mail.valid_until);
  return true;
}

void ServerStreams::TellCheckers(const Stream& stream, const Mail& mail) {
  if (const auto* task = std::get_if<controlplane::v1::TaskUpdate>(&mail.message)) {
    return world_.checkers.tasks().Shown(stream.member.id, stream.member.session_id, *task);
  }
  const auto& update = std::get<controlplane::v1::SnapshotUpdate>(mail.message);
  world_.checkers.durability().Shown(stream.member.id, update);
  world_.checkers.pool().Shown(stream.member.id, update);
}

// The client hears of it when a ping of its own stays unanswered.
void ServerStreams::TellByPing(const std::shared_ptr<WatchEnds>& ends) {
  world_.time.After(world_.Between(kSecond, kLongestNotice), [ends] { ends->on_end(Unavailable()); });
}

void ServerStreams::Break(StreamId id, Stream& stream) {
  const std::shared_ptr<WatchEnds> ends = stream.ends;
  world_.time.After(world_.Between(0, kSecond), [ends] { ends->on_end(Unavailable()); });
  End(id, {}, "the stream broke");
}

// The stream ends, OK, at the end of what was delivered last.
void ServerStreams::Tick(StreamId id, LogTime delivered_until) {
  const Duration left = std::max(delivered_until - outlet_.now(), Duration(0));
  world_.time.After(left.count() + 1, [this, id, delivered_until, alive = alive_] {
    if (!*alive || !streams_.contains(id) || delivered_until_[id] != delivered_until) return;
    if (!IsOver(delivered_until, outlet_.now())) return Tick(id, delivered_until);
    End(id, {}, "the last update that was delivered is no longer valid");
  });
}

void ServerStreams::End(StreamId id, const Rejection& reason, const std::string& cause) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  const Stream stream = std::move(found->second);
  streams_.erase(found);
  delivered_until_.erase(id);
  if (!stream.dead) {
    const Micros arrival = network_.SendInOrder(*stream.ends->link, stream.last_arrival,
                                                [ends = stream.ends, end = EndOf(reason)] { ends->on_end(end); });
    if (arrival == 0) TellByPing(stream.ends);
  }
  if (cause.empty() || !stream.accepted) return;
  log::v1::Input input;
  const auto fill = [&](auto* ended) {
    ended->set_session_id(stream.member.session_id);
    ended->set_stream(id.value());
    ended->set_cause(cause);
  };
  if (stream.member.checker) {
    input.mutable_task_stream_ended()->set_checker_id(stream.member.id);
    fill(input.mutable_task_stream_ended());
  } else {
    input.mutable_stream_ended()->set_worker_id(stream.member.id);
    fill(input.mutable_stream_ended());
  }
  outlet_.complete(input);
}

void ServerStreams::TellNotWritten(StreamId id, const Stream& stream, Version version) {
  log::v1::Input input;
  log::v1::UpdateNotWritten* not_written = input.mutable_update_not_written();
  not_written->set_worker_id(stream.member.id);
  not_written->set_session_id(stream.member.session_id);
  not_written->set_stream(id.value());
  not_written->set_version(version.value());
  not_written->set_cause("less than a second of its validity was left");
  outlet_.complete(input);
}

void ServerStreams::ClientGone(const Link* link, std::uint64_t handle) {
  for (const auto& [id, stream] : streams_) {
    if (stream.ends->link != link || stream.ends->handle != handle) continue;
    return End(id, {}, "the client went away");
  }
}

void ServerStreams::LinkGone(const Link* link) {
  std::vector<StreamId> gone;
  for (const auto& [id, stream] : streams_) {
    if (stream.ends->link == link) gone.push_back(id);
  }
  for (const StreamId id : gone) End(id, {}, "the client went away");
}

void ServerStreams::Drop() {
  *alive_ = false;
  for (const auto& [id, stream] : streams_) {
    const Micros notice =
        world_.random.Chance(1, 5) ? world_.Between(kSecond, kLongestNotice) : world_.Between(0, kSecond);
    world_.time.After(notice, [ends = stream.ends] { ends->on_end(Unavailable()); });
  }
  streams_.clear();
}

}  // namespace holdfast::simulation
