// A stream buffer over a file descriptor that remembers why a write failed.
//
// std::cout only says that something failed; a reader that went away (EPIPE: `holdfast proxies | head`) is no fault, a
// full disk is. Thread: one at a time. Does not own the descriptor. After a failed write everything more is dropped.

#pragma once

#include <array>
#include <streambuf>

namespace holdfast::cli {

class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor);
  ~DescriptorBuffer() override;
  DescriptorBuffer(const DescriptorBuffer&) = delete;
  DescriptorBuffer& operator=(const DescriptorBuffer&) = delete;

  // errno of the first write that failed. 0: none did.
  int write_error() const { return write_error_; }

 protected:
  int_type overflow(int_type character) override;
  int sync() override;

 private:
  bool WriteOut();

  const int descriptor_;
  int write_error_ = 0;
  std::array<char, 16384> bytes_;
};

}  // namespace holdfast::cli
