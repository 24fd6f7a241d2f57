// decide + apply + encode + commit on RocksDB, of runtime reports of 30 counters in batches as they form, beside a bare
// RocksDB synced WriteBatch of the same bytes in the same batches: ratios of interleaved pairs, medians and ranges, in
// one run.
//
// usage: commit_bench [--directory DIR] [--pairs N] [--seconds S] [--batch N]
// "As they form": the next batch is what could be decided while the last one synced, at most --batch of it.

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/rig.h"
#include "events/rocksdb_log.h"

namespace holdfast::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::string directory = "/tmp";
  int pairs = 5;
  double seconds = 3;
  std::size_t batch = 1024;
};

struct Run {
  double records_per_second = 0;
  double bytes_per_record = 0;
  double records_per_commit = 0;
  std::vector<double> commit_micros;
};

double Quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1, static_cast<std::size_t>(q * static_cast<double>(values.size())))];
}

// Commits blocks on a thread of its own, one at a time.
class Committer {
 public:
  explicit Committer(EventLog& log) : log_(log), thread_([this] { Loop(); }) {}
  ~Committer() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      done_ = true;
      wake_.notify_all();
    }
    thread_.join();
  }
  bool busy() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return block_.has_value();
  }
  void Give(SealedBlock block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    block_ = std::move(block);
    wake_.notify_all();
  }
  void WaitIdle() {
    std::unique_lock<std::mutex> lock(mutex_);
    wake_.wait(lock, [&] { return !block_; });
  }
  std::vector<double> micros;  // of each commit; read when idle
  std::size_t bytes = 0;

 private:
  void Loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return block_ || done_; });
      if (!block_) return;
      lock.unlock();
      const auto before = Clock::now();
      AppendRequest request{block_->follows,       block_->encoded.first, block_->encoded.last,
                            block_->encoded.block, block_->encoded.bulk,  &block_->ownership_periods};
      if (absl::Status status = log_.Append(request); !status.ok()) {
        std::fprintf(stderr, "commit_bench: %s\n", status.ToString().c_str());
        std::exit(2);
      }
      micros.push_back(std::chrono::duration<double, std::micro>(Clock::now() - before).count());
      bytes += block_->encoded.block.size() + block_->encoded.bulk.size();
      lock.lock();
      block_.reset();
      wake_.notify_all();
    }
  }

  EventLog& log_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::optional<SealedBlock> block_;
  bool done_ = false;
  std::thread thread_;
};

std::string FreshDirectory(const Options& options, const char* name) {
  const std::string path = options.directory + "/holdfast-commit-bench-" + name;
  std::filesystem::remove_all(path);
  return path;
}

// The commands as they come from the handlers: parsed, with their bytes.
std::vector<Command> Prepare(Rig& rig, std::size_t count) {
  std::vector<Command> commands;
  for (std::size_t i = 0; i < count; ++i) {
    commands.push_back(
        MakeCommand(rig.Report(*rig.members()[i % rig.members().size()], 30), kLoopbackPrincipal, "bench", nullptr));
  }
  return commands;
}

