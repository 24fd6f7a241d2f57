// The shortest runs to two holders, or to a hang, that an exhaustive search over a small model found with one rule left
// out: each is run against the real rules. docs/simulation.md names the planted fault that leaves its rule out.
//
// P is Item(1), i1 and i2 are instances of w1.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/operator_inputs.h"

namespace holdfast {
namespace {

using namespace testing;
using ::testing::IsEmpty;

constexpr char kSibling[] = "socks5://198.18.0.1:8080";

admin::v1::ProxySpec Sibling() {
  return Item(1, [](auto& item) { item.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5); });
}

GrantState ShownTo(const Story& story, const std::string& worker) {
  const auto& content = story.SnapshotsOf(worker).content;
  const auto found = content.find(story.state().pool().FindProxy(IdOf(1)));
  return found == content.end() ? GrantState::kUnspecified : found->second->state;
}

// Lives on for so long: answers what is outstanding, reports what runs.
void Live(Story& story, Worker& worker, Duration duration, const std::vector<Running>& running = {}) {
  story.AdvanceInSteps(duration, seconds(1), [&] {
    if (story.SnapshotsOf(worker.id).outstanding.value() != 0) story.Ack(worker);
    story.Report(worker, running);
  });
}

// P is granted to i1, which uses it; another worker would take it.
struct Held {
  Story story;
  Worker first;

