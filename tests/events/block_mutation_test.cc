// Bytes that were changed by chance: what comes out is an error or a sound block, never a crash. The same drive as
// tests/fuzz/block_fuzz.cc, from seeds, so that every test run makes it.

#include <gtest/gtest.h>

#include <string>

#include "events/block_codec.h"
#include "tests/events/block_drive.h"
#include "tests/events/sample_chain.h"

namespace holdfast {
namespace {

std::string Mutate(std::string bytes, testing::SeededRandom& random) {
  const std::uint64_t changes = 1 + random.Below(4);
  for (std::uint64_t i = 0; i < changes && !bytes.empty(); ++i) {
    const std::size_t at = random.Below(bytes.size());
    switch (random.Below(6)) {
      case 0:
        bytes[at] = static_cast<char>(random.Number());
        break;
      case 1:
        bytes[at] = static_cast<char>(0xff);
        break;
      case 2:
        bytes.erase(at, 1 + random.Below(40));
        break;
      case 3:
        bytes.insert(at, random.Bytes(1 + random.Below(40)));
        break;
      case 4:
        bytes.resize(at);
        break;
      case 5:
        bytes.insert(at, bytes.substr(random.Below(bytes.size()), random.Below(60)));
        break;
    }
  }
  return bytes;
}

TEST(BlockMutation, NoBytesCrashTheReaderOrPassForWhatTheyAreNot) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    testing::SeededRandom random(seed);
    testing::SampleChain chain(seed);
    const EncodedBlock block = chain.Next(static_cast<std::uint32_t>(1 + random.Below(12)), random.Below(80));

    for (int i = 0; i < 200; ++i) {
      const std::string changed_block = Mutate(block.block, random);
      const std::string changed_bulk = random.Below(2) == 0 ? block.bulk : Mutate(block.bulk, random);
      const bool sound = testing::DriveBlock(changed_block, changed_bulk);

      const bool same = changed_block == block.block && (changed_bulk == block.bulk || changed_bulk.empty());
      ASSERT_EQ(sound, same) << "seed " << seed << ", mutation " << i;
    }
  }
}

TEST(BlockMutation, RandomBytesAreNeverABlock) {
  testing::SeededRandom random(99);

  for (int i = 0; i < 20'000; ++i) {
    ASSERT_FALSE(testing::DriveBlock(random.Bytes(random.Below(300)), random.Bytes(random.Below(30))));
  }
}

}  // namespace
}  // namespace holdfast
