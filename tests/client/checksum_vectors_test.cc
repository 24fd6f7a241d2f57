#include "tests/client/checksum_vectors.h"

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "client/snapshot_checksum.h"

namespace holdfast::client {
namespace {

std::string Hex(const std::string& bytes) { return absl::BytesToHexString(bytes); }
std::string Hex(const Hash256& hash) { return Hex(std::string(hash.begin(), hash.end())); }

TEST(SnapshotChecksum, EveryVectorOfTheDocumentIsComputed) {
  const std::vector<test::ChecksumVector> vectors = test::ReadChecksumVectors();
  ASSERT_GE(vectors.size(), 7U);

  for (const test::ChecksumVector& vector : vectors) {
    std::vector<Hash256> routings;
    for (const auto& routing : vector.snapshot.routings()) routings.push_back(HashRouting(routing));
    HashSum sum;
    for (const auto& grant : vector.snapshot.proxies()) sum.Add(HashGrant(grant));
    const auto count = static_cast<std::uint64_t>(vector.snapshot.proxies_size());

    EXPECT_EQ(Hex(ContentChecksum(vector.snapshot.ownership_epoch(), routings, count, sum)), vector.checksum)
        << vector.title;
    if (count > 0) {
      EXPECT_EQ(Hex(HashGrant(vector.snapshot.proxies(0))), vector.first_hash) << vector.title;
    } else if (!routings.empty()) {
      EXPECT_EQ(Hex(routings[0]), vector.first_hash) << vector.title;
    }
  }
}

TEST(SnapshotChecksum, SubtractingWhatWasAddedLeavesTheSumAsItWas) {
  controlplane::v1::ProxyGrant one;
  one.set_proxy_id("one");
  controlplane::v1::ProxyGrant two;
  two.set_proxy_id("two");
  Hash256 all_ones;
  all_ones.fill(0xff);
  HashSum only_one;
  only_one.Add(HashGrant(one));

  HashSum sum = only_one;
  for (const Hash256& hash : {HashGrant(two), all_ones, Hash256{}}) sum.Add(hash);
  const bool changed = sum != only_one;
  for (const Hash256& hash : {all_ones, Hash256{}, HashGrant(two)}) sum.Subtract(hash);

  EXPECT_TRUE(changed);
  EXPECT_EQ(sum, only_one);
}

TEST(SnapshotChecksum, EveryHashedFieldChangesTheHash) {
  const auto& vectors = test::ReadChecksumVectors();
  ASSERT_GE(vectors.size(), 2U);
  const controlplane::v1::ProxyGrant whole = vectors[1].snapshot.proxies(0);
  const auto* descriptor = whole.GetDescriptor();

  for (int i = 0; i < descriptor->field_count(); ++i) {
    controlplane::v1::ProxyGrant less = whole;
    less.GetReflection()->ClearField(&less, descriptor->field(i));

    EXPECT_NE(HashGrant(less), HashGrant(whole)) << descriptor->field(i)->name();
  }
}

}  // namespace
}  // namespace holdfast::client
