#include "tests/simulation/run/misfortune.h"

namespace holdfast::simulation {
namespace {

constexpr Micros kHour = 3'600 * kSecond;

void BefallWorkers(Scene& scene) {
  World& world = scene.world;
  FaultPlan& faults = world.faults;
  WorkerHost& host = scene.AnyHost();
  if (faults.Strikes(Fault::kProcessCutOff)) host.current().CutOff(world.Between(kSecond, 60 * kSecond));
  if (faults.Strikes(Fault::kWorkerPaused)) host.current().Pause(world.Between(kSecond, 50 * kSecond));
  if (faults.Strikes(Fault::kWorkerMute)) host.current().BeMute(world.Between(20 * kSecond, 400 * kSecond));
  if (faults.Strikes(Fault::kWorkerCrashed)) host.Crash();
  if (faults.Strikes(Fault::kWorkerReplaced)) host.Replace();
  if (faults.Strikes(Fault::kWorkerLeaves)) host.Leave();
}

void BefallController(Scene& scene) {
  World& world = scene.world;
  FaultPlan& faults = world.faults;
  Controller& controller = scene.controller;
  if (controller.serving() && faults.Strikes(Fault::kControllerCrashed)) controller.Crash();
  if (faults.Strikes(Fault::kControllerPaused)) controller.Pause(world.Between(kSecond, 40 * kSecond));
  if (faults.Strikes(Fault::kCallsShed)) controller.Shed(world.Between(500 * kMillisecond, 6 * kSecond));
  if (faults.Strikes(Fault::kWallBack)) controller.JumpWall(-world.Between(10 * kSecond, 5 * kHour));
  if (faults.Strikes(Fault::kWallAhead)) {
    const bool far = world.random.Chance(1, 2);
    controller.JumpWall(far ? 365 * 24 * kHour : world.Between(kSecond, 2 * kHour));
  }
}

void BefallCheckers(Scene& scene) {
  using Trouble = CheckerProcess::Trouble;
  World& world = scene.world;
  FaultPlan& faults = world.faults;
  CheckerHost* host = scene.AnyChecker();
  if (host == nullptr) return;
  if (faults.Strikes(Fault::kCheckerCutOff)) host->current().CutOff(world.Between(kSecond, 40 * kSecond));
  if (faults.Strikes(Fault::kCheckerPaused)) host->current().Pause(world.Between(kSecond, 30 * kSecond));
  if (faults.Strikes(Fault::kCheckerDeaf)) host->current().BeDeaf(world.Between(2 * kSecond, 30 * kSecond));
  if (faults.Strikes(Fault::kCheckerCrashed)) host->Crash();
  if (faults.Strikes(Fault::kCheckerReplaced)) host->Replace();
  if (faults.Strikes(Fault::kCheckerLeaves)) host->Leave();
  const auto be_wrong = [&](CheckerHost& who, Trouble trouble, Micros length) {
    who.current().BeWrong(trouble, length);
  };
  const Micros length = world.Between(5 * kSecond, 60 * kSecond);
  if (faults.Strikes(Fault::kCheckerLies)) be_wrong(*host, Trouble::kLies, length);
  if (faults.Strikes(Fault::kUplinkBroken)) be_wrong(*host, Trouble::kUplinkBroken, length);
  if (faults.Strikes(Fault::kCheckerBlind)) be_wrong(*host, Trouble::kBlind, length);
  if (!faults.Strikes(Fault::kUplinksBroken)) return;
  for (const auto& each : scene.checkers) be_wrong(*each, Trouble::kUplinkBroken, length);
}

void BefallProxies(Scene& scene) {
  World& world = scene.world;
  FaultPlan& faults = world.faults;
  if (faults.Strikes(Fault::kProxyFails)) world.truth.OneFails();
  if (faults.Strikes(Fault::kProxyReturns)) world.truth.OneReturns();
  if (faults.Strikes(Fault::kManyProxiesDie)) {
    const auto percent = static_cast<std::uint64_t>(world.Between(30, 100));
    world.truth.ManyDie(percent, world.Between(5 * kSecond, 60 * kSecond));
  }
  if (faults.Strikes(Fault::kTargetsFail)) world.truth.TargetsFail(world.Between(10 * kSecond, 90 * kSecond));
}

void BefallStore(Scene& scene) {
  World& world = scene.world;
  FaultPlan& faults = world.faults;
  StoreServer& store = scene.store;
  if (store.embedded()) return;
  if (world.random.Chance(1, 40)) store.Copy();
  if (faults.Strikes(Fault::kStoreAway)) {
    const Micros longest = world.random.Chance(1, 4) ? 100 * kSecond : 10 * kSecond;
    store.BeUnreachable(world.Between(100 * kMillisecond, longest));
  }
  if (faults.Strikes(Fault::kStoreFailsOver)) store.FailOver();
  if (faults.Strikes(Fault::kStoreEmptied)) store.LoseAll();
  if (faults.Strikes(Fault::kStoreForeign)) store.BecomeForeign();
  if (faults.Strikes(Fault::kStoreAhead)) store.BecomeAhead();
  if (faults.Strikes(Fault::kStoreCallAgain)) store.RepeatCall();
  if (faults.Strikes(Fault::kStoreStaleWrite)) store.WriteStale();
}

void BefallClients(Scene& scene) {
  World& world = scene.world;
  FaultPlan& faults = world.faults;
  if (scene.clients.empty()) return;
  ClientHost& host = *scene.clients[world.random.Below(scene.clients.size())];
  if (faults.Strikes(Fault::kClientCutOff)) host.current().CutOff(world.Between(kSecond, 30 * kSecond));
  if (faults.Strikes(Fault::kClientPaused)) host.current().Pause(world.Between(kSecond, 30 * kSecond));
  if (faults.Strikes(Fault::kClientVanishes)) host.Vanish();
}

// Long enough for everything to be over, and for requests to be forgotten.
void BefallEverybody(Scene& scene) {
  if (!scene.world.faults.Strikes(Fault::kDayAsleep)) return;
  const Micros length = 24 * kHour + scene.world.Between(kSecond, kHour);
  for (const auto& host : scene.hosts) host->current().Pause(length);
  for (const auto& host : scene.checkers) host->current().Pause(length);
  for (const auto& host : scene.clients) host->current().Pause(length);
  scene.controller.StayAway(length);
  scene.world.time.RunUntil(scene.world.time.now() + length, [] { return false; });
}

}  // namespace

void Misfortune(Scene& scene) {
  BefallWorkers(scene);
  BefallController(scene);
  BefallCheckers(scene);
  BefallProxies(scene);
  BefallStore(scene);
  BefallClients(scene);
  BefallEverybody(scene);
}

}  // namespace holdfast::simulation
