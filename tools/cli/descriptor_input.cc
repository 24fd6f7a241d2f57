#include "tools/cli/descriptor_input.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace holdfast::cli {

DescriptorInput::DescriptorInput(int descriptor, Interrupt& interrupt)
    : descriptor_(descriptor), interrupt_(interrupt) {
  if (pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) return;  // then a second Ctrl-C is needed
  handle_ = interrupt_.Add([this] {
    const ssize_t written = write(wake_[1], "!", 1);
    static_cast<void>(written);  // a full pipe wakes as well
  });
}

DescriptorInput::~DescriptorInput() {
  if (handle_ != 0) interrupt_.Remove(handle_);
  for (const int end : wake_) {
    if (end >= 0) close(end);
  }
}

DescriptorInput::int_type DescriptorInput::underflow() {
  ssize_t count = -1;
  while (count < 0) {
    if (!WaitUntilReadable()) return traits_type::eof();
    count = read(descriptor_, bytes_.data(), bytes_.size());
    if (count < 0 && errno != EINTR && errno != EAGAIN) return traits_type::eof();
  }
  if (count == 0) return traits_type::eof();
  setg(bytes_.data(), bytes_.data(), bytes_.data() + count);
  return traits_type::to_int_type(bytes_[0]);
}

bool DescriptorInput::WaitUntilReadable() {
  pollfd ends[2] = {{descriptor_, POLLIN, 0}, {wake_[0], POLLIN, 0}};
  while (poll(ends, 2, -1) < 0) {
    if (errno != EINTR) return true;  // let read() tell
  }
  return ends[1].revents == 0;
}

}  // namespace holdfast::cli
