// Imports, item by item: what is taken, what is refused and why, what a second import of the same changes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/import_items.h"

namespace holdfast::testing {
namespace {

using admin::v1::ImportProxiesResponse;
using admin::v1::ImportReason;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Why the only item of an import is refused.
ImportReason RefusedFor(const std::function<void(WireProxy&)>& edit, const Settings& settings = Settings()) {
  Story story(settings);
  const ImportProxiesResponse reply = story.Import({Item(1, edit)});
  EXPECT_EQ(Counts(reply), (std::vector<std::uint64_t>{0, 0, 0, 1}));
  EXPECT_THAT(EventsOf<ProxyAdded>(story.last()), IsEmpty());
  EXPECT_THAT(reply.rejections(0).detail(), Not(IsEmpty()));
  EXPECT_THAT(reply.rejections(0).detail(), Not(HasSubstr("hunter2")));
  return reply.rejections(0).reason();
}

TEST(DecideImport, AnItemIsTakenWithItsDefaultsAndStandsOnAnAddress) {
  Story story;

  const ImportProxiesResponse reply = story.Import({Item(1)});

  EXPECT_EQ(Counts(reply), (std::vector<std::uint64_t>{1, 0, 0, 0}));
  EXPECT_EQ(reply.count(), 1u);
  EXPECT_EQ(reply.log_sequence(), story.entries().back().point.sequence.value());
  const auto added = EventsOf<ProxyAdded>(story.last());
  ASSERT_EQ(added.size(), 1u);
  EXPECT_EQ(added[0].spec->proxy_id.value(), "http://198.18.0.1:8080");
  EXPECT_EQ(added[0].spec->capacity, 1u);
  EXPECT_EQ(added[0].spec->expires_at, kStart + hours(24));
  EXPECT_EQ(added[0].spec->usable_until, kStart + hours(24) - seconds(60));
  EXPECT_EQ(added[0].state, PoolState::kAvailable);
  EXPECT_TRUE(added[0].new_address);
  EXPECT_EQ(added[0].import.value(), reply.log_sequence());
}

TEST(DecideImport, HostsAreNormalised) {
  Story story;

  story.Import({Item(1, [](WireProxy& item) { item.mutable_endpoint()->set_host("Proxy.EXAMPLE."); }),
                Item(1, [](WireProxy& item) { item.mutable_endpoint()->set_host("2001:DB8:0:0::1"); }),
                Item(1, [](WireProxy& item) { item.mutable_endpoint()->set_host("::ffff:198.18.0.77"); })});

  EXPECT_NE(story.state().pool().FindProxy("http://proxy.example:8080").value(), 0u);
  EXPECT_NE(story.state().pool().FindProxy("http://[2001:db8::1]:8080").value(), 0u);
  EXPECT_NE(story.state().pool().FindProxy(IdOf(77)).value(), 0u);
}

TEST(DecideImport, AnIdThatWasNotGivenIsTheCanonicalUrlWithTheReference) {
  Story story;

  story.Import({Item(1, [](WireProxy& item) { item.set_secret_ref("account-7"); })});

  EXPECT_NE(story.state().pool().FindProxy("http://account-7@198.18.0.1:8080").value(), 0u);
  EXPECT_NE(story.state().pool().FindAddress("account-7@198.18.0.1:8080").value(), 0u);
}

TEST(DecideImport, MalformedItemsAreRefusedOneByOne) {
  const std::vector<std::function<void(WireProxy&)>> edits = {
      [](WireProxy& item) { item.clear_endpoint(); },
      [](WireProxy& item) { item.mutable_endpoint()->clear_scheme(); },
      [](WireProxy& item) { item.mutable_endpoint()->set_scheme(static_cast<controlplane::v1::ProxyScheme>(9)); },
      [](WireProxy& item) { item.mutable_endpoint()->set_port(0); },
      [](WireProxy& item) { item.mutable_endpoint()->set_port(65'536); },
      [](WireProxy& item) { item.mutable_endpoint()->set_host(""); },
      [](WireProxy& item) { item.mutable_endpoint()->set_host("127:0:0:1:80"); },
      [](WireProxy& item) { item.mutable_endpoint()->set_host("198.18.0.010"); },
      [](WireProxy& item) { item.mutable_endpoint()->set_host("a_b.example"); },
      [](WireProxy& item) { item.set_secret_ref("user:hunter2"); },
      [](WireProxy& item) { item.set_secret_ref(std::string(129, 'a')); },
      [](WireProxy& item) { item.set_proxy_id(std::string(1025, 'a')); },
      [](WireProxy& item) { item.set_proxy_id("a\nb"); },
      [](WireProxy& item) {
        item.set_proxy_id(
            "a\xc2\x85"
            "b");
      },
      [](WireProxy& item) { item.mutable_expires_at()->set_seconds(-1); },
      [](WireProxy& item) {
        *item.mutable_expires_at() = Time(kStart + hours(1));
        item.mutable_expires_at()->set_nanos(1);
      },
  };
  for (std::size_t i = 0; i < edits.size(); ++i) {
    EXPECT_EQ(RefusedFor(edits[i]), admin::v1::IMPORT_REASON_MALFORMED) << "edit " << i;
  }
}

TEST(DecideImport, AddressesThatAreNotPublicAreRefusedUnlessTheyAreAllowed) {
  const std::vector<std::string> special = {"127.0.0.1", "10.1.2.3",  "169.254.1.1",     "100.64.0.1",     "224.0.0.1",
                                            "0.0.0.0",   "240.0.0.1", "fc00::1",         "fe80::1",        "::1",
                                            "localhost", "ff02::1",   "::ffff:10.0.0.1", "255.255.255.255"};
  Settings allowing;
  allowing.allow_special = true;
  for (const std::string& host : special) {
    const auto edit = [&](WireProxy& item) { item.mutable_endpoint()->set_host(host); };
    EXPECT_EQ(RefusedFor(edit), admin::v1::IMPORT_REASON_SPECIAL_ADDRESS) << host;
    EXPECT_EQ(Story(allowing).Import({Item(1, edit)}).added(), 1u) << host;
  }
}

TEST(DecideImport, ADeadlineThatHasPassedIsExpired) {
  EXPECT_EQ(RefusedFor([](WireProxy& item) { *item.mutable_expires_at() = Time(kStart); }),
            admin::v1::IMPORT_REASON_EXPIRED);
  EXPECT_EQ(RefusedFor([](WireProxy& item) { item.mutable_expires_at(); }), admin::v1::IMPORT_REASON_EXPIRED);
}

TEST(DecideImport, ALifeWithinTheSafetyMarginIsTooShort) {
  EXPECT_EQ(RefusedFor([](WireProxy& item) { *item.mutable_expires_at() = Time(kStart + seconds(60)); }),
            admin::v1::IMPORT_REASON_LIFETIME_BELOW_MARGIN);

  Story story;
  const auto just_enough = [](WireProxy& item) {
    *item.mutable_expires_at() = Time(kStart + seconds(60) + Duration(1));
  };
  EXPECT_EQ(story.Import({Item(1, just_enough)}).added(), 1u);
}

TEST(DecideImport, LabelsOverTheLimitAreRefused) {
  const auto many = [](int count) {
    return [count](WireProxy& item) {
      for (int i = 0; i < count; ++i) (*item.mutable_labels())["key-" + std::to_string(i)] = "value";
    };
  };
  EXPECT_EQ(Story().Import({Item(1, many(32))}).added(), 1u);
  EXPECT_EQ(RefusedFor(many(33)), admin::v1::IMPORT_REASON_LIMIT);
  EXPECT_EQ(RefusedFor([](WireProxy& item) { (*item.mutable_labels())["k"] = std::string(257, 'v'); }),
            admin::v1::IMPORT_REASON_LIMIT);
  EXPECT_EQ(RefusedFor([](WireProxy& item) { (*item.mutable_labels())[std::string(257, 'k')] = "v"; }),
            admin::v1::IMPORT_REASON_LIMIT);
  EXPECT_EQ(RefusedFor([](WireProxy& item) { item.set_zone(std::string(257, 'z')); }), admin::v1::IMPORT_REASON_LIMIT);
  EXPECT_EQ(RefusedFor([](WireProxy& item) { item.set_source(std::string(257, 's')); }),
            admin::v1::IMPORT_REASON_LIMIT);
}

TEST(DecideImport, NoSecretComesInThroughAnyField) {
  const std::string url = "see http://alice:hunter2@198.18.0.9:1";
  const std::vector<std::function<void(WireProxy&)>> edits = {
      [&](WireProxy& item) { item.mutable_endpoint()->set_host("alice:hunter2@198.18.0.1"); },
      [&](WireProxy& item) { (*item.mutable_labels())["note"] = url; },
      [&](WireProxy& item) { (*item.mutable_labels())[url] = "note"; },
      [&](WireProxy& item) { item.set_zone(url); },
      [&](WireProxy& item) { item.set_source(url); },
      [&](WireProxy& item) { item.set_proxy_id("http://alice:hunter2@198.18.0.1:8080"); },
      [&](WireProxy& item) {
        item.set_secret_ref("account-1");
        item.set_proxy_id("http://hunter2@198.18.0.1:8080");
      },
      [&](WireProxy& item) {
        item.set_secret_ref("account-1");
        item.set_proxy_id("http://account-1@198.18.0.1:8080 http://hunter2@x");
      },
  };
  for (std::size_t i = 0; i < edits.size(); ++i) {
    EXPECT_EQ(RefusedFor(edits[i]), admin::v1::IMPORT_REASON_SECRET_IN_FIELD) << "edit " << i;
  }
}

TEST(DecideImport, AnIdThatCarriesTheReferenceOfItsItemHoldsNoSecret) {
  Story story;

  const ImportProxiesResponse reply = story.Import({Item(1, [](WireProxy& item) {
    item.set_secret_ref("account-1");
    item.set_proxy_id("http://account-1@198.18.0.1:8080");
  })});

  EXPECT_EQ(reply.added(), 1u);
}

TEST(DecideImport, ABadItemIsRejectedNeverTheCall) {
  Story story;
  std::vector<WireProxy> items = Items(1, 100);
  items[50].mutable_endpoint()->set_host("127:0:0:1:80");
  items[70].mutable_endpoint()->set_host(std::string(70'000, 'A'));

  const ImportProxiesResponse reply = story.Import(items, 0, 2000);

  EXPECT_EQ(Counts(reply), (std::vector<std::uint64_t>{98, 0, 0, 2}));
  EXPECT_EQ(reply.first_index(), 2000u);
  EXPECT_EQ(reply.rejections(0).index(), 2050u);
  EXPECT_EQ(reply.rejections(1).index(), 2070u);
}

TEST(DecideImport, TheSameListAgainChangesNothingButItsLifetime) {
  Story story;
  const ImportProxiesResponse first = story.Import(Items(1, 3));
  story.Advance(hours(1));

  const ImportProxiesResponse second = story.Import(Items(1, 3));

  EXPECT_EQ(Counts(second), (std::vector<std::uint64_t>{0, 0, 3, 0}));
  EXPECT_THAT(NamesOf(story.last()), ElementsAre("proxies_named"));
  EXPECT_EQ(ProxyRowOf(story, IdOf(2)).expires_at, story.now() + hours(24));
  EXPECT_EQ(ProxyRowOf(story, IdOf(2)).usable_until, story.now() + hours(24) - seconds(60));
  EXPECT_EQ(ProxyRowOf(story, IdOf(2)).import.value(), second.log_sequence());
  EXPECT_NE(first.log_sequence(), second.log_sequence());
}

TEST(DecideImport, TheSameDeadlineAgainIsUnchangedAndOnlyNames) {
  Story story;
  const auto fixed = [](WireProxy& item) { *item.mutable_expires_at() = Time(kStart + hours(3)); };
  story.Import({Item(1, fixed)});
  story.Advance(hours(1));

  const ImportProxiesResponse reply = story.Import({Item(1, fixed)});

  EXPECT_EQ(reply.unchanged(), 1u);
  EXPECT_TRUE(IsAbsent(EventsOf<ProxiesNamed>(story.last())[0].expires_at));
  EXPECT_EQ(ProxyRowOf(story, IdOf(1)).expires_at, kStart + hours(3));
}

TEST(DecideImport, WithAndWithoutRenewalAreTwoEvents) {
  Story story;
  const auto fixed = [](WireProxy& item) { *item.mutable_expires_at() = Time(kStart + hours(3)); };
  const std::vector<WireProxy> items = {Item(1, fixed), Item(2), Item(3, fixed), Item(4)};
  story.Import(items);
  story.Advance(hours(1));

  story.Import(items);

  const auto named = EventsOf<ProxiesNamed>(story.last());
  ASSERT_EQ(named.size(), 2u);
  EXPECT_EQ(named[0].proxies.size(), 2u);
  EXPECT_TRUE(IsAbsent(named[0].expires_at));
  EXPECT_EQ(named[1].proxies.size(), 2u);
  EXPECT_EQ(named[1].expires_at, story.now() + hours(24));
}

TEST(DecideImport, WhatDiffersIsUpdatedInPlace) {
  const std::vector<std::function<void(WireProxy&)>> edits = {
      [](WireProxy& item) { (*item.mutable_labels())["country"] = "NO"; },
      [](WireProxy& item) { item.set_zone("north"); },
      [](WireProxy& item) { item.set_source("provider-2"); },
      [](WireProxy& item) { item.set_capacity(9); },
      [](WireProxy& item) { *item.mutable_expires_at() = Time(kStart + hours(2)); },
  };
  for (std::size_t i = 0; i < edits.size(); ++i) {
    Story story;
    story.Import({Item(1)});

    const ImportProxiesResponse reply = story.Import({Item(1, edits[i])});

    EXPECT_EQ(Counts(reply), (std::vector<std::uint64_t>{0, 1, 0, 0})) << "edit " << i;
    EXPECT_THAT(NamesOf(story.last()), ElementsAre("proxy_updated")) << "edit " << i;
    EXPECT_EQ(story.state().pool().FindProxy(IdOf(1)).value(), 1u);
  }
}

TEST(DecideImport, AnUpdateReachesTheWorkerThatHoldsIt) {
  Story story;
  story.Import({Item(1)});
  Worker worker = story.Active("w1");

  story.Import({Item(1, [](WireProxy& item) { (*item.mutable_labels())["country"] = "NO"; })});
  story.Drink(worker);

  EXPECT_EQ(story.View("w1").at(IdOf(1)).spec->labels.at("country"), "NO");
  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  EXPECT_THAT(story.faults(), IsEmpty());
}

TEST(DecideImport, ASecondIdForTheSameEndpointIsADuplicate) {
  Story story;
  story.Import({Item(1)});

  const ImportProxiesResponse reply = story.Import({Item(1, [](WireProxy& item) { item.set_proxy_id("mine"); })});

  EXPECT_EQ(reply.rejections(0).reason(), admin::v1::IMPORT_REASON_DUPLICATE_ENDPOINT);
  EXPECT_THAT(reply.rejections(0).detail(), HasSubstr(IdOf(1)));
  EXPECT_EQ(story.state().pool().FindProxy("mine").value(), 0u);
}

TEST(DecideImport, AnotherSchemeOrReferenceIsNoDuplicate) {
  Story story;

  const ImportProxiesResponse reply =
      story.Import({Item(1), Socks(1), Item(1, [](WireProxy& item) { item.set_secret_ref("account-1"); })});

  EXPECT_EQ(reply.added(), 3u);
  const auto added = EventsOf<ProxyAdded>(story.last());
  EXPECT_EQ(added[0].address, added[1].address);  // one machine
  EXPECT_FALSE(added[1].new_address);
  EXPECT_NE(added[0].address, added[2].address);  // another account
}

TEST(DecideImport, OneAddressWithThousandsOfPortsIsThousandsOfProxies) {
  Story story;
  std::vector<WireProxy> items;
  for (std::uint32_t port = 20'000; port < 27'000; ++port) {
    items.push_back(Item(1, [&](WireProxy& item) { item.mutable_endpoint()->set_port(port); }));
  }
  EXPECT_EQ(story.Import(items).added(), 7000u);

  story.Remove({"http://198.18.0.1:20010"});

  EXPECT_EQ(story.state().pool().proxies().size(), 6999u);
  for (const std::string id : {"w1", "w2", "w3"}) story.Register(id);
  for (const std::string id : {"w1", "w2", "w3"}) {
    Worker worker = story.Reconnect({id, "i1", story.SessionOf(id).opened.session_id.value(), 0, 0, 0});
    story.Watch(worker);
    story.IssueDue();
    story.Ack(worker);
  }
  story.Settle();
  for (const std::string id : {"w1", "w2", "w3"}) {
    EXPECT_EQ(story.state().ownership().holder(story.Key(id)).owned.size(), 2333u) << id;
  }
}

}  // namespace
}  // namespace holdfast::testing
