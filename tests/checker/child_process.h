// A program that a test starts and stops, and how it is waited for.
//
// One thread. Promises: its input is empty, its outputs go to a file, and it is gone when the object is.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::checker {

class ChildProcess {
 public:
  // words[0] is looked up in PATH.
  explicit ChildProcess(std::vector<std::string> words);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  bool IsRunning();
  void Signal(int signal);
  // Its exit code, or 1000 and the signal; waits for its end.
  int Wait();
  // Both streams so far.
  std::string Output() const;

 private:
  pid_t id_ = -1;
  int result_ = -1;
  bool ended_ = false;
  std::string output_path_;
};

// Until it is so, 20 s at most; returns whether it is.
bool WaitUntil(const std::function<bool()>& condition);

// A port of 127.0.0.1 that nobody listens on at this moment.
std::uint16_t FreePort();
bool IsListening(std::uint16_t port);

// A file in a directory of this process alone, mode 0600.
std::string WriteFile(const std::string& name, const std::string& content);
std::string TestPath(const std::string& name);
std::string ReadFile(const std::string& path);

}  // namespace holdfast::checker
