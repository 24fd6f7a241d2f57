// ReadLog: read_log_scan.h, written slice by slice, and on as the log grows when asked to follow.
//
//   seed the filter (follower's thread) ─► slice (reader pool) ─► written ─► slice … ─► end │ wait for the log to grow
//   ─► slice …
//
// Life cycle and threads: read_stream.h. Promises: every message says where a reader goes on (next_sequence); so do a
// message without lines now and then, where a filter leaves much out, and the end by SLOW_READER. Nothing is buffered
// for a reader that is behind: what it has not read stands in the log.

#pragma once

#include <atomic>
#include <optional>

#include "server/read_log_scan.h"
#include "server/read_stream.h"

namespace holdfast::server {

class ReadLogStream final : public ReadStream<audit::v1::ReadLogResponse> {
 public:
  ReadLogStream(const ReadContext& reads, grpc::CallbackServerContext* context,
                const audit::v1::ReadLogRequest& request)
      : ReadStream(reads, context), request_(request) {}

  void Wake() override { Produce(); }

 private:
  static constexpr std::uint64_t kToldEvery = 10'000;  // entries that are left out, before a message says how far it is

  void Produce() override;
  Rejection SlowReader() const override;
  void Open();
  void Slice();
  void AtEnd(audit::v1::ReadLogResponse response);
  void Tell(audit::v1::ReadLogResponse response);

  const audit::v1::ReadLogRequest request_;
  std::optional<LogScan> scan_;         // one job at a time
  std::atomic<std::uint64_t> told_{0};  // next_sequence of the last message
};

}  // namespace holdfast::server
