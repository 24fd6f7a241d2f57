// Rows by key, names to keys, deadlines in order.

#include "projections/row_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/ids.h"
#include "projections/deadline_index.h"
#include "projections/text_index.h"
#include "tests/events/seeded_random.h"

namespace holdfast {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Table = RowTable<ProxyKey, std::string>;

TEST(RowTable, ARowIsFoundUnderItsKeyUntilItIsErased) {
  Table table;
  table.Insert(ProxyKey(5), "five");
  table.Insert(ProxyKey(70'000), "far");

  EXPECT_EQ(table.At(ProxyKey(5)), "five");
  EXPECT_EQ(*table.Find(ProxyKey(70'000)), "far");
  EXPECT_EQ(table.Find(ProxyKey(6)), nullptr);
  EXPECT_EQ(table.Find(ProxyKey(4'000'000'000)), nullptr);
  EXPECT_EQ(table.Find(ProxyKey(0)), nullptr);
  EXPECT_EQ(table.size(), 2u);
  table.Erase(ProxyKey(5));
  EXPECT_EQ(table.Find(ProxyKey(5)), nullptr);
  EXPECT_EQ(table.size(), 1u);
}

TEST(RowTable, ARowStaysWhereItIsWhileOthersCome) {
  Table table;
  const std::string* first = &table.Insert(ProxyKey(1), "first");

  for (std::uint32_t key = 2; key < 20'000; ++key) table.Insert(ProxyKey(key), "other");

  EXPECT_EQ(table.Find(ProxyKey(1)), first);
}

TEST(RowTable, ItIsWalkedInTheOrderOfKeysOverGapsAndFreedPages) {
  Table table;
  for (const std::uint32_t key : {90'000u, 3u, 2'000u, 1u, 1'023u, 1'024u}) table.Insert(ProxyKey(key), "row");
  table.Erase(ProxyKey(2'000));

  std::vector<std::uint32_t> keys;
  table.ForEach([&](ProxyKey key, const std::string&) { keys.push_back(key.value()); });

  EXPECT_THAT(keys, ElementsAre(1u, 3u, 1'023u, 1'024u, 90'000u));
  EXPECT_EQ(table.NextKey(ProxyKey(1'025)).value(), 90'000u);
  EXPECT_EQ(table.NextKey(ProxyKey(90'001)).value(), 0u);
}

TEST(RowTable, ItIsAMapToWhoeverLooks) {
  testing::SeededRandom random(3);
  Table table;
  std::map<std::uint32_t, std::string> model;

  for (int i = 0; i < 20'000; ++i) {
    const auto key = static_cast<std::uint32_t>(1 + random.Below(5'000));
    if (model.contains(key)) {
      model.erase(key);
      table.Erase(ProxyKey(key));
    } else {
      model[key] = table.Insert(ProxyKey(key), std::to_string(i));
    }
  }

  std::map<std::uint32_t, std::string> rows;
  table.ForEach([&](ProxyKey key, const std::string& row) { rows[key.value()] = row; });
  EXPECT_EQ(rows, model);
  EXPECT_EQ(table.size(), model.size());
}

TEST(RowTableDeathTest, AKeyThatIsThereIsNotInsertedAgainAndZeroIsNoKey) {
  Table table;
  table.Insert(ProxyKey(1), "row");

  EXPECT_DEATH(table.Insert(ProxyKey(1), "again"), "!slot");
  EXPECT_DEATH(table.Insert(ProxyKey(0), "none"), "value");
  EXPECT_DEATH(table.Erase(ProxyKey(2)), "Find");
  EXPECT_DEATH(table.At(ProxyKey(2)), "row != nullptr");
}

TEST(TextIndex, ANameIsFoundUntilItIsErased) {
  TextIndex<ProxyKey> index;
  for (std::uint32_t key = 1; key <= 3'000; ++key) index.Insert("name-" + std::to_string(key), ProxyKey(key));

  EXPECT_EQ(index.Find("name-1234").value(), 1'234u);
  EXPECT_EQ(index.Find("name-3001").value(), 0u);
  index.Erase("name-1234");
  index.Erase("never there");
  EXPECT_EQ(index.Find("name-1234").value(), 0u);
  EXPECT_EQ(index.Find("name-1235").value(), 1'235u);
}

TEST(TextIndex, ANameThatIsInsertedAgainTakesTheNewKey) {
  TextIndex<ProxyKey> index;
  index.Insert("name", ProxyKey(1));

  index.Insert("name", ProxyKey(2));

  EXPECT_EQ(index.Find("name").value(), 2u);
}

LogTime At(std::int64_t micros) { return LogTimeFromMicros(micros); }

TEST(DeadlineIndex, WhatIsDueComesInOneOrderWhateverCameFirst) {
  testing::SeededRandom random(5);
  std::vector<std::pair<std::int64_t, std::uint32_t>> entries;
  for (std::uint32_t key = 1; key <= 200; ++key) entries.emplace_back(1 + random.Below(20), key);
  auto in_order = entries;
  std::sort(in_order.begin(), in_order.end());

  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = entries.size(); i > 1; --i) std::swap(entries[i - 1], entries[random.Below(i)]);
    DeadlineIndex<WorkerKey> index;
    for (const auto& [time, key] : entries) index.Move(WorkerKey(key), LogTime(), At(time));

    const std::vector<WorkerKey> due = index.Due(At(20), 1'000);

    ASSERT_EQ(due.size(), in_order.size());
    for (std::size_t i = 0; i < due.size(); ++i) EXPECT_EQ(due[i].value(), in_order[i].second);
  }
}

TEST(DeadlineIndex, ADeadlineIsOverAtItsTimeAndNotBefore) {
  DeadlineIndex<WorkerKey> index;
  index.Move(WorkerKey(1), LogTime(), At(10));

  EXPECT_THAT(index.Due(At(9), 5), IsEmpty());
  EXPECT_THAT(index.Due(At(10), 5), ElementsAre(WorkerKey(1)));
}

TEST(DeadlineIndex, AKeyIsMovedAndTakenOut) {
  DeadlineIndex<WorkerKey> index;
  index.Move(WorkerKey(1), LogTime(), At(10));
  index.Move(WorkerKey(2), LogTime(), At(20));

  index.Move(WorkerKey(1), At(10), At(30));
  EXPECT_EQ(index.Earliest(), At(20));
  index.Move(WorkerKey(2), At(20), LogTime());
  EXPECT_EQ(index.Earliest(), At(30));
  index.Move(WorkerKey(1), At(30), LogTime());

  EXPECT_TRUE(index.empty());
  EXPECT_EQ(index.Earliest(), std::nullopt);
}

TEST(DeadlineIndex, NoMoreThanTheLimitIsGiven) {
  DeadlineIndex<WorkerKey> index;
  for (std::uint32_t key = 1; key <= 10; ++key) index.Move(WorkerKey(key), LogTime(), At(5));

  EXPECT_THAT(index.Due(At(5), 3), ElementsAre(WorkerKey(1), WorkerKey(2), WorkerKey(3)));
  EXPECT_THAT(index.Due(At(5), 0), IsEmpty());
}

}  // namespace
}  // namespace holdfast
