// Reads a file descriptor as a stream, and stops at an interruption.
//
// For standard input: a read that waits for a slow pipe would not hear Ctrl-C, since the signals are taken by a thread
// of their own. Thread: one reader. At an interruption it is as if the input had ended; whoever reads asks
// Interrupt::Requested() before taking it for whole. Does not own the descriptor.

#pragma once

#include <array>
#include <cstdint>
#include <streambuf>

#include "tools/cli/interrupt.h"

namespace holdfast::cli {

class DescriptorInput : public std::streambuf {
 public:
  // `interrupt` outlives it.
  DescriptorInput(int descriptor, Interrupt& interrupt);
  ~DescriptorInput() override;
  DescriptorInput(const DescriptorInput&) = delete;
  DescriptorInput& operator=(const DescriptorInput&) = delete;

 protected:
  int_type underflow() override;

 private:
  // Whether there is something to read, or the end; false: interrupted.
  bool WaitUntilReadable();

  const int descriptor_;
  Interrupt& interrupt_;
  int wake_[2] = {-1, -1};
  std::uint64_t handle_ = 0;
  std::array<char, 65536> bytes_;
};

}  // namespace holdfast::cli
