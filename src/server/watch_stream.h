// One Watch stream, of a worker's snapshots or of a checker's tasks: a bounded mailbox, one write in flight, Finish
// once.
//
//   opening ── Accept ──► open ──► ended ──► (gRPC is done) forgotten
//      └── Reject, the client goes ─────┘
//
// Life cycle: made before its Watch is submitted; owns itself until OnDone; the hub and a waiting answer hold a counted
// handle. Thread: all from any. Promises: mail goes out in the order of Reserve; its end is told once (StreamEnded,
// TaskStreamEnded), after it was accepted, and only where the controller does not know already; an update with less
// than a second left, or over the limit, is not written and that is told. A reader that does not take the end of its
// stream is cancelled after ack_timeout. Does not: decide anything. docs/callbacks.md has the rules that it keeps.

#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "controller/decision.h"
#include "server/member_kind.h"
#include "server/watch_stream_outlet.h"

namespace holdfast::server {

// A message on its way to a stream. version 0: no update of a snapshot.
struct StreamMail {
  grpc::ByteBuffer bytes;
  Version version;
  LogTime valid_until;
};

class WatchStream final : public grpc::ServerWriteReactor<grpc::ByteBuffer>,
                          public std::enable_shared_from_this<WatchStream> {
 public:
  struct Limits {
    std::size_t mailbox_messages = 16;            // that wait
    std::size_t mailbox_bytes = 8 * 1024 * 1024;  // that wait or are being written
    std::size_t message_bytes = 3'670'016;        // of one message
    Duration longest = std::chrono::hours(1);
    Duration ack_timeout = std::chrono::seconds(5);
  };
  struct Identity {
    StreamId stream;
    MemberKind member{};
    std::string member_id;
    std::string session_id;
  };
  // The place of a message in the mailbox, to be filled once.
  struct Slot {
    bool ready = false;
    StreamMail mail;
  };

  // context and outlet must outlive the stream's OnDone.
  static std::shared_ptr<WatchStream> Make(Identity identity, const Limits& limits, StreamOutlet& outlet,
                                           grpc::CallbackServerContext* context);

  // Its entry is durable: the answer to the Watch. Mail may have come before it.
  void Accept();
  // The Watch was refused, or will never be answered.
  void Reject(const Rejection& rejection);

  // nullptr: the stream is over, or this was one too many and it is now.
  std::shared_ptr<Slot> Reserve();
  void Fill(const std::shared_ptr<Slot>& slot, StreamMail mail);

  // The controller ends it; what waits is discarded.
  void End(const Rejection& rejection);
  // The process ends it: as End, and the controller is told.
  void Close(const Rejection& rejection);

  // Does what is due at `now`; costs one load when nothing is.
  void Tick(LogTime now);

  StreamId id() const { return identity_.stream; }
  std::size_t waiting_bytes() const;

  void OnSendInitialMetadataDone(bool) override {}  // a failure comes as OnCancel as well
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  WatchStream(Identity identity, const Limits& limits, StreamOutlet& outlet, grpc::CallbackServerContext* context);

  // All of these: mutex_ is held.
  void EndLocked(const grpc::Status& status, bool tell, std::string_view cause);
  void EndAsSlow(std::string_view what);
  void WriteNext();
  bool MayBeWritten(const StreamMail& mail, LogTime now);
  void TellEnded(std::string_view cause);
  void TellNotWritten(Version version, std::string_view cause);
  void SetDeadline();

  const Identity identity_;
  const Limits limits_;
  StreamOutlet& outlet_;
  const LogTime opened_at_;
  std::atomic<std::int64_t> deadline_micros_;  // the next Tick that does anything

  mutable std::mutex mutex_;
  grpc::CallbackServerContext* context_;  // nullptr after OnDone
  std::shared_ptr<WatchStream> self_;     // until OnDone
  std::deque<std::shared_ptr<Slot>> mailbox_;
  std::size_t bytes_ = 0;  // filled mail that waits or is being written
  StreamMail in_flight_;
  std::size_t in_flight_bytes_ = 0;
  bool writing_ = false;
  bool accepted_ = false;
  bool ended_ = false;
  bool owes_end_ = false;  // ended by the client before it was accepted: to be told when it is
  LogTime write_started_at_;
  LogTime delivered_until_;  // valid_until of the last update whose write completed; absent: none
  LogTime cancel_at_;        // with ended_; absent: cancelled
};

}  // namespace holdfast::server
