// The stored row of an ended period of ownership is what log.v1.StoredPeriod says.

#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "events/field_codec.h"
#include "holdfast/log/v1/event.pb.h"
#include "projections/audit.h"
#include "tests/events/filled_message.h"

namespace holdfast {
namespace {

TEST(StoredPeriod, EveryFieldIsReadAndWrittenAgain) {
  for (const std::uint64_t seed : {3u, 50u, 999u}) {
    log::v1::StoredPeriod stored;
    testing::Fill(stored, seed);

    OwnershipPeriod period;
    ASSERT_TRUE(wire::GetStruct(stored.SerializeAsString(), period));
    std::string bytes;
    wire::PutStruct(bytes, period);
    log::v1::StoredPeriod again;

    ASSERT_TRUE(again.ParseFromString(bytes));
    EXPECT_FALSE(testing::HasUnknownFields(again));
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(stored, again)) << seed;
    EXPECT_EQ(period.proxy_id, stored.proxy_id());
    EXPECT_EQ(period.ended_sequence.value(), stored.ended_sequence());
  }
}

TEST(StoredPeriod, TheStructHasTheFieldsOfTheMessageAndNoOthers) {
  OwnershipPeriod period;
  std::vector<int> numbers, in_schema;
  OwnershipPeriod::Fields(period, [&](std::uint32_t number, auto&) { numbers.push_back(static_cast<int>(number)); });
  const auto& type = *log::v1::StoredPeriod::descriptor();
  for (int i = 0; i < type.field_count(); ++i) in_schema.push_back(type.field(i)->number());

  EXPECT_EQ(numbers, in_schema);
}

TEST(StoredPeriod, KeysOfOneWorkerAreNoPrefixOfAnothers) {
  EXPECT_FALSE(PeriodKeyPrefixOfWorker("w10").starts_with(PeriodKeyPrefixOfWorker("w1")));
  EXPECT_FALSE(
      PeriodKeyPrefixOfProxy("http://198.18.0.1:80800").starts_with(PeriodKeyPrefixOfProxy("http://198.18.0.1:8080")));
}

}  // namespace
}  // namespace holdfast
