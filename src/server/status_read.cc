#include "server/status_read.h"

#include <utility>

namespace holdfast::server {

void ReadStatus(const ReadContext& reads, const StatusSources& sources, audit::v1::GetStatusResponse* out,
                std::function<void(const absl::Status&)> done) {
  reads.loop.follower().Read([&reads, &sources, out, done = std::move(done)](const ControllerState& state) {
    PutStateStatus(state, reads.loop.Now(), out);
    reads.pool.Post([&reads, &sources, out, done] {
      PutProcessStatus(reads.loop, sources, out);
      done(PutLogStatus(reads.loop.event_log(), reads.loop.status(), out));
    });
  });
}

}  // namespace holdfast::server
