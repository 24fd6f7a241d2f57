// The Watch streams of this process, and how effects reach them.
//
//   dispatcher ─Carry─► [ builder, for large updates ] ─► the stream's mailbox ─► gRPC
//
// Streams of snapshots and of tasks have bounds of their own and nothing else that tells them apart here.
//
// Life cycle: made before the loop (which reaches it through the EffectRouter), connected to it, closed by CloseAll;
// destroyed after the gRPC server, when no stream is left. Thread: Carry from the dispatcher's, the rest from any.
// Promises: a stream is found from Open until gRPC is done with it, and nothing of it is kept after that; order per
// stream is that of the effects, whoever builds them. An effect for a stream that is not here is dropped: its end is
// told by the stream; one that is for no stream, too. Does not: own a thread that looks at the time; Tick is called by
// the daemon's housekeeping.

#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "server/controller_loop.h"
#include "server/update_message_builder.h"
#include "server/watch_stream.h"

namespace holdfast::server {

class StreamHub final : public EffectSink, private StreamOutlet {
 public:
  // How the hub reaches the loop.
  struct Links {
    std::function<LogTime()> now;
    std::function<void(const log::v1::Input&)> complete;
  };

  StreamHub(const WatchStream::Limits& of_snapshots, const WatchStream::Limits& of_tasks)
      : of_snapshots_(of_snapshots), of_tasks_(of_tasks) {}

  // Once, before the first stream. What it names must outlive every stream.
  void Connect(Links links) { links_ = std::move(links); }

  // Before the stream's Watch is submitted. nullptr: the hub is closed. context: the call's.
  std::shared_ptr<WatchStream> Open(WatchStream::Identity identity, grpc::CallbackServerContext* context);

  void Carry(Effect effect) override;

  // Ends what is due now.
  void Tick();

  // No stream is opened any more; those that are here end with the rejection, and the controller is told.
  void CloseAll(const Rejection& rejection);

  std::size_t streams() const;
  std::size_t waiting_bytes() const;

 private:
  LogTime Now() const override { return links_.now(); }
  void Complete(const log::v1::Input& input) override { links_.complete(input); }
  void Forget(StreamId stream) override;

  void Push(PushUpdate push);
  void Send(StreamId id, const google::protobuf::MessageLite& message);
  std::shared_ptr<WatchStream> Find(StreamId stream) const;
  std::vector<std::shared_ptr<WatchStream>> All() const;

  const WatchStream::Limits of_snapshots_, of_tasks_;
  Links links_;
  mutable std::mutex mutex_;
  std::map<StreamId, std::shared_ptr<WatchStream>> streams_;  // guarded by mutex_
  bool closed_ = false;                                       // guarded by mutex_
  UpdateBuilder builder_;
};

}  // namespace holdfast::server
