#include "events/block_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "events/block_format.h"
#include "tests/events/sample_chain.h"

namespace holdfast {
namespace {

using ::testing::HasSubstr;

StoredBlock Stored(const EncodedBlock& block) {
  return {.first = block.first, .block = block.block, .bulk = block.bulk};
}

absl::Status ParseAndVerify(std::string_view block, std::string_view bulk) {
  BlockView view;
  if (absl::Status status = view.Parse(block, bulk); !status.ok()) return status;
  return VerifyBlock(view);
}

EncodedBlock GoldenBlock() {
  std::array<std::uint8_t, 16> log_id;
  BlockSeal seal{.boot_micros = 123'456'789, .state_version = 7, .state_digest = {}, .previous_hash = {}};
  for (std::size_t i = 0; i < log_id.size(); ++i) log_id[i] = static_cast<std::uint8_t>(i);
  for (std::size_t i = 0; i < 16; ++i) seal.state_digest[i] = static_cast<std::uint8_t>(100 + i);
  for (std::size_t i = 0; i < 32; ++i) seal.previous_hash[i] = static_cast<std::uint8_t>(200 + i);
  const auto at = [](std::int64_t micros) { return LogTimeFromMicros(1'800'000'000'000'000 + micros); };
  BlockBuilder builder(log_id, "3b0d3a52-94b6-4bd2-a4ee-2b5b2f0d8c11");
  builder.Begin(Sequence(41));
  builder.Add({.at = at(1),
               .principal = "loopback",
               .input_prefix = "\x0a\x03",
               .input_body = "one",
               .events = std::string_view("\x12\x01"
                                          "e")});
  builder.Add({.at = at(2),
               .principal = "spiffe://pool.example/test/worker/w-1",
               .input_prefix = "\x0a\x06",
               .input_body = "report",
               .bulk = true,
               .events = {}});
  builder.Add({.at = at(2),
               .principal = "controller",
               .input_prefix = {},
               .input_body = {},
               .events = std::string_view("\x12\x02"
                                          "ff")});
  builder.Add({.at = at(9),
               .principal = "",
               .input_prefix = {},
               .input_body = {},
               .bulk = true,
               .events = std::string_view("\x12\x03"
                                          "ggg")});
  return builder.Seal(seal);
}

std::string FromHex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

// Sections of a golden file: a name, then lines of hexadecimal digits.
std::map<std::string, std::string> ReadGolden(const std::string& name) {
  std::ifstream file(std::string(HOLDFAST_SOURCE_DIR) + "/tests/events/golden/" + name);
  std::map<std::string, std::string> sections;
  std::string section;
  for (std::string line; std::getline(file, line);) {
    if (line == "block" || line == "bulk") {
      section = line;
    } else {
      sections[section] += FromHex(line);
    }
  }
  return sections;
}

TEST(BlockCodec, GoldenBlockOfFormat1IsWrittenByteForByte) {
  std::map<std::string, std::string> golden = ReadGolden("block_format_1.hex");
  ASSERT_EQ(golden.size(), 2u) << "golden file not found";

  const EncodedBlock block = GoldenBlock();

  EXPECT_TRUE(block.block == golden["block"]);
  EXPECT_TRUE(block.bulk == golden["bulk"]);
}

TEST(BlockCodec, GoldenBlockOfFormat1IsRead) {
  std::map<std::string, std::string> golden = ReadGolden("block_format_1.hex");

  const absl::StatusOr<DecodedBlock> block =
      DecodeBlock({.first = Sequence(41), .block = golden["block"], .bulk = golden["bulk"]});

  ASSERT_TRUE(block.ok()) << block.status();
  EXPECT_EQ(block->header.first, Sequence(41));
  EXPECT_EQ(block->header.count, 4u);
  EXPECT_EQ(block->header.boot_id, "3b0d3a52-94b6-4bd2-a4ee-2b5b2f0d8c11");
  EXPECT_EQ(block->header.boot_micros, 123'456'789);
  EXPECT_EQ(block->header.state_version, 7u);
  EXPECT_EQ(block->header.state_digest[15], 115);
  EXPECT_EQ(block->previous_hash[0], 200);
  ASSERT_EQ(block->entries.size(), 4u);
  EXPECT_EQ(block->entries[1].input, "\x0a\x06report");
  EXPECT_TRUE(block->entries[1].bulk);
  EXPECT_EQ(ToMicros(block->entries[3].at), 1'800'000'000'000'009);
  EXPECT_EQ(block->entries[3].sequence, Sequence(44));
}

TEST(BlockCodec, DecodedIsWhatWasEncoded) {
  testing::SampleChain chain(7);
  Hash256 previous{};

  for (const std::uint32_t entries : {1u, 2u, 3u, 50u, 1'000u}) {
    const EncodedBlock encoded = chain.Next(entries);

    const absl::StatusOr<DecodedBlock> decoded = DecodeBlock(Stored(encoded));

    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(decoded->header.log_id, chain.log_id());
    EXPECT_EQ(decoded->header.count, entries);
    EXPECT_EQ(decoded->previous_hash, previous);
    EXPECT_EQ(decoded->hash, encoded.hash);
    ASSERT_EQ(decoded->entries.size(), entries);
    EXPECT_EQ(decoded->entries.back().sequence, encoded.last);
    for (const StoredEntry& entry : decoded->entries) {
      ASSERT_EQ(entry.input.substr(0, 3), "in:");
      ASSERT_EQ(entry.input.size(), 63u);
      ASSERT_EQ(entry.input_hash, Sha256Of(entry.input));
      ASSERT_FALSE(entry.input_dropped);
    }
    previous = encoded.hash;
  }
}

TEST(BlockCodec, ADroppedBodyLeavesTheChainCheckable) {
  testing::SampleChain chain;
  const EncodedBlock encoded = chain.Next(6);

  const absl::StatusOr<DecodedBlock> whole = DecodeBlock(Stored(encoded));
  const absl::StatusOr<DecodedBlock> dropped =
      DecodeBlock({.first = encoded.first, .block = encoded.block, .bulk = ""});

  ASSERT_TRUE(whole.ok()) << whole.status();
  ASSERT_TRUE(dropped.ok()) << dropped.status();
  for (std::size_t i = 0; i < whole->entries.size(); ++i) {
    EXPECT_EQ(dropped->entries[i].hash, whole->entries[i].hash);
    EXPECT_EQ(dropped->entries[i].input_hash, whole->entries[i].input_hash);
    EXPECT_EQ(dropped->entries[i].input_dropped, whole->entries[i].bulk);
    EXPECT_EQ(dropped->entries[i].input, whole->entries[i].bulk ? "" : whole->entries[i].input);
  }
  EXPECT_EQ(dropped->hash, whole->hash);
}

TEST(BlockCodec, EveryChangedByteOfABlockIsFoundAndItsEntryNamed) {
  const EncodedBlock encoded = testing::SampleChain().Next(5);
  BlockView view;
  ASSERT_TRUE(view.Parse(encoded.block, encoded.bulk).ok());

  for (std::size_t i = 0; i < encoded.block.size(); ++i) {
    std::string changed = encoded.block;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);

    ASSERT_FALSE(ParseAndVerify(changed, encoded.bulk).ok()) << "byte " << i;
  }
  for (const EntryView& entry : view.entries()) {
    std::string changed = encoded.block;
    changed[static_cast<std::size_t>(entry.principal.data() - encoded.block.data())] ^= 1;

    const absl::Status status = ParseAndVerify(changed, encoded.bulk);

    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(status.message()), HasSubstr("entry " + std::to_string(entry.sequence.value()) + ":"));
  }
}

TEST(BlockCodec, EveryChangedByteOfABulkValueIsFound) {
  const EncodedBlock encoded = testing::SampleChain().Next(6);

  for (std::size_t i = 0; i < encoded.bulk.size(); ++i) {
    std::string changed = encoded.bulk;
    changed[i] = static_cast<char>(changed[i] ^ 0x01);

    ASSERT_FALSE(ParseAndVerify(encoded.block, changed).ok()) << "byte " << i;
  }
}

TEST(BlockCodec, TheBulkValueOfAnotherBlockIsFoundOut) {
  testing::SampleChain chain;
  const EncodedBlock one = chain.Next(3);
  const EncodedBlock other = chain.Next(3);
  ASSERT_EQ(one.bulk.size(), other.bulk.size());

  const absl::Status status = ParseAndVerify(other.block, one.bulk);

  EXPECT_THAT(std::string(status.message()), HasSubstr("entry 6: its input, kept in bulk"));
}

TEST(BlockCodec, EveryCutIsAnErrorWithItsPlace) {
  const EncodedBlock encoded = testing::SampleChain().Next(4);

  for (std::size_t size = 0; size < encoded.block.size(); ++size) {
    const absl::Status status = ParseAndVerify(std::string_view(encoded.block).substr(0, size), encoded.bulk);

    ASSERT_EQ(status.code(), absl::StatusCode::kDataLoss) << size;
    ASSERT_THAT(std::string(status.message()), HasSubstr("at byte ")) << size;
  }
  EXPECT_FALSE(ParseAndVerify(encoded.block + 'x', encoded.bulk).ok());
}

TEST(BlockCodec, ANewerFormatIsRefusedByName) {
  EncodedBlock encoded = testing::SampleChain().Next(1);
  encoded.block[block_format::kFormatOffset] = 2;

  const absl::StatusOr<DecodedBlock> decoded = DecodeBlock(Stored(encoded));

  EXPECT_EQ(decoded.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(decoded.status().message()), HasSubstr("block format 2"));
}

TEST(BlockCodec, ACountThatTheBytesCannotHoldAllocatesNothing) {
  EncodedBlock encoded = testing::SampleChain().Next(1);
  StoreLittleEndian(std::uint32_t{0xffffffff}, encoded.block.data() + block_format::kCountOffset);

  const absl::StatusOr<DecodedBlock> decoded = DecodeBlock(Stored(encoded));

  EXPECT_THAT(std::string(decoded.status().message()), HasSubstr("cannot stand in"));
}

TEST(BlockCodec, AViewThatIsUsedAgainKeepsNothingOfTheBlockBefore) {
  testing::SampleChain chain;
  const EncodedBlock bulky = chain.Next(3);
  const EncodedBlock plain = chain.Next(2);
  BlockView view;

  ASSERT_TRUE(view.Parse(bulky.block, "").ok());
  ASSERT_TRUE(view.Parse(plain.block, plain.bulk).ok());

  ASSERT_EQ(view.entries().size(), 2u);
  for (const EntryView& entry : view.entries()) {
    EXPECT_FALSE(entry.bulk);
    EXPECT_FALSE(entry.input_dropped);
    EXPECT_TRUE(entry.stored_input_hash.empty());
  }
  EXPECT_TRUE(VerifyBlock(view).ok());
}

TEST(BlockBuilder, RecycledBuffersChangeNothing) {
  testing::SampleChain plain(3);
  BlockBuilder builder(plain.log_id(), "boot");
  const auto build = [&](std::uint64_t first) {
    builder.Begin(Sequence(first));
    builder.Add({.at = LogTimeFromMicros(5), .principal = "p", .input_prefix = "a", .input_body = "b", .events = "e"});
    return builder.Seal({});
  };

  EncodedBlock first = build(1);
  const std::string bytes = first.block;
  builder.Recycle(std::move(first));
  build(1);
  const EncodedBlock again = build(1);

  EXPECT_TRUE(again.block == bytes);
}

TEST(BlockBuilder, BeginDropsWhatWasNotSealed) {
  testing::SampleChain chain;
  BlockBuilder builder(chain.log_id(), "boot");
  builder.Begin(Sequence(1));
  builder.Add({.at = LogTimeFromMicros(5),
               .principal = "lost",
               .input_prefix = {},
               .input_body = "x",
               .bulk = true,
               .events = {}});

  builder.Begin(Sequence(1));
  builder.Add({.at = LogTimeFromMicros(6), .principal = "kept", .input_prefix = {}, .input_body = "y", .events = {}});
  const EncodedBlock block = builder.Seal({});

  const absl::StatusOr<DecodedBlock> decoded = DecodeBlock(Stored(block));
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  ASSERT_EQ(decoded->entries.size(), 1u);
  EXPECT_EQ(decoded->entries[0].principal, "kept");
  EXPECT_TRUE(block.bulk.empty());
}

TEST(BlockBuilderDeathTest, AnEmptyBlockIsABrokenInvariant) {
  BlockBuilder builder({}, "boot");
  builder.Begin(Sequence(1));

  EXPECT_DEATH(builder.Seal({}), "broken invariant");
}

}  // namespace
}  // namespace holdfast
