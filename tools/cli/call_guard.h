// Ends a call that goes silent, or that the person at the keyboard no longer wants.
//
// Made beside each streaming or unary call and gone before its context. Has a thread of its own while it lives, which
// only waits. Thread: Touch(), Allow() and end() from any. A stream has no single deadline: what counts is how long
// nothing came, so a list of a million proxies may take its time as long as it moves.

#pragma once

#include <grpcpp/client_context.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "tools/cli/interrupt.h"

namespace holdfast::cli {

enum class CallEnd {
  kByItself,     // the other side, or the connection
  kSilence,      // nothing came for so long
  kInterrupted,  // Ctrl-C
};

class CallGuard {
 public:
  // `silence` absent: it may be silent for ever. `context` and `interrupt` outlive the guard.
  CallGuard(grpc::ClientContext& context, Interrupt& interrupt, std::optional<std::chrono::microseconds> silence);
  ~CallGuard();
  CallGuard(const CallGuard&) = delete;
  CallGuard& operator=(const CallGuard&) = delete;

  // Something came, or was sent: the silence begins anew.
  void Touch();
  // From now on it may be silent for so long; absent: for ever, since nothing is due.
  void Allow(std::optional<std::chrono::microseconds> silence);
  CallEnd end() const;

 private:
  void Watch();

  grpc::ClientContext& context_;
  Interrupt& interrupt_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::chrono::microseconds> silence_;  // guarded by mutex_
  CallEnd end_ = CallEnd::kByItself;                  // guarded by mutex_
  std::uint64_t touches_ = 0;                         // guarded by mutex_
  bool over_ = false;                                 // guarded by mutex_
  std::uint64_t handle_ = 0;                          // constant after construction
  std::thread watcher_;
};

}  // namespace holdfast::cli
