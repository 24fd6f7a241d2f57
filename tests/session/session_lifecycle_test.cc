#include "base/session_lifecycle.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

namespace holdfast {
namespace {

using State = LifecycleState;
using Event = LifecycleEvent;

// Every pair that leads somewhere; all others are refused.
const std::map<std::pair<State, Event>, State>& Table() {
  static const auto& table = *new std::map<std::pair<State, Event>, State>{
      {{State::kConnecting, Event::kConnected}, State::kHandshaking},
      {{State::kConnecting, Event::kEnded}, State::kClosed},
      {{State::kHandshaking, Event::kHandshakeDone}, State::kActive},
      {{State::kHandshaking, Event::kDrainBegun}, State::kClosed},
      {{State::kHandshaking, Event::kEnded}, State::kClosed},
      {{State::kActive, Event::kDrainBegun}, State::kDraining},
      {{State::kActive, Event::kEnded}, State::kClosed},
      {{State::kDraining, Event::kEnded}, State::kClosed},
      {{State::kClosed, Event::kReconnectBegun}, State::kReconnecting},
      {{State::kReconnecting, Event::kBackoffOver}, State::kConnecting},
  };
  return table;
}

TEST(SessionLifecycle, EveryPairOfStateAndEventIsAsTheTableSays) {
  for (State state : kLifecycleStates) {
    for (Event event : kLifecycleEvents) {
      const auto allowed = Table().find({state, event});

      const auto next = NextLifecycleState(state, event);

      const std::string pair = std::string(LifecycleStateName(state)) + ", " + std::string(LifecycleEventName(event));
      ASSERT_EQ(next.has_value(), allowed != Table().end()) << pair;
      if (next) {
        EXPECT_EQ(*next, allowed->second) << pair;
      }
    }
  }
}

TEST(SessionLifecycle, TheEdgesAreThoseOfTheTableAndNoOthers) {
  std::set<std::pair<State, State>> edges;
  for (const auto& [pair, next] : Table()) edges.emplace(pair.first, next);

  for (State from : kLifecycleStates) {
    for (State to : kLifecycleStates) {
      EXPECT_EQ(LifecycleEdgeAllowed(from, to), edges.contains({from, to}))
          << LifecycleStateName(from) << " to " << LifecycleStateName(to);
    }
  }
}

TEST(SessionLifecycle, OnlyAnActiveSessionIsGivenWork) {
  for (State state : kLifecycleStates) EXPECT_EQ(MayTakeNewWork(state), state == State::kActive);
}

TEST(SessionLifecycle, EveryStateAndEventHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (State state : kLifecycleStates) names.insert(LifecycleStateName(state));
  for (Event event : kLifecycleEvents) names.insert(LifecycleEventName(event));

  EXPECT_EQ(names.size(), kLifecycleStates.size() + kLifecycleEvents.size());
  EXPECT_FALSE(names.contains("unknown"));
}

}  // namespace
}  // namespace holdfast
