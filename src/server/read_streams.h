// The operators' streams of this process: who is waiting for the log to grow, who does not read, and the end of all of
// them.
//
// Life cycle: made before the services, CloseAll at the beginning of the shutdown, destroyed after the gRPC server,
// when no stream is left. Thread: any. Guarantees: a stream is known from Add until Remove, and nothing of it is kept
// after that; one that waits is woken once the log has grown past what it has seen, or at once when it already had.
// Does not: own a thread. Tick is called by the daemon's housekeeping, Advance by the follower.

#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "controller/decision.h"
#include "server/follower.h"

namespace holdfast::server {

// One stream, as the registry sees it.
class OperatorStream {
 public:
  virtual ~OperatorStream() = default;
  // Ends it with a rejection; nothing when it has ended.
  virtual void EndWith(const Rejection& rejection) = 0;
  // Ends it when its reader does not read. now: log time.
  virtual void Tick(LogTime now) = 0;
  // The log has grown.
  virtual void Wake() {}
};

class ReadStreams {
 public:
  // 0: closed, no stream begins any more; else the name for Remove and WaitBeyond.
  std::uint64_t Add(std::shared_ptr<OperatorStream> stream);
  void Remove(std::uint64_t stream);

  // True: the stream will be woken. False: the log is past `seen` already, it goes on by itself.
  bool WaitBeyond(std::uint64_t stream, Sequence seen);
  // The log has grown to `last`, and the follower has folded it.
  void Advance(Sequence last);
  // Has the follower call Advance. The follower must be stopped before this is destroyed.
  void Follow(Follower& follower);

  void Tick(LogTime now);
  void CloseAll(const Rejection& rejection);
  std::size_t size() const;

  // A reader was cut because it did not read; how many were.
  void NoteSlow() { slow_.fetch_add(1); }
  std::uint64_t slow() const { return slow_.load(); }

 private:
  std::vector<std::shared_ptr<OperatorStream>> All() const;

  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<OperatorStream>> streams_;  // guarded by mutex_, and all below
  std::vector<std::uint64_t> waiting_;
  Sequence advanced_;
  std::uint64_t next_ = 1;
  bool closed_ = false;
  std::atomic<std::uint64_t> slow_{0};
};

}  // namespace holdfast::server