// The rig's own blocks are committed first, so that the log holds all that the reports stand on.
Run RunHoldfast(const Options& options, const std::string& path) {
  absl::StatusOr<std::unique_ptr<RocksDbLog>> log = RocksDbLog::Open(path);
  if (!log.ok()) {
    std::fprintf(stderr, "commit_bench: %s\n", log.status().ToString().c_str());
    std::exit(2);
  }
  Rig rig;
  rig.KeepBlocksIn(**log);
  for (int i = 0; i < 10; ++i) rig.Join("worker-" + std::to_string(i), 20'000);
  rig.Import(0, 5000, std::chrono::hours(24));
  Run run;
  Committer committer(**log);
  std::size_t records = 0, commits = 0;
  double busy = 0;
  while (busy < options.seconds) {
    std::vector<Command> commands = Prepare(rig, 4 * options.batch);
    const auto before = Clock::now();
    std::size_t in_block = 0;
    for (Command& command : commands) {
      rig.sequencer().Offer(std::move(command));
      rig.Step();
      ++records;
      if (++in_block >= options.batch) committer.WaitIdle();
      if (in_block < 16 || committer.busy()) continue;
      committer.Give(rig.TakeBlock());
      ++commits;
      in_block = 0;
    }
    committer.WaitIdle();
    if (rig.sequencer().HasBlock()) {
      committer.Give(rig.TakeBlock());
      ++commits;
      committer.WaitIdle();
    }
    busy += std::chrono::duration<double>(Clock::now() - before).count();
  }
  run.records_per_second = static_cast<double>(records) / busy;
  run.bytes_per_record = static_cast<double>(committer.bytes) / static_cast<double>(records);
  run.records_per_commit = static_cast<double>(records) / static_cast<double>(commits);
  run.commit_micros = committer.micros;
  return run;
}

// The same bytes a record, the same records a batch, as single keys of a bare database: what RocksDB alone can do.
Run RunBare(const Options& options, const std::string& path, const Run& like) {
  rocksdb::Options settings;
  settings.create_if_missing = true;
  settings.wal_bytes_per_sync = 1 << 20;
  rocksdb::DB* opened = nullptr;
  if (!rocksdb::DB::Open(settings, path, &opened).ok()) std::exit(2);
  const std::unique_ptr<rocksdb::DB> db(opened);
  const std::string value(static_cast<std::size_t>(like.bytes_per_record), 'x');
  const auto batch_records = static_cast<std::size_t>(like.records_per_commit);
  rocksdb::WriteOptions write;
  write.sync = true;
  std::uint64_t key = 0;
  Run run;
  const auto start = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - start).count() < options.seconds) {
    rocksdb::WriteBatch batch;
    for (std::size_t i = 0; i < batch_records; ++i) {
      char bytes[8];
      for (int b = 0; b < 8; ++b) bytes[b] = static_cast<char>(key >> (56 - 8 * b));
      ++key;
      if (!batch.Put(rocksdb::Slice(bytes, 8), value).ok()) std::exit(2);
    }
    const auto before = Clock::now();
    if (!db->Write(write, &batch).ok()) std::exit(2);
    run.commit_micros.push_back(std::chrono::duration<double, std::micro>(Clock::now() - before).count());
  }
  run.records_per_second = static_cast<double>(key) / std::chrono::duration<double>(Clock::now() - start).count();
  return run;
}

void Compare(const Options& options) {
  std::vector<double> ratios, commits, bare_commits;
  std::printf("runtime reports of 30 counters, %d interleaved pairs of %.1f s, batches of at most %zu as they form\n\n",
              options.pairs, options.seconds, options.batch);
  std::printf("%4s %14s %12s %10s %14s %8s\n", "pair", "holdfast rec/s", "bytes/rec", "rec/commit", "bare rec/s",
              "ratio");
  for (int pair = 0; pair < options.pairs; ++pair) {
    const Run ours = RunHoldfast(options, FreshDirectory(options, "ours"));
    const Run bare = RunBare(options, FreshDirectory(options, "bare"), ours);
    ratios.push_back(ours.records_per_second / bare.records_per_second);
    commits.insert(commits.end(), ours.commit_micros.begin(), ours.commit_micros.end());
    bare_commits.insert(bare_commits.end(), bare.commit_micros.begin(), bare.commit_micros.end());
    std::printf("%4d %14.0f %12.0f %10.0f %14.0f %8.2f\n", pair + 1, ours.records_per_second, ours.bytes_per_record,
                ours.records_per_commit, bare.records_per_second, ratios.back());
  }
  std::printf("\nshare of bare RocksDB: median %.2f, range %.2f to %.2f (aim: at least 0.6)\n", Quantile(ratios, 0.5),
              Quantile(ratios, 0), Quantile(ratios, 1));
  std::printf("a commit: p50 %.0f us, p99 %.0f us; bare: p50 %.0f us, p99 %.0f us\n", Quantile(commits, 0.5),
              Quantile(commits, 0.99), Quantile(bare_commits, 0.5), Quantile(bare_commits, 0.99));
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  holdfast::bench::Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--directory") options.directory = argv[i + 1];
    if (name == "--pairs") options.pairs = std::atoi(argv[i + 1]);
    if (name == "--seconds") options.seconds = std::atof(argv[i + 1]);
    if (name == "--batch") options.batch = static_cast<std::size_t>(std::atoi(argv[i + 1]));
  }
  holdfast::bench::Compare(options);
  return 0;
}
