// The request path of a simulated worker process, by contract.md "What a worker does": which proxy a request may
// reserve, what runs through which address, and when it is cut. It keeps its own account of real use, and tells it to
// the checker.
//
// Called by its process. Thread: one. A process that is paused carries no bytes, and looks at its clock before it does
// anything when it wakes: so cuts fall when they are due, in a pause as well.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/simulation/world/machine_clock.h"
#include "tests/simulation/world/worker_view.h"
#include "tests/simulation/world/world.h"

namespace holdfast::simulation {

class Traffic {
 public:
  struct Running {
    std::uint32_t active = 0;
    std::uint32_t reserved = 0;
    bool draining = false;
  };
  // later: runs a thing after a while, unless the process is gone by then, and not while it is paused.
  using Later = std::function<void(Micros, std::function<void()>)>;

  Traffic(World& world, const MachineClock& clock, std::string process, Later later);

  // The view that counts from now on. The closed bits that it asks for are set when this returns.
  void Take(ViewPointer view);
  void SetStaleAge(Micros stale_age) { stale_age_ = stale_age; }
  // No new request from here on: the process drains, or was told to.
  void Stop() { stopped_ = true; }
  void Go() { stopped_ = false; }

  // Somebody asks for a proxy.
  void OnRequest();
  // The process is gone.
  void Die();

  bool idle() const { return requests_.empty(); }
  std::map<std::string, Running> Counters() const;
  // Addresses that a request could begin to use at this instant.
  std::vector<std::string> Usable() const;

 private:
  // Until when, by each session's clock; log time, lapse_grace included.
  using Bounds = std::map<std::shared_ptr<const SessionClock>, std::int64_t>;
  using SlotKey = std::pair<std::string, std::string>;
  struct Slot {
    bool closed = true;
    std::uint32_t reserved = 0;
    std::uint32_t active = 0;
  };
  struct Request {
    SlotKey slot;
    ViewPointer picked_from;
    bool active = false;
  };

  static SlotKey KeyOf(const controlplane::v1::ProxyGrant& grant) {
    return {grant.proxy_id(), judge::AddressOf(grant)};
  }
  std::int64_t BootNow() const { return clock_.BootMicros(world_.time.now()); }
  bool GateIsOpen() const;
  bool MayReserve(const WorkerView& view, const controlplane::v1::ProxyGrant& grant) const;
  void Connect(std::uint64_t id);
  void Finish(std::uint64_t id);
  bool IsCut(const std::string& proxy_id) const;
  void CutWhatIsOver();
  void ScheduleCut();

  World& world_;
  const MachineClock& clock_;
  const std::string process_;
  const Later later_;
  ViewPointer view_;
  Micros stale_age_ = 0;
  std::int64_t taken_at_boot_ = 0;
  bool stopped_ = false;
  bool dead_ = false;
  std::map<SlotKey, Slot> slots_;
  std::map<std::string, Bounds> bounds_;  // by id, as the contract has it, wherever the id stands
  std::map<std::uint64_t, Request> requests_;
  std::uint64_t next_request_ = 1;
  Micros next_cut_ = 0;
  std::uint64_t cut_serial_ = 0;
};

}  // namespace holdfast::simulation
