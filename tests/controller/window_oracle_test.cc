// The oracle of the stories sees what it is there to see.

#include "tests/controller/window_oracle.h"

#include <gtest/gtest.h>

#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {
namespace {

BuiltUpdate Update(std::uint64_t version, const std::string& host) {
  Grant grant;
  ProxySpec spec;
  spec.proxy_id = ProxyId("http://" + host + ":8080");
  spec.endpoint = {Scheme::kHttp, host, 8080};
  grant.spec = Boxed<ProxySpec>(spec);
  grant.expires_at = kStart + hours(1);
  grant.usable_until = kStart + minutes(59);
  grant.state = GrantState::kActive;
  BuiltUpdate update;
  update.version = Version(version);
  update.epoch = Epoch(7);
  update.valid_until = kStart + seconds(30);
  update.upserted.push_back(Boxed<Grant>(grant));
  update.checksum = DocumentedChecksum(update.epoch, {}, {{spec.proxy_id.value(), grant}});
  return update;
}

TEST(WindowOracle, ASecondUserBeforeTheWindowOfTheFirstIsOverIsAFault) {
  WindowOracle oracle;
  oracle.Issued("w1", Update(1, "198.18.0.1"), {}, seconds(10), kStart);
  EXPECT_TRUE(oracle.faults().empty());

  oracle.Issued("w2", Update(1, "198.18.0.1"), {}, seconds(10), kStart + seconds(40) - Duration(1));

  EXPECT_EQ(oracle.faults().size(), 1u);
}

TEST(WindowOracle, ASecondUserAfterItIsNone) {
  WindowOracle oracle;
  oracle.Issued("w1", Update(1, "198.18.0.1"), {}, seconds(10), kStart);

  oracle.Issued("w2", Update(1, "198.18.0.1"), {}, seconds(10), kStart + seconds(40));

  EXPECT_TRUE(oracle.faults().empty());
  EXPECT_EQ(oracle.UsedUntil("198.18.0.1:8080", "w1", Epoch(7)), kStart + seconds(40));
  EXPECT_EQ(oracle.StillUsed(kStart + seconds(40) - Duration(1)).size(), 2u);
  EXPECT_EQ(oracle.StillUsed(kStart + seconds(40)).size(), 0u);
}

TEST(WindowOracle, AChecksumOfOtherContentIsAFault) {
  WindowOracle oracle;
  BuiltUpdate update = Update(1, "198.18.0.1");
  update.checksum[5] ^= 1;

  oracle.Issued("w1", update, {}, seconds(10), kStart);

  EXPECT_EQ(oracle.faults().size(), 1u);
}

TEST(WindowOracle, AVersionThatDoesNotGrowIsAFault) {
  WindowOracle oracle;
  oracle.Issued("w1", Update(2, "198.18.0.1"), {}, seconds(10), kStart);

  oracle.Issued("w1", Update(2, "198.18.0.1"), {}, seconds(10), kStart);

  EXPECT_EQ(oracle.faults().size(), 1u);
}

}  // namespace
}  // namespace holdfast::testing
