#include "controller/log_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/controller/checker_fixture.h"
#include "tests/controller/entry_maker.h"
#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using ::testing::ElementsAre;
using Role = LogFilter::Role;

// Numbers of 32 bits in events that are no keys.
const std::set<std::string> kPlainNumbers = {
    "rules_version", "weight",  "max_proxies", "capabilities", "protocol_version", "reconnect_attempt",
    "states",        "active",  "reserved",    "ignored",      "counted",          "port",
    "capacity",      "ports",   "routing",     "routings",     "expected_status",  "max_concurrency",
    "levels",        "running", "target",      "http_status",  "passes",           "failures",
    "counts",        "failed"};

void CollectNumbers(const Descriptor& type, std::set<const Descriptor*>& seen,
                    std::vector<const FieldDescriptor*>& out) {
  if (!seen.insert(&type).second) return;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32) out.push_back(field);
    if (field->message_type() != nullptr) CollectNumbers(*field->message_type(), seen, out);
  }
}

std::vector<std::uint64_t> Matching(LogFilter& filter, const Story& story, std::uint64_t from = 1) {
  std::vector<std::uint64_t> sequences;
  for (const LoggedEntry& logged : story.entries()) {
    if (logged.point.sequence.value() < from) continue;
    MadeEntry entry = MakeEntry(logged.input, logged.events, logged.point.sequence.value());
    entry.at = logged.point.at;
    EntryMessages messages;
    EXPECT_TRUE(ParseEntry(entry.view(), messages).ok());
    if (filter.Matches(entry.view(), messages)) sequences.push_back(entry.sequence);
  }
  return sequences;
}

std::vector<std::uint64_t> Matching(const LogFilterSettings& settings, const Story& story) {
  LogFilter filter(settings);
  return Matching(filter, story);
}

// Of the entries that hold an event of this kind.
template <class E, class F>
std::vector<std::uint64_t> EntriesWith(const Story& story, F&& wanted) {
  std::vector<std::uint64_t> sequences;
  for (const LoggedEntry& entry : story.entries()) {
    const std::vector<E> events = EventsOf<E>(entry.events);
    if (std::any_of(events.begin(), events.end(), wanted)) sequences.push_back(entry.point.sequence.value());
  }
  return sequences;
}

bool Holds(const std::vector<std::uint64_t>& sequences, std::uint64_t sequence) {
  return std::find(sequences.begin(), sequences.end(), sequence) != sequences.end();
}

std::uint64_t Last(const Story& story) { return story.entries().back().point.sequence.value(); }

TEST(LogFilter, EveryNumberOfAnEventIsAKeyThatIsKnownOrAPlainNumberThatIsListed) {
  std::set<const Descriptor*> seen;
  std::vector<const FieldDescriptor*> numbers;

  CollectNumbers(*log::v1::Events::descriptor(), seen, numbers);

  EXPECT_GT(numbers.size(), 30u);
  for (const FieldDescriptor* field : numbers) {
    const bool key = LogFilter::RoleOf(*field) != Role::kNone;
    EXPECT_NE(key, kPlainNumbers.contains(field->name())) << field->full_name();
  }
}

TEST(LogFilter, WithoutSettingsEverythingMatches) {
  Story story;
  story.Import(Items(1, 3));

  EXPECT_EQ(Matching(LogFilterSettings{}, story).size(), story.entries().size());
}

TEST(LogFilter, AProxyIsFoundByItsNameItsKeyAndItsAddressUnderEveryKeyThatItHad) {
  Story story;
  story.Import(Items(1, 2));
  const std::uint64_t imported = Last(story);
  const Worker worker = story.Active("gw-1");
  story.Remove({IdOf(1)});
  const std::uint64_t removed = Last(story);
  story.AdvanceInSteps(minutes(2), seconds(1));
  story.Import({Item(1)});
  const std::uint64_t again = Last(story);
  story.Import({Item(9)});
  const std::uint64_t other = Last(story);

  const std::vector<std::uint64_t> found =
      Matching({.proxy_id = IdOf(1), .member_id = {}, .session_id = {}, .kinds = {}}, story);

  for (const std::uint64_t sequence : {imported, removed, again}) EXPECT_TRUE(Holds(found, sequence)) << sequence;
  EXPECT_FALSE(Holds(found, other));
  // Its address was granted, lapsed and was released by entries that do not name the proxy.
  const std::string text = "198.18.0.1:8080";
  for (const std::uint64_t sequence :
       EntriesWith<OwnershipGranted>(story, [&](const auto& event) { return event.address_text == text; })) {
    EXPECT_TRUE(Holds(found, sequence)) << sequence;
  }
  const auto released =
      EntriesWith<OwnershipReleased>(story, [&](const auto& event) { return event.address_text == text; });
  ASSERT_FALSE(released.empty());
  EXPECT_TRUE(Holds(found, released.front()));
}

