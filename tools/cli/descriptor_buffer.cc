#include "tools/cli/descriptor_buffer.h"

#include <unistd.h>

#include <cerrno>

namespace holdfast::cli {

DescriptorBuffer::DescriptorBuffer(int descriptor) : descriptor_(descriptor) {
  setp(bytes_.data(), bytes_.data() + bytes_.size());
}

DescriptorBuffer::~DescriptorBuffer() { WriteOut(); }

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type character) {
  if (!WriteOut()) return traits_type::eof();
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  *pptr() = traits_type::to_char_type(character);
  pbump(1);
  return character;
}

int DescriptorBuffer::sync() { return WriteOut() ? 0 : -1; }

bool DescriptorBuffer::WriteOut() {
  const char* next = pbase();
  while (next < pptr() && write_error_ == 0) {
    const ssize_t written = ::write(descriptor_, next, static_cast<std::size_t>(pptr() - next));
    if (written >= 0) {
      next += written;
    } else if (errno != EINTR) {
      write_error_ = errno;
    }
  }
  setp(bytes_.data(), bytes_.data() + bytes_.size());
  return write_error_ == 0;
}

}  // namespace holdfast::cli
