#include <gtest/gtest.h>

#include <map>

#include "client/outcome_queue.h"
#include "client/reject_reaction.h"
#include "tests/client/wire_builders.h"

namespace holdfast::client {
namespace {

wire::Outcome OutcomeOf(const std::string& id, bool success) {
  wire::Outcome outcome;
  outcome.set_proxy_id(id);
  outcome.set_error(success ? wire::OUTCOME_ERROR_NONE : wire::OUTCOME_ERROR_TIMEOUT);
  return outcome;
}

std::vector<std::string> Ids(const std::vector<wire::Outcome>& outcomes) {
  std::vector<std::string> ids;
  for (const wire::Outcome& outcome : outcomes) ids.push_back(outcome.proxy_id());
  return ids;
}

TEST(OutcomeQueue, FullItDropsSuccessesBeforeFailuresAndCounts) {
  OutcomeQueue queue(3);
  queue.Push(OutcomeOf("success-1", true));
  queue.Push(OutcomeOf("failure-1", false));
  queue.Push(OutcomeOf("success-2", true));

  queue.Push(OutcomeOf("success-3", true));
  queue.Push(OutcomeOf("failure-2", false));
  queue.Push(OutcomeOf("failure-3", false));
  queue.Push(OutcomeOf("failure-4", false));

  EXPECT_EQ(Ids(queue.Take(10)), (std::vector<std::string>{"failure-1", "failure-2", "failure-3"}));
  EXPECT_EQ(queue.dropped(), 4U);
  queue.ResetDropped();
  EXPECT_EQ(queue.dropped(), 0U);
}

TEST(OutcomeQueue, GivesAtMostWhatIsAskedFor) {
  OutcomeQueue queue;
  for (int i = 0; i < 5; ++i) queue.Push(OutcomeOf(std::to_string(i), true));

  EXPECT_EQ(Ids(queue.Take(2)), (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(queue.Take(100).size(), 3U);
  EXPECT_TRUE(queue.Take(100).empty());
}

// The contract's table, reason by reason.
const std::map<int, Reaction>& Reactions() {
  static const auto& reactions = *new std::map<int, Reaction>{
      {wire::REJECT_REASON_UNSPECIFIED, Reaction::kRetry},
      {wire::REJECT_REASON_MALFORMED, Reaction::kMend},
      {wire::REJECT_REASON_PROTOCOL_VERSION, Reaction::kStop},
      {wire::REJECT_REASON_IDENTITY_MISMATCH, Reaction::kStop},
      {wire::REJECT_REASON_SESSION_UNKNOWN, Reaction::kRegisterAnew},
      {wire::REJECT_REASON_SESSION_SUPERSEDED, Reaction::kRegisterAnew},
      {wire::REJECT_REASON_SESSION_EXPIRED, Reaction::kRegisterAnew},
      {wire::REJECT_REASON_SESSION_CLOSED, Reaction::kRegisterAnew},
      {wire::REJECT_REASON_EPOCH_STALE, Reaction::kRegisterAnew},
      {wire::REJECT_REASON_EPOCH_AHEAD, Reaction::kRegisterAnew},
      {wire::REJECT_REASON_REFERENCE_NOT_ISSUED, Reaction::kWatchAgain},
      {wire::REJECT_REASON_REFERENCE_SUPERSEDED, Reaction::kWatchAgain},
      {wire::REJECT_REASON_CHECKSUM_MISMATCH, Reaction::kWatchAgain},
      {wire::REJECT_REASON_RUNTIME_FENCED, Reaction::kWatchAgain},
      {wire::REJECT_REASON_VERSION_NOT_ACKNOWLEDGED, Reaction::kWatchAgain},
      {wire::REJECT_REASON_SEQUENCE_REGRESSED, Reaction::kNewNumber},
      {wire::REJECT_REASON_SEQUENCE_CONFLICT, Reaction::kNewNumber},
      {wire::REJECT_REASON_SNAPSHOT_EXPIRED, Reaction::kWatchAgain},
      {wire::REJECT_REASON_LIMIT_EXCEEDED, Reaction::kSendLess},
      {wire::REJECT_REASON_OVERLOADED, Reaction::kWait},
      {wire::REJECT_REASON_NOT_LEADER, Reaction::kWait},
      {wire::REJECT_REASON_DRAINING, Reaction::kWait},
      {wire::REJECT_REASON_TASK_UNKNOWN, Reaction::kNothing},
      {wire::REJECT_REASON_POOL_UNAVAILABLE, Reaction::kWait},
      {wire::REJECT_REASON_NOT_FOUND, Reaction::kNothing},
      {wire::REJECT_REASON_NOT_ENOUGH_PROXIES, Reaction::kWait},
      {wire::REJECT_REASON_REQUEST_CONFLICT, Reaction::kNewNumber},
      {wire::REJECT_REASON_NO_LONGER_KEPT, Reaction::kNothing},
      {wire::REJECT_REASON_NOT_READY, Reaction::kWait},
      {wire::REJECT_REASON_STREAM_REPLACED, Reaction::kWatchAgain},
      {wire::REJECT_REASON_ACK_TIMEOUT, Reaction::kWatchAgain},
      {wire::REJECT_REASON_SLOW_READER, Reaction::kWatchAgain},
      {wire::REJECT_REASON_FAILED_CONDITION, Reaction::kStop},
      {wire::REJECT_REASON_SHUTTING_DOWN, Reaction::kWait},
  };
  return reactions;
}

TEST(ReactionTo, EveryReasonOfTheWireHasTheReactionOfTheTable) {
  const auto* reasons = wire::RejectReason_descriptor();
  for (int i = 0; i < reasons->value_count(); ++i) {
    const int number = reasons->value(i)->number();
    ASSERT_TRUE(Reactions().contains(number)) << reasons->value(i)->name() << " is not in this test's table";

    const Reaction reaction = ReactionTo(Failure(static_cast<wire::RejectReason>(number)));

    EXPECT_EQ(reaction, Reactions().at(number)) << reasons->value(i)->name();
  }
}

TEST(ReactionTo, WithoutAnyDetailItIsTheNetworksFault) {
  EXPECT_EQ(ReactionTo(Unreachable()), Reaction::kRetry);
  EXPECT_EQ(ReactionTo({.code = absl::StatusCode::kFailedPrecondition, .message = ""}), Reaction::kRetry);
}

TEST(RetryAfter, IsWhatTheAnswerSaysOrNothing) {
  EXPECT_EQ(RetryAfter(Refusal(absl::StatusCode::kResourceExhausted, wire::REJECT_REASON_OVERLOADED, 3)),
            std::chrono::seconds(3));
  EXPECT_EQ(RetryAfter(Failure(wire::REJECT_REASON_MALFORMED)), std::nullopt);
  EXPECT_EQ(RetryAfter(Unreachable()), std::nullopt);
}

// google.rpc.Status, written by hand: it is not generated here.
std::string Field(int number, const std::string& bytes) {
  std::string text(1, static_cast<char>(number << 3 | 2));
  text += static_cast<char>(bytes.size());
  return text + bytes;
}

TEST(ParseErrorDetail, FindsTheDetailAmongOthers) {
  wire::ErrorDetail detail;
  detail.set_reason(wire::REJECT_REASON_EPOCH_STALE);
  detail.set_field("ownership_epoch");
  const std::string other = Field(1, "type.googleapis.com/google.rpc.DebugInfo") + Field(2, "anything");
  const std::string ours =
      Field(1, "type.googleapis.com/controlplane.v1.ErrorDetail") + Field(2, detail.SerializeAsString());
  const std::string code = "\x08\x09";
  const std::string status = code + Field(2, "the message") + Field(3, other) + Field(3, ours);

  const auto parsed = ParseErrorDetail(status);

  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->reason(), wire::REJECT_REASON_EPOCH_STALE);
  EXPECT_EQ(parsed->field(), "ownership_epoch");
}

TEST(ParseErrorDetail, GivesNothingForBytesThatAreNoStatus) {
  const std::string whole = Field(3, Field(1, "type.googleapis.com/controlplane.v1.ErrorDetail") +
                                         Field(2, wire::ErrorDetail().SerializeAsString()));
  ASSERT_TRUE(ParseErrorDetail(whole));

  EXPECT_FALSE(ParseErrorDetail(""));
  EXPECT_FALSE(ParseErrorDetail("\xff\xff\xff"));
  for (std::size_t length = 1; length < whole.size(); ++length) {
    EXPECT_FALSE(ParseErrorDetail(whole.substr(0, length))) << length;
  }
}

}  // namespace
}  // namespace holdfast::client