TEST(LogFilter, AMemberIsFoundByItsNameAndByItsKey) {
  Story story;
  story.Import(Items(1, 4));
  Worker first = story.Active("gw-1");
  Worker second = story.Active("gw-2");
  story.Report(first);
  const std::uint64_t report_of_first = Last(story);
  story.Report(second);
  const std::uint64_t report_of_second = Last(story);

  const auto found = Matching({.proxy_id = {}, .member_id = "gw-1", .session_id = {}, .kinds = {}}, story);

  EXPECT_TRUE(Holds(found, report_of_first));
  EXPECT_FALSE(Holds(found, report_of_second));
  // Updates are issued by inputs that name no worker but by its key.
  for (const std::uint64_t sequence :
       EntriesWith<SnapshotIssued>(story, [&](const auto& event) { return event.worker == story.Key("gw-1"); })) {
    EXPECT_TRUE(Holds(found, sequence)) << sequence;
  }
}

TEST(LogFilter, ASessionEndsWithItselfThoughItsWorkerGoesOn) {
  Story story;
  Worker worker = story.Active("gw-1");
  const std::string session = worker.session;
  story.Report(worker);
  const std::uint64_t report_before = Last(story);
  Worker next = story.Reconnect(worker);
  const std::uint64_t reconnect = Last(story);
  story.Watch(next);
  story.Settle();

  const auto found = Matching({.proxy_id = {}, .member_id = {}, .session_id = session, .kinds = {}}, story);

  EXPECT_TRUE(Holds(found, report_before));
  EXPECT_TRUE(Holds(found, reconnect));  // closes it
  EXPECT_EQ(found.back(), reconnect);
}

// Keys of workers and of checkers both count from 1.
TEST(LogFilter, ACheckerIsFoundByItsKeyWhichIsNotThatOfAWorker) {
  Story story(Checked());
  story.Import(Items(1, 2));
  Worker worker = story.Active("gw-1");
  Checker checker = ActiveChecker(story, "checker-1");
  Answer(story, checker, Always(Verdict::kPass));
  const std::uint64_t reported = Last(story);
  story.Report(worker);
  const std::uint64_t report_of_worker = Last(story);

  const auto found = Matching({.proxy_id = {}, .member_id = "checker-1", .session_id = {}, .kinds = {}}, story);

  EXPECT_TRUE(Holds(found, reported));
  EXPECT_FALSE(Holds(found, report_of_worker));
  // Tasks are given by inputs that name no checker but by its key.
  const auto issued = EntriesWith<CheckIssued>(story, [](const auto&) { return true; });
  ASSERT_FALSE(issued.empty());
  for (const std::uint64_t sequence : issued) EXPECT_TRUE(Holds(found, sequence)) << sequence;
}

TEST(LogFilter, ASessionOfACheckerEndsWithItself) {
  Story story(Checked());
  story.Import(Items(1, 2));
  Checker checker = ActiveChecker(story, "checker-1");
  const std::uint64_t issued = EntriesWith<CheckIssued>(story, [](const auto&) { return true; }).front();
  Checker next = ActiveChecker(story, "checker-1");
  const std::uint64_t closed = EntriesWith<CheckerClosed>(story, [](const auto&) { return true; }).front();
  Answer(story, next, Always(Verdict::kPass));

  const auto found = Matching({.proxy_id = {}, .member_id = {}, .session_id = checker.session, .kinds = {}}, story);

  EXPECT_TRUE(Holds(found, issued));
  EXPECT_EQ(found.back(), closed);
}

TEST(LogFilter, KindsAreThoseOfInputsAndEveryFilterMustMatch) {
  Story story;
  story.Import({Item(1)});
  const std::uint64_t imported = Last(story);
  story.Import({Item(2)});
  story.Remove({IdOf(1)});

  const auto found =
      Matching({.proxy_id = IdOf(1), .member_id = {}, .session_id = {}, .kinds = {"import_proxies"}}, story);

  EXPECT_THAT(found, ElementsAre(imported));
  EXPECT_TRUE(IsInputKind("register_worker"));
  EXPECT_TRUE(IsInputKind("dropped"));
  EXPECT_FALSE(IsInputKind("session_opened"));
}

TEST(LogFilter, SeededFromTheStateItKnowsKeysThatWereAssignedBeforeItsFirstEntry) {
  Story story;
  story.Import(Items(1, 2));
  Worker worker = story.Active("gw-1");
  const std::uint64_t begin = Last(story) + 1;
  story.Report(worker, {{IdOf(1), 1, 0}});
  const std::uint64_t report = Last(story);

  for (const LogFilterSettings& settings :
       {LogFilterSettings{IdOf(1), {}, {}, {}}, LogFilterSettings{{}, "gw-1", {}, {}},
        LogFilterSettings{{}, {}, worker.session, {}}}) {
    LogFilter filter(settings);
    filter.Seed(story.state());

    EXPECT_TRUE(Holds(Matching(filter, story, begin), report));
  }
}

TEST(LogFilter, SeededFromTheStateItKnowsCheckersToo) {
  Story story(Checked());
  story.Import(Items(1, 2));
  Checker checker = ActiveChecker(story, "checker-1");
  const std::uint64_t begin = Last(story) + 1;
  story.AdvanceInSteps(seconds(12), seconds(1));
  const std::uint64_t expired = EntriesWith<CheckExpired>(story, [](const auto&) { return true; }).front();

  for (const LogFilterSettings& settings :
       {LogFilterSettings{{}, "checker-1", {}, {}}, LogFilterSettings{{}, {}, checker.session, {}}}) {
    LogFilter filter(settings);
    filter.Seed(story.state());

    EXPECT_TRUE(Holds(Matching(filter, story, begin), expired));
  }
}

}  // namespace
}  // namespace holdfast::testing
