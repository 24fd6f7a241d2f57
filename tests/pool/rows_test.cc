// What a pool store makes of the rows that it is given.

#include <gmock/gmock.h>

#include "pool/trouble.h"
#include "tests/pool/conformance.h"

namespace holdfast::pool::testing {
namespace {

using ::testing::IsEmpty;
using Owned = std::map<std::string, std::set<std::string>>;

template <class Fixture>
class PoolRows : public Conformance<Fixture> {
 protected:
  RowCounts Write(std::vector<pool::Write> writes) {
    const ApplyResult result = this->projector_.Apply(this->projector_.NextBatch(std::move(writes)));
    EXPECT_EQ(result.verdict, Verdict::kDone) << VerdictName(result.verdict);
    return result.counts;
  }
};
TYPED_TEST_SUITE(PoolRows, Stores);

TYPED_TEST(PoolRows, AreReadBackAsTheyWereWritten) {
  this->projector_.Fill({});
  AddressRow lapsing = Granted("[2001:db8::1]:1", "w1", Sequence(UINT64_MAX));
  lapsing.state = AddressState::kLapsing;
  lapsing.epoch = Epoch((std::uint64_t{1} << 53) + 1);
  lapsing.available_until = LogTimeFromMicros((std::int64_t{1} << 53) - 1);
  AddressRow revoking = Granted("b:1", "w2");
  revoking.state = AddressState::kRevoking;
  revoking.available_until.reset();
  const AddressRow extracted = Extracted("secret@c:1", "e1");
  ProxyRow proxy = Proxy("p1", "b:1");
  proxy.usable_until = LogTime();
  proxy.sequence = Sequence((std::uint64_t{1} << 53) + 3);

  this->Write({AddressWrite{.row = lapsing, .previous_owner = ""}, AddressWrite{.row = revoking, .previous_owner = ""},
               AddressWrite{.row = extracted, .previous_owner = ""}, proxy});

  Content expected;
  expected.addresses = {{lapsing.id, lapsing}, {revoking.id, revoking}, {extracted.id, extracted}};
  expected.proxies = {{"p1", proxy}};
  expected.available = {{lapsing.id, *lapsing.available_until}};
  expected.owned = {{"w1", {lapsing.id}}, {"w2", {"b:1"}}};
  EXPECT_EQ(this->Read(), expected);
}

TYPED_TEST(PoolRows, AWriteTakesThePlaceOfTheRowAndOfItsIndexes) {
  this->projector_.Fill({AddressWrite{.row = Granted("a:1", "w1"), .previous_owner = ""}, Proxy("p1", "a:1")});
  AddressRow unowned = Unowned("a:1");
  unowned.available_until.reset();
  ProxyRow proxy = Proxy("p1", "a:1");
  proxy.health = "unhealthy";

  this->Write({AddressWrite{.row = Granted("a:1", "w2"), .previous_owner = "w1"}});
  EXPECT_EQ(this->Read().owned, (Owned{{"w2", {"a:1"}}}));
  this->Write({AddressWrite{.row = unowned, .previous_owner = "w2"}, proxy});

  Content expected;
  expected.addresses = {{"a:1", unowned}};
  expected.proxies = {{"p1", proxy}};
  EXPECT_EQ(this->Read(), expected);
}

TYPED_TEST(PoolRows, WhatIsRemovedIsGoneEverywhere) {
  this->projector_.Fill({AddressWrite{.row = Granted("a:1", "w1"), .previous_owner = ""}, Proxy("p1", "a:1"),
                         SessionRow{"w1", {{"state", "active"}}, std::chrono::minutes(1)}});
  EXPECT_EQ(this->Read().sessions, std::set<std::string>{"w1"});

  const RowCounts counts =
      this->Write({AddressRemoval{.id = "a:1", .previous_owner = "w1"}, ProxyRemoval{"p1"}, SessionRemoval{"w1"},
                   AddressRemoval{.id = "b:1", .previous_owner = "w9"}, ProxyRemoval{"p9"}, SessionRemoval{"w9"}});

  EXPECT_EQ(counts, RowCounts{});
  EXPECT_EQ(this->Read(), Content{});
}

TYPED_TEST(PoolRows, TheIndexOfAnOwnerIsBoundedAndSaysWhatItLeftOut) {
  this->projector_.Fill({});
  std::vector<Write> writes;
  for (int i = 0; i < 8; ++i) {
    writes.push_back(AddressWrite{.row = Granted(AddressName(i), "w1"), .previous_owner = ""});
  }

  EXPECT_EQ(this->Write(writes).unindexed, 8 - kTestOwnedLimit);
  EXPECT_EQ(this->Read().owned.at("w1").size(), kTestOwnedLimit);
  EXPECT_EQ(this->Read().addresses.size(), 8u);
  EXPECT_EQ(this->Write({AddressWrite{.row = Granted(AddressName(0), "w1"), .previous_owner = "w1"}}).unindexed, 0u);

  writes.clear();
  for (int i = 0; i < 8; ++i) writes.push_back(AddressRemoval{.id = AddressName(i), .previous_owner = "w1"});
  EXPECT_EQ(this->Write(writes), RowCounts{});
  EXPECT_EQ(this->Read(), Content{});
}

TYPED_TEST(PoolRows, AnOwnerThatTheWriteDidNotExpectIsCounted) {
  this->projector_.Fill({AddressWrite{.row = Granted("a:1", "w1"), .previous_owner = ""},
                         AddressWrite{.row = Granted("b:1", "w1"), .previous_owner = ""}});

  const RowCounts counts = this->Write({AddressWrite{.row = Granted("a:1", "w2"), .previous_owner = "w3"},
                                        AddressRemoval{.id = "b:1", .previous_owner = ""}});

  EXPECT_EQ(counts.strays, 2u);
  EXPECT_EQ(this->Read().owned, (Owned{{"w1", {"a:1", "b:1"}}, {"w2", {"a:1"}}}));
}

TYPED_TEST(PoolRows, ASessionVanishesByItself) {
  this->projector_.Fill({});
  this->Write({SessionRow{"w1", {{"state", "active"}, {"zone", "a"}}, std::chrono::hours(10)},
               SessionRow{"w2", {{"state", "active"}}, std::chrono::milliseconds(1)}});

  EXPECT_TRUE(checker::WaitUntil([&] { return this->Read().sessions == std::set<std::string>{"w1"}; }));
  const auto slice = this->store().Scan({.kind = ScanKind::kSessions}, kPatience);
  ASSERT_TRUE(slice.ok()) << slice.status();
  ASSERT_EQ(slice->sessions.size(), 1u);
  EXPECT_EQ(slice->sessions[0].fields.size(), 2u);
  EXPECT_LE(slice->sessions[0].ttl, std::chrono::hours(10));
  EXPECT_GT(slice->sessions[0].ttl, std::chrono::hours(9));
}

TYPED_TEST(PoolRows, ASessionIsWrittenAsAWhole) {
  this->projector_.Fill({});
  this->Write({SessionRow{"w1", {{"state", "active"}, {"zone", "a"}}, std::chrono::hours(1)}});
  this->Write({SessionRow{"w1", {{"state", "draining"}}, std::chrono::hours(20)}});

  const auto slice = this->store().Scan({.kind = ScanKind::kSessions}, kPatience);

  ASSERT_TRUE(slice.ok()) << slice.status();
  ASSERT_EQ(slice->sessions.size(), 1u);
  EXPECT_EQ(slice->sessions[0].fields, (std::vector<std::pair<std::string, std::string>>{{"state", "draining"}}));
  EXPECT_GT(slice->sessions[0].ttl, std::chrono::hours(19));
}

TYPED_TEST(PoolRows, AScanGivesEveryRowInSlices) {
  this->projector_.Fill(SampleRows(300));

  ScanRequest request{.kind = ScanKind::kAddresses, .limit = 50};
  std::set<std::string> seen;
  int slices = 0;
  do {
    const auto slice = this->store().Scan(request, kPatience);
    ASSERT_TRUE(slice.ok()) << slice.status();
    EXPECT_LE(slice->addresses.size(), 100u);
    for (const AddressRow& row : slice->addresses) seen.insert(row.id);
    request.cursor = slice->cursor;
    ++slices;
  } while (!request.cursor.empty());

  EXPECT_EQ(seen.size(), 300u);
  EXPECT_GE(slices, 4);
  const Content content = ReadAll(this->store(), 7);
  EXPECT_EQ(content.addresses.size(), 300u);
  EXPECT_EQ(content.available.size(), 300u);
  EXPECT_EQ(content.proxies.size(), 300u);
}

TYPED_TEST(PoolRows, WhatNoRowMaySayIsNotSent) {
  this->projector_.Fill({});
  AddressRow without_owner = Granted("a:1", "w1");
  without_owner.owner.clear();
  AddressRow with_owner = Unowned("a:1");
  with_owner.owner = "w1";
  AddressRow too_late = Unowned("a:1");
  too_late.available_until = LogTimeFromMicros(std::int64_t{1} << 53);
  AddressRow no_extraction = Extracted("a:1", "");
  ProxyRow no_address = Proxy("p1", "");
  for (const Write& write : std::vector<Write>{
           AddressWrite{.row = without_owner, .previous_owner = ""},
           AddressWrite{.row = with_owner, .previous_owner = ""}, AddressWrite{.row = too_late, .previous_owner = ""},
           AddressWrite{.row = no_extraction, .previous_owner = ""}, no_address,
           SessionRow{"w1", {{"a", "b"}}, Duration(0)}, SessionRow{"w1", {}, Duration(5000)}}) {
    const Batch batch = this->projector_.NextBatch({write});
    EXPECT_EQ(TroubleOf(this->store().Apply(std::span(&batch, 1), kPatience).status()), Trouble::kWrongRequest);
  }
  EXPECT_EQ(this->Read(), Content{});
}

}  // namespace
}  // namespace holdfast::pool::testing
