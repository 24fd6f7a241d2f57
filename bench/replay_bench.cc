// How fast a log is replayed: read bare, folded, and verified (every input decided again), on one log of small entries.
//
//   replay_bench [ENTRIES] [DIR]     prints entries a second, each as a share of the bare iteration
//
// Writes the log first (unsynced, in a temporary directory where none is named), which is not measured.

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <string>

#include "base/check.h"
#include "events/rocksdb_log.h"
#include "replay/block_pipeline.h"
#include "replay/log_fold.h"
#include "replay/verify_log.h"
#include "tests/replay/log_maker.h"

namespace holdfast {
namespace {

constexpr int kRounds = 3;

// Wall time, and the processor time of all threads: on a machine that others use as well, only the second is ours.
struct Cost {
  double wall_seconds = std::numeric_limits<double>::max();
  double processor_seconds = std::numeric_limits<double>::max();
};

double ProcessorSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::uint64_t ReadBare(const EventLog& log) {
  const auto reader = *log.NewReader(Sequence(0));
  std::uint64_t bytes = 0;
  while (const std::optional<StoredBlock> block = *reader->Next()) bytes += block->block.size() + block->bulk.size();
  return bytes;
}

void Fold(const EventLog& log, const replay::Environment& environment, int jobs) {
  const auto state = std::make_unique<ControllerState>();
  replay::FoldHooks hooks;
  hooks.jobs = jobs;
  HOLDFAST_CHECK(replay::FoldLog(log, environment, hooks, *state).ok());
}

void Verify(const EventLog& log, const replay::Environment& environment, int jobs) {
  const auto report = replay::VerifyLog(log, {.from = Sequence(1), .jobs = jobs}, environment);
  HOLDFAST_CHECK(report.ok() && !report->finding.has_value());
}

void Decode(const EventLog& log, int jobs) {
  replay::PipelineOptions options;
  options.jobs = jobs;
  HOLDFAST_CHECK(replay::RunPipeline(log, options, [](const replay::CheckedBlock&) { return true; }).ok());
}

// The best of some rounds.
Cost Best(const std::function<void()>& work) {
  Cost best;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const double processor = ProcessorSeconds();
    work();
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    best.wall_seconds = std::min(best.wall_seconds, wall);
    best.processor_seconds = std::min(best.processor_seconds, ProcessorSeconds() - processor);
  }
  return best;
}

void Tell(const char* what, const Cost& cost, const Cost& bare, std::uint64_t entries) {
  const auto count = static_cast<double>(entries);
  std::printf("%-34s %8.3f s %12.0f entries/s   %.3f of bare   %6.3f us of processor an entry\n", what,
              cost.wall_seconds, count / cost.wall_seconds, bare.wall_seconds / cost.wall_seconds,
              cost.processor_seconds / count * 1e6);
  std::fflush(stdout);
}

int RunAll(std::uint64_t wanted, const std::string& path) {
  {
    auto log = RocksDbLog::Open(path, {.sync = false});
    HOLDFAST_CHECK(log.ok());
    if ((*log)->Tip().value() == 0) {
      testing::LogMaker maker(**log);
      testing::WriteReports(maker, wanted);
    }
  }
  auto log = RocksDbLog::OpenReadOnly(path);
  HOLDFAST_CHECK(log.ok());
  const std::uint64_t entries = (*log)->Tip().value();
  const replay::Environment environment{
      .out = std::cout, .errors = std::cerr, .shows_progress = false, .is_interrupted = nullptr, .wait = nullptr};
  std::uint64_t bytes = 0;
  const Cost bare = Best([&] { bytes = ReadBare(**log); });
  std::printf("%llu entries, %.1f bytes each\n", static_cast<unsigned long long>(entries),
              static_cast<double>(bytes) / static_cast<double>(entries));
  Tell("bare iteration", bare, bare, entries);
  Tell("chain, hashes and decoding, 1 job", Best([&] { Decode(**log, 1); }), bare, entries);
  for (const int jobs : {1, 3}) {
    const std::string name = "folding, " + std::to_string(jobs) + (jobs == 1 ? " job" : " jobs");
    Tell(name.c_str(), Best([&] { Fold(**log, environment, jobs); }), bare, entries);
  }
  for (const int jobs : {1, 2, 3}) {
    const std::string name = "verifying, " + std::to_string(jobs) + (jobs == 1 ? " job" : " jobs");
    Tell(name.c_str(), Best([&] { Verify(**log, environment, jobs); }), bare, entries);
  }
  return 0;
}

}  // namespace
}  // namespace holdfast

int main(int argc, char** argv) {
  const std::uint64_t entries = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 500'000;
  std::string path =
      argc > 2 ? argv[2] : (std::filesystem::temp_directory_path() / "holdfast-replay-bench-XXXXXX").string();
  if (argc <= 2 && mkdtemp(path.data()) == nullptr) return 2;
  const int result = holdfast::RunAll(entries, path);
  std::error_code ignored;
  if (argc <= 2) std::filesystem::remove_all(path, ignored);
  return result;
}
