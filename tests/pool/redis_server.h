// A redis-server of a test's own: on loopback or a unix socket, without any configuration of the system.
//
// Thread: one. Promises: it answers when the constructor or Start returns, or the test has failed with what it said; it
// is gone when the object is.

#pragma once

#include <signal.h>

#include <memory>
#include <string>
#include <vector>

#include "base/boot_clock.h"
#include "pool/redis_connection.h"
#include "tests/checker/child_process.h"
#include "tests/events/temporary_directory.h"

namespace holdfast::pool::testing {

struct RedisPlan {
  bool tcp = false;                    // else a unix socket
  bool durable = false;                // what was answered is there after a restart
  std::vector<std::string> more = {};  // further words of the command line
};

class RedisServer {
 public:
  explicit RedisServer(RedisPlan plan = {});
  ~RedisServer();

  const RedisAddress& address() const { return address_; }

  void Stop();  // as an operator does; data is kept where it is durable
  void Start();
  void LoseData();  // Requires: stopped
  void Pause() { process_->Signal(SIGSTOP); }
  void Resume() { process_->Signal(SIGCONT); }

  // One command over a connection of its own.
  RedisReply Ask(RedisCommand command);
  // A number of INFO, by its name.
  std::int64_t Info(const std::string& name);

 private:
  std::vector<std::string> Words() const;
  bool Answers();

  const RedisPlan plan_;
  const std::unique_ptr<BootClock> clock_;
  holdfast::testing::TemporaryDirectory directory_;
  RedisAddress address_;
  std::unique_ptr<checker::ChildProcess> process_;
  std::unique_ptr<RedisConnection> connection_;
};

}  // namespace holdfast::pool::testing
