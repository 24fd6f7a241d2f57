// What a decision costs as the pool grows: a report, a grant and a tick at 10,000, 100,000 and 1,000,000 proxies. What
// each of them changes is the same at every size, so the cost must be as well; scripts/bench prints the ratios.

#include <benchmark/benchmark.h>

#include <chrono>
#include <map>
#include <memory>

#include "bench/rig.h"

namespace holdfast::bench {
namespace {

constexpr std::size_t kWorkers = 10;
constexpr std::size_t kOwned = 5000;       // by all of them together, at every size
constexpr std::size_t kFresh = 1'300'000;  // the first of those that come and go: on hosts of their own
constexpr Duration kShortLife = std::chrono::milliseconds(10);
constexpr Duration kLongLife = std::chrono::hours(24);

Settings ShortWindows() {
  Settings settings = Trusting();
  settings.session_ttl = std::chrono::hours(1);
  settings.snapshot_validity = std::chrono::hours(24);
  settings.allocation_safety_margin = Duration(0);
  settings.lapse_grace = Duration(0);
  return settings;
}

// One pool a size, built once: some owned proxies, and the rest for workers that resolve secrets, of which there are
// none.
Rig& PoolOf(std::size_t proxies) {
  static std::map<std::size_t, std::unique_ptr<Rig>> rigs;
  std::unique_ptr<Rig>& rig = rigs[proxies];
  if (rig) return *rig;
  rig = std::make_unique<Rig>(ShortWindows());
  for (std::size_t i = 0; i < kWorkers; ++i) rig->Join("worker-" + std::to_string(i), 20'000);
  rig->Import(0, kOwned, kLongLife);
  rig->Import(kOwned, proxies - kOwned, kLongLife, true);
  rig->Commit();
  return *rig;
}

// Times one step of the sequencer: decide, apply, encode, hash.
void TimeStep(benchmark::State& state, Rig& rig, Duration passed) {
  const auto before = std::chrono::steady_clock::now();
  rig.Step(passed);
  state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count());
}

// Reports with 30 counters, half of which have changed.
void BM_Report(benchmark::State& state) {
  Rig& rig = PoolOf(static_cast<std::size_t>(state.range(0)));
  std::size_t turn = 0;
  for (auto _ : state) {
    const log::v1::Input input = rig.Report(*rig.members()[turn++ % kWorkers], 30);
    rig.sequencer().Offer(MakeCommand(input, kLoopbackPrincipal, "bench", nullptr));
    TimeStep(state, rig, Duration(0));
    if (turn % 256 == 0) rig.Commit();
  }
  rig.Commit();
}

// A proxy is imported and granted to the worker that carries least.
void BM_Grant(benchmark::State& state) {
  Rig& rig = PoolOf(static_cast<std::size_t>(state.range(0)));
  static std::size_t fresh = kFresh;
  for (auto _ : state) {
    rig.sequencer().Offer(
        MakeCommand(rig.ImportInput(fresh++, 1, kShortLife, false), kLoopbackPrincipal, "bench", nullptr));
    TimeStep(state, rig, Duration(0));
    rig.Commit();
    state.PauseTiming();
    rig.Step(kShortLife);
    rig.Commit();
    state.ResumeTiming();
  }
}

// A granted proxy runs out: it is asked back, expires, its window ends, it is released and forgotten.
void BM_Tick(benchmark::State& state) {
  Rig& rig = PoolOf(static_cast<std::size_t>(state.range(0)));
  static std::size_t fresh = kFresh + 600'000;
  for (auto _ : state) {
    rig.Import(fresh++, 1, kShortLife);
    TimeStep(state, rig, kShortLife);
    rig.Commit();
  }
}

BENCHMARK(BM_Report)->Arg(10'000)->Arg(100'000)->Arg(1'000'000)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_Grant)->Arg(10'000)->Arg(100'000)->Arg(1'000'000)->UseManualTime()->Iterations(5000)->Unit(
    benchmark::kMicrosecond);
BENCHMARK(BM_Tick)->Arg(10'000)->Arg(100'000)->Arg(1'000'000)->UseManualTime()->Iterations(5000)->Unit(
    benchmark::kMicrosecond);

}  // namespace
}  // namespace holdfast::bench

BENCHMARK_MAIN();
