#include "tests/simulation/world/operation.h"

#include <utility>

namespace holdfast::simulation {

void Scene::Send(const log::v1::Input& input, const std::string& peer, std::function<void(const CallAnswer&)> done) {
  IncomingCall call;
  call.input = input;
  call.principal = "loopback";
  call.peer = peer;
  call.respond = [this, done = std::move(done)](const CallAnswer& answer) {
    if (done) network.SendDown(operators, [done, answer] { done(answer); });
  };
  if (input.has_watch_snapshots() || input.has_watch_tasks()) {
    call.watch = std::make_shared<WatchEnds>();
    call.watch->link = &operators;
    call.watch->on_message = [](const controlplane::v1::SnapshotUpdate&) {};
    call.watch->on_task = [](const controlplane::v1::TaskUpdate&) {};
    call.watch->on_end = [](const CallEnd&) {};
    call.respond = nullptr;
  }
  network.SendUp(operators, false, [this, call] { controller.Arrive(call); });
}

void RunOne(const std::vector<Operation>& operations, Scene& scene) {
  std::uint64_t total = 0;
  for (const Operation& operation : operations) total += operation.weight;
  std::uint64_t drawn = scene.world.random.Below(total);
  for (const Operation& operation : operations) {
    if (drawn < operation.weight) {
      scene.world.checkers.reached().Count("operation", operation.name);
      return operation.run(scene);
    }
    drawn -= operation.weight;
  }
}

}  // namespace holdfast::simulation
