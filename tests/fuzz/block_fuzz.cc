// libFuzzer over the stored blocks: any bytes are an error or a sound block that, built again, gives the same bytes.
// tests/events/block_mutation_test.cc drives the same over seeds.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/events/block_drive.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // The first two bytes say how much of the rest is the block; what is left is its bulk value.
  if (bytes.size() < 2) return 0;
  const std::string_view rest = bytes.substr(2);
  const std::size_t block = (data[0] | std::size_t{data[1]} << 8) % (rest.size() + 1);
  holdfast::testing::DriveBlock(rest.substr(0, block), rest.substr(block));
  return 0;
}
