// The controller's ends of the streams of workers and checkers: a mailbox each, one message after the other, an update
// with less than a second of validity left is not written; contract.md "WatchSnapshots".
//
// Owned by the simulated controller, gone with its process. Thread: one. Completions (a stream that ended, an update
// that was not written) go back as inputs through `complete`.

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>

#include "controller/effect.h"
#include "tests/simulation/world/network.h"
#include "tests/simulation/world/wire.h"

namespace holdfast::simulation {

class ServerStreams {
 public:
  struct Outlet {
    std::function<LogTime()> now;
    std::function<void(const log::v1::Input&)> complete;
  };
  // Whose stream it is.
  struct Member {
    bool checker = false;
    std::string id, session_id;
  };
  ServerStreams(World& world, Network& network, Outlet outlet);

  void Open(StreamId id, Member member, std::shared_ptr<WatchEnds> ends);
  void Accept(StreamId id);
  void Reject(StreamId id, const Rejection& rejection) { End(id, rejection, ""); }
  void Carry(const Effect& effect);
  // The client ended it, or its process is gone.
  void ClientGone(const Link* link, std::uint64_t handle);
  void LinkGone(const Link* link);
  // The whole process is gone: both ends hear of it, sooner or later.
  void Drop();

 private:
  struct Mail {
    std::variant<controlplane::v1::SnapshotUpdate, controlplane::v1::TaskUpdate> message;
    Version version;  // 0: no update
    LogTime valid_until;
  };
  struct Stream {
    Member member;
    std::shared_ptr<WatchEnds> ends;
    bool accepted = false;
    bool dead = false;  // half open: what is written goes nowhere
    Micros blocked_until = 0;
    Micros last_arrival = 0;
    std::deque<Mail> mailbox;
  };

  void Push(StreamId id, Mail mail);
  Micros BlockedFor(const Mail& mail);
  void Write(StreamId id);
  // False: it is gone.
  bool WriteOne(StreamId id, Stream& stream, const Mail& mail);
  void TellCheckers(const Stream& stream, const Mail& mail);
  void TellByPing(const std::shared_ptr<WatchEnds>& ends);
  void Break(StreamId id, Stream& stream);
  void End(StreamId id, const Rejection& reason, const std::string& cause);
  void TellNotWritten(StreamId id, const Stream& stream, Version version);
  void Tick(StreamId id, LogTime delivered_until);

  World& world_;
  Network& network_;
  Outlet outlet_;
  std::map<StreamId, Stream> streams_;
  std::map<StreamId, LogTime> delivered_until_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // false: timers of this object do nothing any more
};

}  // namespace holdfast::simulation
