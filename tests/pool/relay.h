// Stands between a store and a Redis on this machine and loses what a test wants lost.
//
//   store ──► relay ──► Redis      one connection at a time
//
// Thread: its own; every function from one test's thread. Promises: what it did not lose passes unchanged and in order.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "pool/redis_settings.h"
#include "tests/events/temporary_directory.h"

namespace holdfast::pool::testing {

class Relay {
 public:
  explicit Relay(const RedisAddress& redis);  // Requires: a unix socket
  ~Relay();

  const RedisAddress& address() const { return address_; }

  // Of every `n`th script call Redis' reply is lost, and the connection with it. 0: of none.
  void CutRepliesOfEvery(int n) { cut_reply_every_ = n; }
  // Every `n`th script call is lost before Redis has it.
  void CutCallsOfEvery(int n) { cut_call_every_ = n; }
  // Script calls wait here, also when the store is gone.
  void HoldCalls() { holding_ = true; }
  bool holds() const { return held_bytes_ > 0; }
  // What was held goes to Redis, and its reply has come when this returns.
  void ReleaseAndAwaitReply();

  int cuts() const { return cuts_; }
  // The most keys that one script call named.
  std::uint64_t most_keys() const { return most_keys_; }

 private:
  void Loop();
  void Serve(int store);
  // False: the connection ends.
  bool PassCall(int store, int redis);
  bool PassReply(int store, int redis);
  void NoteKeys(const std::string& bytes);
  void DeliverHeld(int redis);

  const RedisAddress redis_;
  holdfast::testing::TemporaryDirectory directory_;
  RedisAddress address_;
  int listener_ = -1;
  std::atomic<bool> ending_{false}, holding_{false}, release_{false}, delivered_{false};
  std::atomic<int> cut_reply_every_{0}, cut_call_every_{0}, cuts_{0};
  std::atomic<std::size_t> held_bytes_{0};
  std::atomic<std::uint64_t> most_keys_{0};
  // The relay's thread alone.
  int calls_ = 0;
  bool cut_next_reply_ = false;
  std::string held_;
  std::thread thread_;
};

}  // namespace holdfast::pool::testing
