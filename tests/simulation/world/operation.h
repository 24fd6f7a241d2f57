// What operators do to a simulated world, and what callers do that no good worker does: a table of operations, each
// with a weight and the capability that it asks of the rules.
//
// An operation is a name and a function; it sends calls through the Caller and forgets them. To add one: a function and
// a row in a table (operations_*.cc); docs/simulation.md. Thread: one.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/world/checker_host.h"
#include "tests/simulation/world/client_host.h"
#include "tests/simulation/world/controller.h"
#include "tests/simulation/world/store_server.h"
#include "tests/simulation/world/worker_host.h"

namespace holdfast::simulation {

// Who operates, and why, in the log's words.
inline constexpr char kOperator[] = "operator";
inline constexpr char kReason[] = "simulated";
inline constexpr char kRogue[] = "rogue";  // a caller that no good member is

// Everything that an operation may touch.
struct Scene {
  World& world;
  Network& network;
  Controller& controller;
  std::vector<std::unique_ptr<WorkerHost>>& hosts;
  std::vector<std::unique_ptr<CheckerHost>>& checkers;  // none in some worlds
  std::vector<std::unique_ptr<ClientHost>>& clients;    // none in some worlds
  StoreServer& store;
  Link operators;  // they sit elsewhere
  // What was seen of sessions that may be over by now, to be used again too late.
  struct Sighting {
    std::string worker_id, session_id;
    std::uint64_t epoch = 0, version = 0;
    std::string checksum;
  };
  std::vector<Sighting> sightings;
  std::vector<std::pair<std::string, std::string>> checker_sightings;  // checker id, session id
  std::uint64_t strangers = 0;

  WorkerHost& AnyHost() { return *hosts[world.random.Below(hosts.size())]; }
  // nullptr: there is none.
  CheckerHost* AnyChecker() { return checkers.empty() ? nullptr : checkers[world.random.Below(checkers.size())].get(); }
  // Sends a call that nobody waits for, or whose answer goes to `done`.
  void Send(const log::v1::Input& input, const std::string& peer,
            std::function<void(const CallAnswer&)> done = nullptr);
};

struct Operation {
  std::string name;
  std::uint32_t weight = 0;
  std::function<void(Scene&)> run;
};

std::vector<Operation> PoolOperations();
std::vector<Operation> RogueOperations();
std::vector<Operation> MemberOperations();
std::vector<Operation> CheckerOperations();
std::vector<Operation> RogueCheckerOperations();
std::vector<Operation> ClientOperations();

// What operators do at rest as well. subject: of the alarm.
void SendClearFreeze(Scene& scene, const std::string& subject);
void SendAdoptPool(Scene& scene);
void SendUncordonChecker(Scene& scene, const std::string& checker_id);

// One of them by its weight; counted in what was reached.
void RunOne(const std::vector<Operation>& operations, Scene& scene);

}  // namespace holdfast::simulation
