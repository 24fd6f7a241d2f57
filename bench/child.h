// A server that a benchmark starts beside itself, and what benchmarks die of.
//
// Thread: one.

#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace holdfast::bench {

// Says what is wrong and ends the program with 2.
[[noreturn]] void Fail(const std::string& what);

// Started at once, stopped with SIGTERM.
class Child {
 public:
  // Waits until it has written its address into `port_file`, 30 s at most.
  Child(std::vector<std::string> arguments, const std::string& port_file);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  const std::string& address() const { return address_; }

 private:
  pid_t pid_ = 0;
  std::string address_;
};

}  // namespace holdfast::bench
