// Walks the reasons of rejection: each is either given by a rule or check of these calls, and then a test here sees it
// given, or it belongs to another call or layer, and the table says to which.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "controlplane/v1/types.pb.h"

namespace holdfast::testing {
namespace {

struct Cover {
  std::string test;       // "Suite.Name" of the test that sees it given
  std::string elsewhere;  // or: who gives it
};

// By the name of the generated value without its prefix.
const std::map<std::string, Cover>& Covers() {
  static const std::map<std::string, Cover> kCovers = {
      {"MALFORMED", {"Validate.ARegistrationSaysWhichFieldIsMalformed", ""}},
      {"PROTOCOL_VERSION", {"DecideRegister.VersionsThatDoNotOverlapAreRefusedWithTheRange", ""}},
      {"SESSION_UNKNOWN", {"DecideCalls.ASessionNeverSeenIsUnknown", ""}},
      {"SESSION_SUPERSEDED", {"DecideCalls.ALateReportOfASupersededSessionIsRefusedAndTouchesNothing", ""}},
      {"SESSION_EXPIRED", {"DecideCalls.AReapedSessionIsNeverRevived", ""}},
      {"SESSION_CLOSED", {"DecideCalls.ADrainedSessionIsClosed", ""}},
      {"EPOCH_STALE", {"DecideCalls.AnEpochBelowTheCurrentOneIsStale", ""}},
      {"EPOCH_AHEAD", {"DecideCalls.AnEpochAboveTheCurrentOneIsAhead", ""}},
      {"REFERENCE_NOT_ISSUED", {"DecideAcknowledge.AVersionNeverIssuedToTheSessionIsRefused", ""}},
      {"REFERENCE_SUPERSEDED", {"DecideAcknowledge.WhatIsOlderThanTheAcceptedOneIsSuperseded", ""}},
      {"CHECKSUM_MISMATCH", {"DecideAcknowledge.AnotherChecksumThanTheIssuedOneIsAMismatch", ""}},
      {"RUNTIME_FENCED", {"DecideRuntime.BehindTheFenceAReportOnlyShowsThatTheWorkerIsAlive", ""}},
      {"VERSION_NOT_ACKNOWLEDGED", {"DecideRuntime.BeforeTheFirstAckNoReportCounts", ""}},
      {"SEQUENCE_REGRESSED", {"DecideRuntime.ALowerSequenceIsRefused", ""}},
      {"SEQUENCE_CONFLICT", {"DecideRuntime.TheSameSequenceWithOtherContentIsAConflict", ""}},
      {"SNAPSHOT_EXPIRED", {"DecideAcknowledge.AfterItsEndAnUpdateIsNotAccepted", ""}},
      {"LIMIT_EXCEEDED", {"Validate.CountersOverTheBoundAreOverTheLimit", ""}},
      {"FAILED_CONDITION", {"DecideRoutings.AnotherRevisionThanExpectedIsAFailedCondition", ""}},
      {"STREAM_REPLACED", {"DecideWatch.ASecondStreamReplacesTheFirst", ""}},
      {"ACK_TIMEOUT", {"DecideIssue.AnAnswerThatDoesNotComeEndsTheStream", ""}},

      {"UNSPECIFIED", {"", "no rejection"}},
      {"IDENTITY_MISMATCH", {"", "the transport: needs the certificate of the caller"}},
      {"OVERLOADED", {"", "the server's queue, before anything is decided"}},
      {"SLOW_READER", {"", "the server's streams: a reader whose buffer is full"}},
      {"NOT_READY", {"DecideExtract.DuringAWaitNothingIsReadyAndTheClientHearsForHowLong", ""}},
      {"SHUTTING_DOWN", {"", "the server on its way out"}},
      {"NO_LONGER_KEPT", {"", "reads of the log"}},
      {"NOT_FOUND", {"DecideRelease.OfAnotherClientsExtractionNothingIsReleased", ""}},
      {"NOT_LEADER", {"", "a replicated log"}},
      {"DRAINING", {"", "the framed link"}},
      {"TASK_UNKNOWN", {"", "the framed link"}},
      {"POOL_UNAVAILABLE", {"DecideExtract.WhileItsIntentIsOpenARequestIsUnavailable", ""}},
      {"NOT_ENOUGH_PROXIES", {"DecideExtract.AllOrNothingIsRefusedWithHowManyThereAre", ""}},
      {"REQUEST_CONFLICT", {"DecideExtract.TheSameRequestWithOtherContentIsAConflict", ""}},
  };
  return kCovers;
}

// "REFERENCE_NOT_ISSUED" as the vocabulary spells it: "kReferenceNotIssued".
std::string Enumerator(const std::string& name) {
  std::string text = "k";
  bool upper = true;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
      continue;
    }
    text.push_back(upper ? c : static_cast<char>(c - 'A' + 'a'));
    upper = false;
  }
  return text;
}

std::string AllSources() {
  std::ostringstream text;
  for (const auto& file : std::filesystem::directory_iterator(HOLDFAST_SOURCE_DIR "/tests/controller")) {
    if (file.path().extension() == ".cc") text << std::ifstream(file.path()).rdbuf();
  }
  return text.str();
}

// The source of one test, from its head to the head of the next.
std::string BodyOf(const std::string& sources, const std::string& test) {
  const std::size_t dot = test.find('.');
  const std::string head = "TEST(" + test.substr(0, dot) + ", " + test.substr(dot + 1) + ")";
  const std::size_t begin = sources.find(head);
  if (begin == std::string::npos) return "";
  return sources.substr(begin, sources.find("\nTEST(", begin) - begin);
}

TEST(RejectReasons, EachIsSeenGivenByATestOrBelongsElsewhere) {
  const google::protobuf::EnumDescriptor& type = *controlplane::v1::RejectReason_descriptor();
  const std::string sources = AllSources();
  for (int i = 0; i < type.value_count(); ++i) {
    const std::string name = type.value(i)->name().substr(std::string("REJECT_REASON_").size());

    const auto cover = Covers().find(name);
    ASSERT_NE(cover, Covers().end()) << name << " is new: say which test sees it given, or who gives it";
    if (!cover->second.elsewhere.empty()) continue;
    const std::string body = BodyOf(sources, cover->second.test);
    EXPECT_FALSE(body.empty()) << name << ": there is no test " << cover->second.test;
    const bool names_it = body.find("RejectReason::" + Enumerator(name)) != std::string::npos;
    const bool checks_fields = body.find("ExpectMalformed") != std::string::npos;  // which looks for that one reason
    EXPECT_TRUE(names_it || (name == "MALFORMED" && checks_fields))
        << cover->second.test << " does not look for " << name;
  }
}

TEST(RejectReasons, EveryTestOfTheTableIsPartOfThisProgram) {
  std::map<std::string, bool> tests;
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      tests[std::string(suite.name()) + "." + suite.GetTestInfo(j)->name()] = true;
    }
  }

  for (const auto& [name, cover] : Covers()) {
    if (!cover.elsewhere.empty()) continue;
    EXPECT_TRUE(tests.contains(cover.test)) << name << ": " << cover.test;
  }
}

}  // namespace
}  // namespace holdfast::testing
