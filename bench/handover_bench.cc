// What the rules themselves cost in time and in moves, by simulated time alone: how long after a worker's loss its
// proxies are given again, as a share of the bound that the rules give; how many proxies move when a worker joins or
// leaves, against the least possible. Nothing of it depends on the machine.
//
// usage: handover_bench [--proxies N] [--workers N]

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "bench/rig.h"

namespace holdfast::bench {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kPhases = 20;  // of a renewal interval, at which a worker is lost

struct Arguments {
  std::size_t proxies = 5'000;
  std::size_t workers = 10;
};

double Seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e6; }

std::string NameOf(std::size_t number) { return "worker-" + std::to_string(1'000 + number); }

class Fleet {
 public:
  explicit Fleet(const Arguments& arguments) {
    for (std::size_t i = 0; i < arguments.workers; ++i) rig_.Join(NameOf(i), 1'000'000);
    rig_.Import(0, arguments.proxies, hours(24));
    Live(minutes(1));
    rig_.Observe([this](const Event& event, const EntryPoint& point) { Note(event, point); });
  }

  // Members that are there answer and report, tick by tick.
  void Live(Duration duration) {
    constexpr Duration kTick = milliseconds(100);
    for (Duration passed{}; passed < duration; passed += kTick) {
      rig_.Step(kTick);
      rig_.Commit();
      if ((++ticks_ % 10) != 0) continue;
      for (const auto& member : rig_.members()) Report(*member);
    }
  }

  Rig& rig() { return rig_; }
  const Settings& settings() { return rig_.sequencer().state().settings(); }
  std::size_t OwnedBy(const std::string& worker) {
    const ControllerState& state = rig_.sequencer().state();
    const WorkerRow* row = state.sessions().Find(worker);
    return row == nullptr ? 0 : state.ownership().holder(row->opened.worker).granted_addresses;
  }

  std::map<AddressKey, LogTime> granted;    // last time, since they were cleared
  std::map<AddressKey, std::size_t> asked;  // for a rebalance
  LogTime owned_until;                      // the latest that was said of what lapsed

 private:
  void Report(Member& member) {
    if (member.lost || member.version == 0) return;
    rig_.Submit(rig_.Report(member, 0));
    rig_.Commit();
  }
  void Note(const Event& event, const EntryPoint& point) {
    if (const auto* grant = std::get_if<OwnershipGranted>(&event)) granted[grant->address] = point.at;
    if (const auto* lapsing = std::get_if<OwnershipLapsing>(&event)) {
      for (const LogTime until : lapsing->owned_until) owned_until = std::max(owned_until, until);
    }
    const auto* revoked = std::get_if<OwnershipRevoked>(&event);
    if (revoked == nullptr || revoked->reason != RevokeReason::kRebalance) return;
    for (const AddressKey address : revoked->addresses) ++asked[address];
  }

  Rig rig_;
  std::uint64_t ticks_ = 0;
};

// A worker falls silent, or its stream breaks as well: from then on until the last of its proxies is given again.
void PrintLoss(const Arguments& arguments, bool stream_breaks) {
  std::vector<double> taken, share;
  double bound = 0;
  for (std::size_t phase = 0; phase < kPhases; ++phase) {
    Fleet fleet(arguments);
    const Settings settings = fleet.settings();
    // Whatever was issued last, and one more update that is issued to who takes none any more.
    bound = Seconds((stream_breaks ? Duration(0) : settings.renewal_interval) + settings.snapshot_validity +
                    settings.lapse_grace);
    fleet.Live(settings.renewal_interval * static_cast<int>(phase) / static_cast<int>(kPhases));
    Member& member = *fleet.rig().members().front();
    const std::size_t owned = fleet.OwnedBy(member.worker_id);
    const LogTime lost_at = fleet.rig().now();
    member.lost = true;
    if (stream_breaks) {
      const ControllerState& state = fleet.rig().sequencer().state();
      log::v1::Input input;
      input.mutable_stream_ended()->set_worker_id(member.worker_id);
      input.mutable_stream_ended()->set_stream(state.sessions().Find(member.worker_id)->stream.value());
      fleet.rig().Submit(input);
    }
    fleet.granted.clear();
    while (fleet.granted.size() < owned) fleet.Live(seconds(1));
    LogTime last;
    for (const auto& [address, at] : fleet.granted) last = std::max(last, at);
    taken.push_back(Seconds(last - lost_at));
    share.push_back(taken.back() / bound);
  }
  std::sort(taken.begin(), taken.end());
  std::sort(share.begin(), share.end());
  std::printf(
      "loss, %-28s next grant after %.1f s (median), %.1f s (worst); of the rules' bound of %.0f s: %.2f, %.2f\n",
      stream_breaks ? "its stream breaks:" : "it falls silent:", taken[kPhases / 2], taken.back(), bound,
      share[kPhases / 2], share.back());
}

void PrintJoin(const Arguments& arguments) {
  Fleet fleet(arguments);
  const std::string joining = NameOf(arguments.workers);
  fleet.rig().Join(joining, 1'000'000);
  fleet.Live(minutes(5));
  std::size_t moves = 0;
  for (const auto& [address, times] : fleet.asked) moves += times;
  const std::size_t least = fleet.OwnedBy(joining);
  std::printf("join:  %zu proxies moved, least possible for its share %zu: %.3f\n", moves, least,
              static_cast<double>(moves) / static_cast<double>(std::max<std::size_t>(least, 1)));
}

void PrintLeave(const Arguments& arguments) {
  Fleet fleet(arguments);
  Member& member = *fleet.rig().members().front();
  const std::size_t owned = fleet.OwnedBy(member.worker_id);
  log::v1::Input drain;
  drain.mutable_drain_session()->set_kind(controlplane::v1::SESSION_KIND_WORKER);
  drain.mutable_drain_session()->set_member_id(member.worker_id);
  fleet.granted.clear();
  fleet.rig().Submit(drain);
  fleet.Live(minutes(5));
  std::size_t moves = 0;
  for (const auto& [address, times] : fleet.asked) moves += times;
  moves += fleet.granted.size();
  std::printf("leave: %zu proxies moved, least possible %zu: %.3f\n", moves, owned,
              static_cast<double>(moves) / static_cast<double>(std::max<std::size_t>(owned, 1)));
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  holdfast::bench::Arguments arguments;
  CLI::App app("Handover by simulated time: loss to next grant, and moves on a join and on a leave.");
  app.add_option("--proxies", arguments.proxies)->check(CLI::Range(100, 200'000))->capture_default_str();
  app.add_option("--workers", arguments.workers)->check(CLI::Range(2, 100))->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  std::printf("%zu workers, %zu proxies, settings as they come\n", arguments.workers, arguments.proxies);
  holdfast::bench::PrintLoss(arguments, false);
  holdfast::bench::PrintLoss(arguments, true);
  holdfast::bench::PrintJoin(arguments);
  holdfast::bench::PrintLeave(arguments);
}
