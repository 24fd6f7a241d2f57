#include "base/canonical_hash.h"

#include <gtest/gtest.h>

#include <string>

#include "base/sum256.h"

namespace holdfast {
namespace {

using std::string_literals::operator""s;

TEST(CanonicalWriter, FieldsAreLittleEndianWithLengthsAndPresence) {
  Sha256 hasher;
  CanonicalWriter writer(hasher);

  const Hash256 hash = writer.U64(0x0102030405060708).I64(-2).String("ab").Presence(true).Presence(false).Finish();

  EXPECT_EQ(hash, Sha256Of("\x08\x07\x06\x05\x04\x03\x02\x01"
                           "\xfe\xff\xff\xff\xff\xff\xff\xff"
                           "\x02\x00\x00\x00"
                           "ab\x01\x00"s));
}

TEST(CanonicalWriter, LongTextAndManyFieldsSpillWithoutAChange) {
  Sha256 hasher;
  std::string expected;
  CanonicalWriter writer(hasher);

  for (int i = 0; i < 200; ++i) {
    const std::string text(static_cast<std::size_t>(i * 7), static_cast<char>('a' + i % 26));
    writer.String(text).U64(static_cast<std::uint64_t>(i));
    AppendLittleEndian(static_cast<std::uint32_t>(text.size()), &expected);
    expected += text;
    AppendLittleEndian(static_cast<std::uint64_t>(i), &expected);
  }

  EXPECT_EQ(writer.Finish(), Sha256Of(expected));
}

TEST(CanonicalWriter, LengthsKeepNeighboursApart) {
  Sha256 hasher;
  CanonicalWriter writer(hasher);

  const Hash256 one = writer.String("ab").String("c").Finish();
  const Hash256 other = writer.String("a").String("bc").Finish();

  EXPECT_NE(one, other);
}

TEST(CanonicalWriter, FinishBeginsAnew) {
  Sha256 hasher;
  CanonicalWriter writer(hasher);

  const Hash256 first = writer.U64(7).Finish();
  const Hash256 second = writer.U64(7).Finish();

  EXPECT_EQ(first, second);
}

Hash256 Filled(std::uint8_t byte) {
  Hash256 hash;
  hash.fill(byte);
  return hash;
}

TEST(Sum256, CarriesThroughAllLimbsAndWrapsAround) {
  Sum256 sum;
  Hash256 one{};
  one[0] = 1;

  sum.Add(Filled(0xff));
  sum.Add(one);

  EXPECT_EQ(sum.Bytes(), Hash256{});
}

TEST(Sum256, BorrowsThroughAllLimbsAndWrapsAround) {
  Sum256 sum;
  Hash256 one{};
  one[0] = 1;

  sum.Remove(one);

  EXPECT_EQ(sum.Bytes(), Filled(0xff));
}

TEST(Sum256, IsLittleEndian) {
  Sum256 sum;
  Hash256 low{};
  low[0] = 0xff;
  Hash256 expected{};
  expected[1] = 1;
  expected[0] = 0xfe;

  sum.Add(low);
  sum.Add(low);

  EXPECT_EQ(sum.Bytes(), expected);
}

TEST(Sum256, OrderDoesNotMatterAndRemoveUndoesAdd) {
  Sum256 forward;
  Sum256 backward;
  for (int i = 0; i < 100; ++i) forward.Add(Sha256Of(std::to_string(i)));
  for (int i = 99; i >= 0; --i) backward.Add(Sha256Of(std::to_string(i)));

  EXPECT_EQ(forward, backward);

  for (int i = 0; i < 100; ++i) forward.Remove(Sha256Of(std::to_string(i)));

  EXPECT_EQ(forward, Sum256());
}

}  // namespace
}  // namespace holdfast
