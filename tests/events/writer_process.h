// Another process that appends to a log until it is killed or told to stop, and tells each acknowledgement.
//
// Used by tests of what only two processes can show: the lock, reading beside a writer, kill -9. The child is this test
// program again, in its (otherwise disabled) test WriterProcess.DISABLED_Child. Thread: one.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace holdfast::testing {

struct WriterPlan {
  std::string directory;
  std::uint64_t seed = 1;            // of the chain; the child goes on where the log ends
  std::uint64_t blocks = 1'000'000;  // it stops by itself after so many
  std::uint64_t entry_bytes = 200;
};

class WriterProcess {
 public:
  explicit WriterProcess(const WriterPlan& plan);
  ~WriterProcess();
  WriterProcess(const WriterProcess&) = delete;
  WriterProcess& operator=(const WriterProcess&) = delete;

  // Waits until `count` more blocks were acknowledged, or the child has ended. False: it has ended.
  bool AwaitAcknowledged(std::uint64_t count);
  // SIGKILL, then reads what was still told. Or: lets it stop by itself.
  void Kill();
  void Stop();

  // Sequence that the child was last told is durable.
  std::uint64_t acknowledged() const { return acknowledged_; }
  pid_t id() const { return process_; }
  // Why the child could not open the log; empty: it could.
  const std::string& refusal() const { return refusal_; }

 private:
  bool ReadOne();
  void Wait();

  pid_t process_ = -1;
  int from_child_ = -1;
  int to_child_ = -1;
  std::uint64_t acknowledged_ = 0;
  std::string refusal_;
};

}  // namespace holdfast::testing
