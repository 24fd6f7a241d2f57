// WatchDrain: how far a drain is (drain_progress.h), told when it has changed, at most once a tick, until it is over.
//
//   look (follower's thread) ─► changed? written ─► … ─► the log has grown and a tick has passed ─► look …  ─► done:
//   end
//
// Life cycle and threads: read_stream.h. Promises: the first message comes at once; nothing is queued for a reader that
// is behind, who is told the newest later; a drain goes on whether or not anybody looks. A tick is one of the daemon's
// housekeeping, ten a second.

#pragma once

#include <atomic>
#include <string>

#include "server/drain_progress.h"
#include "server/read_stream.h"

namespace holdfast::server {

class WatchDrainStream final : public ReadStream<admin::v1::DrainProgress> {
 public:
  WatchDrainStream(const ReadContext& reads, grpc::CallbackServerContext* context,
                   const admin::v1::WatchDrainRequest& request)
      : ReadStream(reads, context), subject_{request.kind(), request.member_id(), request.session_id()} {}

  // The log has grown: worth a look, at the next tick.
  void Wake() override { due_ = true; }
  void Tick(LogTime now) override;

 private:
  void Produce() override;
  Rejection SlowReader() const override;
  void Look(const ControllerState& state);

  DrainSubject subject_;  // one job at a time, and all below
  std::string told_;      // what the last message told
  bool done_ = false;     // it said so
  std::atomic<bool> due_{false};
  std::atomic<bool> rests_{false};  // something was told in this tick
};

}  // namespace holdfast::server
