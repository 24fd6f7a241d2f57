#include "session/session_machine.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace holdfast::session {
namespace {

using Kind = SessionEventKind;
using State = LifecycleState;
using std::chrono::seconds;

constexpr BootTime kStart{std::chrono::hours(1)};
constexpr Duration kTtl = seconds(15);
constexpr Duration kDrainBound = seconds(20);

SessionEvent Event(Kind kind) {
  SessionEvent event;
  event.kind = kind;
  event.session_ttl = kTtl;
  event.drain_bound = kDrainBound;
  return event;
}

// The jitter is always the least: delays are 0.8 s, 1.6 s and so on.
SessionMachine NewMachine() {
  return SessionMachine({}, [] { return std::uint64_t{0}; });
}

// What the machine did, in one word each: "state: action action".
std::string Text(const SessionMachine& machine, const std::vector<SessionAction>& actions) {
  static const std::map<SessionAction, std::string> kNames = {{SessionAction::kRegister, "register"},
                                                              {SessionAction::kBeginSession, "begin"},
                                                              {SessionAction::kStopNewWork, "stop-new-work"},
                                                              {SessionAction::kReportDrain, "report-drain"},
                                                              {SessionAction::kEndSession, "end"},
                                                              {SessionAction::kFinished, "finished"}};
  std::string text = std::string(LifecycleStateName(machine.state())) + ":";
  for (SessionAction action : actions) text += " " + kNames.at(action);
  return text;
}

// A machine brought to a place by events, all at kStart but the timer.
enum class Place { kNew, kConnecting, kHandshaking, kActive, kDraining, kLeaving, kReconnecting, kFinished };

SessionMachine At(Place place) {
  SessionMachine machine = NewMachine();
  std::vector<Kind> path;
  if (place != Place::kNew) path.push_back(Kind::kStart);
  if (place == Place::kReconnecting) path.push_back(Kind::kRegisterFailed);
  if (place == Place::kFinished) path.push_back(Kind::kStop);
  const bool in_session =
      place == Place::kHandshaking || place == Place::kActive || place == Place::kDraining || place == Place::kLeaving;
  if (in_session) path.push_back(Kind::kRegistered);
  if (in_session && place != Place::kHandshaking) path.push_back(Kind::kAckAccepted);
  if (place == Place::kDraining) path.push_back(Kind::kDrainTold);
  if (place == Place::kLeaving) path.push_back(Kind::kDrainRequested);
  for (Kind kind : path) machine.On(Event(kind), kStart);
  return machine;
}

struct Row {
  Place place;
  std::map<Kind, std::string> does;  // what is not named changes nothing: `stays`
  std::string stays;
};

const std::vector<Row>& Table() {
  static const auto& table = *new std::vector<Row>{
      {Place::kNew,
       {{Kind::kStart, "connecting: register"},
        {Kind::kRefusedForGood, "closed: stop-new-work finished"},
        {Kind::kDrainRequested, "closed: stop-new-work finished"},
        {Kind::kStop, "closed: stop-new-work finished"}},
       "connecting:"},
      {Place::kConnecting,
       {{Kind::kRegistered, "handshaking: begin"},
        {Kind::kRegisterFailed, "reconnecting:"},
        {Kind::kRefusedForGood, "closed: stop-new-work finished"},
        {Kind::kDrainRequested, "closed: stop-new-work finished"},
        {Kind::kStop, "closed: stop-new-work finished"}},
       "connecting:"},
      {Place::kHandshaking,
       {{Kind::kAckAccepted, "active:"},
        {Kind::kSessionRefused, "reconnecting: end"},
        {Kind::kClosedTold, "reconnecting: end"},
        {Kind::kDrainTold, "reconnecting: end"},
        {Kind::kRefusedForGood, "closed: stop-new-work end finished"},
        {Kind::kDrainRequested, "handshaking: stop-new-work report-drain"},
        {Kind::kStop, "closed: stop-new-work end finished"}},
       "handshaking:"},
      {Place::kActive,
       {{Kind::kSessionRefused, "reconnecting: end"},
        {Kind::kClosedTold, "reconnecting: end"},
        {Kind::kDrainTold, "draining: stop-new-work"},
        {Kind::kRefusedForGood, "closed: stop-new-work end finished"},
        {Kind::kDrainRequested, "draining: stop-new-work report-drain"},
        {Kind::kStop, "closed: stop-new-work end finished"}},
       "active:"},
      {Place::kDraining,
       {{Kind::kSessionRefused, "reconnecting: end"},
        {Kind::kClosedTold, "reconnecting: end"},
        {Kind::kRefusedForGood, "closed: stop-new-work end finished"},
        {Kind::kDrainRequested, "draining: stop-new-work report-drain"},
        {Kind::kStop, "closed: stop-new-work end finished"}},
       "draining:"},
      {Place::kLeaving,
       {{Kind::kSessionRefused, "closed: stop-new-work end finished"},
        {Kind::kClosedTold, "closed: stop-new-work end finished"},
        {Kind::kRefusedForGood, "closed: stop-new-work end finished"},
        {Kind::kStop, "closed: stop-new-work end finished"}},
       "draining:"},
      {Place::kReconnecting,
       {{Kind::kRefusedForGood, "reconnecting: stop-new-work finished"},
        {Kind::kDrainRequested, "reconnecting: stop-new-work finished"},
        {Kind::kStop, "reconnecting: stop-new-work finished"}},
       "reconnecting:"},
      {Place::kFinished, {}, "closed:"},
  };
  return table;
}

TEST(SessionMachine, EveryPairOfPlaceAndEventDoesWhatTheTableSays) {
  for (const Row& row : Table()) {
    for (Kind kind : kSessionEventKinds) {
      SessionMachine machine = At(row.place);
      const auto expected = row.does.find(kind);

      const auto actions = machine.On(Event(kind), kStart);

      EXPECT_EQ(Text(machine, actions), expected == row.does.end() ? row.stays : expected->second)
          << "from " << row.stays << " by " << SessionEventName(kind);
    }
  }
}

TEST(SessionMachine, RegistersAgainWhenTheBackoffIsOver) {
  SessionMachine machine = At(Place::kReconnecting);
  ASSERT_EQ(machine.NextDeadline(), kStart + std::chrono::milliseconds(800));

  const auto early = machine.On(Event(Kind::kTimer), *machine.NextDeadline() - Duration(1));
  const auto due = machine.On(Event(Kind::kTimer), *machine.NextDeadline());

  EXPECT_TRUE(early.empty());
  EXPECT_EQ(Text(machine, due), "connecting: register");
  EXPECT_EQ(machine.NextDeadline(), std::nullopt);
}

TEST(SessionMachine, WaitsAtLeastRetryAfter) {
  SessionMachine machine = At(Place::kConnecting);
  SessionEvent failed = Event(Kind::kRegisterFailed);
  failed.retry_after = seconds(7);

  machine.On(failed, kStart);

  EXPECT_EQ(machine.NextDeadline(), kStart + seconds(7));
}

TEST(SessionMachine, BacksOffFurtherEachTime) {
  SessionMachine machine = At(Place::kConnecting);
  std::vector<Duration> delays;
  BootTime now = kStart;

  for (int i = 0; i < 5; ++i) {
    machine.On(Event(Kind::kRegisterFailed), now);
    delays.push_back(*machine.NextDeadline() - now);
    now = *machine.NextDeadline();
    machine.On(Event(Kind::kTimer), now);
  }

  EXPECT_EQ(delays.front(), std::chrono::milliseconds(800));
  EXPECT_EQ(delays.back(), seconds(8));
  EXPECT_EQ(machine.reconnect_attempt(), 5U);
}

TEST(SessionMachine, GoesToReconnectingWhenNoCallSucceededForSessionTtl) {
  SessionMachine machine = At(Place::kActive);
  machine.On(Event(Kind::kCallSucceeded), kStart + seconds(10));
  ASSERT_EQ(machine.NextDeadline(), kStart + seconds(25));

  const auto early = machine.On(Event(Kind::kTimer), kStart + seconds(25) - Duration(1));
  const auto due = machine.On(Event(Kind::kTimer), kStart + seconds(25));

  EXPECT_TRUE(early.empty());
  EXPECT_EQ(Text(machine, due), "reconnecting: end");
}

TEST(SessionMachine, ItsOwnDrainEndsAtTheBoundWhateverTheControllerSays) {
  SessionMachine machine = At(Place::kLeaving);
  ASSERT_EQ(machine.NextDeadline(), kStart + kDrainBound);

  const auto due = machine.On(Event(Kind::kTimer), kStart + kDrainBound);

  EXPECT_EQ(Text(machine, due), "closed: stop-new-work end finished");
  EXPECT_EQ(machine.end(), SessionEnd::kDrainTimedOut);
}

TEST(SessionMachine, SaysWhyItEnded) {
  SessionMachine drained = At(Place::kLeaving);
  drained.On(Event(Kind::kClosedTold), kStart);
  SessionMachine stopped = At(Place::kActive);
  stopped.On(Event(Kind::kStop), kStart);
  SessionMachine refused = At(Place::kConnecting);
  refused.On(Event(Kind::kRefusedForGood), kStart);

  EXPECT_EQ(drained.end(), SessionEnd::kDrained);
  EXPECT_EQ(stopped.end(), SessionEnd::kStopped);
  EXPECT_EQ(refused.end(), SessionEnd::kRefusedForGood);
}

TEST(SessionMachine, ADrainOfASessionWithoutAnyWorkEndsWithItsClosing) {
  SessionMachine machine = At(Place::kHandshaking);
  machine.On(Event(Kind::kDrainRequested), kStart);

  const auto actions = machine.On(Event(Kind::kClosedTold), kStart);

  EXPECT_EQ(Text(machine, actions), "closed: stop-new-work end finished");
  EXPECT_EQ(machine.end(), SessionEnd::kDrained);
}

}  // namespace
}  // namespace holdfast::session