  Held() {
    story.Import(Items(1, 1));
    first = story.Active("w1");
    story.Report(first, {{IdOf(1), 1, 0}});
  }
};

// ---- two holders ----

TEST(TwoHolders, No1TakeoverProvesForAnother) {
  Held run;
  Worker second = run.story.Register("w1", "i2");
  run.story.Watch(second);
  run.story.Drink(second);
  run.story.When(Reclaim({IdOf(1)}));
  run.story.Drink(second);

  run.story.Report(second);  // truthfully nothing

  EXPECT_EQ(run.story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing) << "a report proves for its own process only";
  EXPECT_THAT(run.story.faults(), IsEmpty());
}

TEST(TwoHolders, No2DrainingThatExtendsNothing) {
  Held run;
  run.story.When(DrainWithin("w1", minutes(10)));
  run.story.Drink(run.first);
  const LogTime window = run.story.OwnedUntil(IdOf(1));

  Live(run.story, run.first, window - run.story.now() + seconds(5), {{IdOf(1), 1, 0}});

  EXPECT_EQ(ShownTo(run.story, "w1"), GrantState::kDraining);
  EXPECT_EQ(run.story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking) << "its window moves with what shows it";
}

TEST(TwoHolders, No3DrainingThatExtendsAlways) {
  Held run;
  const LogTime window = run.story.OwnedUntil(IdOf(1));
  Worker second = run.story.Register("w1", "i2");
  run.story.Watch(second);
  run.story.Drink(second);

  Live(run.story, second, window - run.story.now());
  run.story.Drink(second);

  EXPECT_EQ(ShownTo(run.story, "w1"), GrantState::kActive) << "HELD extends nothing";
}

TEST(TwoHolders, No4ForcedLapseAndARenewedView) {
  Held run;
  run.story.Import(Items(2, 2));  // so that the view goes on
  run.story.Settle();
  run.story.Drink(run.first);
  run.story.When(Reclaim({IdOf(1)}));
  run.story.Drink(run.first);
  Live(run.story, run.first, seconds(60), {{IdOf(1), 1, 0}});
  run.story.Settle();
  ASSERT_EQ(run.story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
  run.story.Drink(run.first);
  const LogTime window = run.story.OwnedUntil(IdOf(1));

  Live(run.story, run.first, window - run.story.now() - Duration(1), {{IdOf(1), 1, 0}});
  EXPECT_EQ(run.story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
  EXPECT_EQ(run.story.OwnedUntil(IdOf(1)), window) << "renewals of the view do not move what it no longer lists";
  run.story.Advance(Duration(1));
  run.story.TickOwnership();
  EXPECT_EQ(run.story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
}

TEST(TwoHolders, No5BackToAnOlderUpdate) {
  Held run;
  const std::uint64_t old = run.story.LatestVersion("w1");
  run.story.When(Reclaim({IdOf(1)}));
  run.story.Watch(run.first);
  run.story.Drink(run.first);
  run.story.Report(run.first);
  ASSERT_EQ(run.story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);

  const Checksum checksum = run.story.SnapshotsOf("w1").issued.front().checksum;
  run.story.AckWith(run.first, old, std::string(checksum.begin(), checksum.end()));

  EXPECT_NE(ReasonOf(run.story.last()), RejectReason::kUnspecified) << "what is older is never accepted again";
}

TEST(TwoHolders, No7WallClockAtAStart) {
  Held run;
  const LogTime window = run.story.OwnedUntil(IdOf(1));

  run.story.Restart(/*same_boot=*/true, seconds(2));  // by the boot-time clock, whatever the wall says

  EXPECT_EQ(run.story.OwnedUntil(IdOf(1)), window);
  run.story.TickOwnership();
  EXPECT_EQ(run.story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
}

TEST(TwoHolders, No9SessionsEndOnAnotherBoot) {
  Held run;
  const Duration left = run.story.OwnedUntil(IdOf(1)) - run.story.now();

  run.story.Restart(/*same_boot=*/false, hours(24));

  EXPECT_FALSE(run.story.SessionOf("w1").open()) << "its clock samples are void";
  EXPECT_EQ(run.story.OwnedUntil(IdOf(1)), run.story.now() + left);
}

TEST(TwoHolders, No10OldServerTimeInARepeatedAnswer) {
  Held run;
  run.story.ReportAs(run.first, 7);
  run.story.Advance(seconds(9));

  run.story.ReportAs(run.first, 7);

  const auto& reply = ReplyOf<controlplane::v1::ReportRuntimeResponse>(run.story.last());
  EXPECT_EQ(reply.server_time().seconds(), Time(run.story.now()).seconds());
}

TEST(TwoHolders, No12Siblings) {
  Story story;
  story.Import({Item(1), Sibling()});
  Worker worker = story.Active("w1");
  story.Report(worker, {{kSibling, 1, 0}});
  Worker other = story.Active("w2");
  EXPECT_THAT(story.View("w2"), IsEmpty()) << "the machine is one";
  story.When(Reclaim({IdOf(1)}));
  story.Drink(worker);

  story.Report(worker, {{kSibling, 1, 0}});

  EXPECT_EQ(story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking);
}

TEST(TwoHolders, No13RemovalForgets) {
  Held run;
  run.story.Remove({IdOf(1)});
  run.story.Import(Items(1, 1));
  run.story.Active("w2");

  EXPECT_EQ(run.story.OwnerOf(IdOf(1)), "w1");
  EXPECT_EQ(run.story.OwnershipOf(IdOf(1)), OwnershipState::kRevoking) << "a removal ends no hold";
  EXPECT_THAT(run.story.View("w2"), IsEmpty());
}

TEST(TwoHolders, No16ClonedInstanceId) {
  Held run;

  const Worker clone = run.story.Register("w1", "i1");

  EXPECT_EQ(clone.epoch, run.first.epoch + 1) << "it does not name the session before";
  Worker watching = clone;
  run.story.Watch(watching);
  run.story.Drink(watching);
  EXPECT_EQ(ShownTo(run.story, "w1"), GrantState::kHeld);
}

// ---- hangs ----

TEST(Hang, No1RevokedAndTakenAgain) {
  Held run;
  run.story.When(Eligible("w1", false));  // so that it is not granted anew afterwards
  run.story.When(Reclaim({IdOf(1)}));
  run.story.Drink(run.first);
  for (int round = 0; round < 12 && run.story.OwnershipOf(IdOf(1)) != OwnershipState::kUnowned; ++round) {
    run.story.AdvanceInSteps(seconds(16), seconds(1));  // its session expires
    run.first = run.story.Reconnect(run.first);
    run.story.Watch(run.first);
    run.story.Drink(run.first);
    EXPECT_NE(run.story.OwnershipOf(IdOf(1)), OwnershipState::kGranted);
  }
  EXPECT_EQ(run.story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
}

TEST(Hang, No2EachRegistrationRestartsTheGrace) {
  Held run;
  run.story.When(Reclaim({IdOf(1)}));
  run.story.Drink(run.first);
  const LogTime deadline = run.story.HoldOf(IdOf(1)).drain_deadline;
  while (run.story.now() < deadline) {
    run.first = run.story.Reconnect(run.first);
    run.story.Watch(run.first);
    run.story.Drink(run.first);
    Live(run.story, run.first, seconds(5), {{IdOf(1), 1, 0}});
  }

  EXPECT_EQ(run.story.OwnershipOf(IdOf(1)), OwnershipState::kLapsing);
}

TEST(Hang, No3RegistersAndWatchesAndNeverAccepts) {
  Held run;
  LogTime asked_back;
  run.story.AdvanceInSteps(minutes(5), seconds(1), [&] {
    if (!run.story.SessionOf("w1").open() || run.story.SessionOf("w1").stream.value() == 0) {
      run.first = run.story.Reconnect(run.first);
      run.story.Watch(run.first);
    }
    if (IsAbsent(asked_back) && run.story.OwnershipOf(IdOf(1)) != OwnershipState::kGranted) {
      asked_back = run.story.now();
    }
  });

  EXPECT_FALSE(IsAbsent(asked_back));
  EXPECT_EQ(run.story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned);
}

TEST(Hang, No4ASessionThatLivesWithoutAStream) {
  Held run;
  run.story.StreamEnds(run.first);
  const LogTime window = run.story.OwnedUntil(IdOf(1));

  run.story.AdvanceInSteps(window - run.story.now(), seconds(1), [&] {
    run.story.Report(run.first, {{IdOf(1), 1, 0}});
  });
  run.story.TickOwnership();

  EXPECT_TRUE(run.story.SessionOf("w1").open());
  EXPECT_EQ(run.story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned) << "once passed, always";
}

TEST(Hang, No5ANackThatArrivesAfterALaterAck) {
  Held run;
  const std::uint64_t old = run.story.LatestVersion("w1");
  run.story.Import(Items(2, 2));
  run.story.Settle();
  run.story.Ack(run.first);
  ASSERT_GT(run.story.AcceptedVersion("w1"), old);

  run.story.Nack(run.first, old);

  EXPECT_FALSE(run.story.SnapshotsOf("w1").fenced);
}

TEST(Hang, No6OutstandingOnADeadStream) {
  Held run;
  run.story.Import(Items(2, 2));
  run.story.Settle();
  ASSERT_NE(run.story.SnapshotsOf("w1").outstanding.value(), 0u);
  const std::uint64_t lost = run.story.LatestVersion("w1");

  run.story.Watch(run.first);
  run.story.IssueDue();

  EXPECT_GT(run.story.LatestVersion("w1"), lost);
  run.story.Ack(run.first);
  EXPECT_EQ(run.story.View("w1").size(), 2u);
}

TEST(Hang, No10NothingIsWrittenBetweenStartsOnOtherBoots) {
  Held run;
  log::v1::Input mark;
  mark.mutable_time_mark();
  for (int start = 0; start < 10; ++start) {
    run.story.Restart(/*same_boot=*/false, hours(1));
    run.story.Advance(seconds(5));
    run.story.When(mark);
  }
  run.story.TickOwnership();

  EXPECT_EQ(run.story.OwnershipOf(IdOf(1)), OwnershipState::kUnowned) << "what was left shrinks by what it was up";
}

}  // namespace
}  // namespace holdfast
