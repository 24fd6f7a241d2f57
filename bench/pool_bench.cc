// Extractions a second of the pool store, embedded and in Redis, beside a bare script that does just the move on the
// same Redis: interleaved pairs, ratios, medians and ranges, in one run; with appendfsync always, and in memory alone,
// where the disk does not count. Then rows a second of pipelined batches and of a resync, and Redis' memory for a
// proxy.
//
// usage: pool_bench [--proxies N] [--extractions N] [--pairs N]
//
// One thread, one call in flight, over a unix socket; the redis-server is a process beside it. Each proxy has an
// address of its own: two rows.

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "pool/batch_parts.h"
#include "pool/embedded_store.h"
#include "pool/redis_store.h"
#include "tests/pool/redis_server.h"
#include "tests/pool/sample_pool.h"

namespace holdfast::bench {
namespace {

using namespace pool;
using pool::testing::kPatience;
using pool::testing::RedisServer;
using Clock = std::chrono::steady_clock;

struct Options {
  int proxies = 100'000;
  int extractions = 3'000;
  int pairs = 5;
};

constexpr char kBareScript[] = R"lua(
local moved = {}
for i = 2, #KEYS do
  if redis.call('ZREM', KEYS[1], ARGV[i - 1]) == 1 then
    redis.call('HSET', KEYS[i], 'state', 'extracted')
    moved[#moved + 1] = ARGV[i - 1]
  end
end
return moved)lua";

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "pool_bench: %s\n", what.c_str());
  std::exit(2);
}

template <class T>
T Take(absl::StatusOr<T> result) {
  if (!result.ok()) Fail(result.status().ToString());
  return *std::move(result);
}

double Seconds(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string Range(const std::vector<double>& values) {
  char text[64];
  std::snprintf(text, sizeof text, "median %.2f, range %.2f to %.2f", Median(values),
                *std::min_element(values.begin(), values.end()), *std::max_element(values.begin(), values.end()));
  return text;
}

// Names of any number of addresses.
std::string AddressName(int number) {
  return "198." + std::to_string(number >> 16 & 255) + "." + std::to_string(number >> 8 & 255) + "." +
         std::to_string(number & 255) + ":8080";
}

std::vector<Write> MakeRows(int first, int count, std::uint64_t sequence) {
  std::vector<Write> rows;
  for (int i = first; i < first + count; ++i) {
    rows.push_back(
        AddressWrite{.row = pool::testing::Unowned(AddressName(i), Sequence(sequence)), .previous_owner = ""});
    rows.push_back(pool::testing::Proxy("socks5h://" + AddressName(i), AddressName(i)));
  }
  return rows;
}

struct Filled {
  double clear_seconds = 0, write_seconds = 0;
};

// Empties the store and gives it `proxies` of them.
Filled Fill(PoolStore& store, const pool::testing::Projector& projector, int proxies, std::uint64_t applied) {
  constexpr int kSlice = 5'000;
  Filled filled;
  if (Take(store.BeginResync(projector.Start(), kPatience)).verdict != Verdict::kDone) Fail("no resync");
  filled.clear_seconds = Seconds([&] {
    while (!Take(store.ClearSome(kPatience)).finished) {
    }
  });
  for (int first = 0; first < proxies; first += kSlice) {
    const std::vector<Write> rows = MakeRows(first, std::min(kSlice, proxies - first), applied);
    filled.write_seconds += Seconds([&] { Take(store.WriteResync(rows, kPatience)); });
  }
  Take(store.FinishResync(Sequence(applied), kPatience));
  return filled;
}

// Extractions a second of `count` addresses each.
double RunExtractions(PoolStore& store, const Options& options, int count) {
  pool::testing::Projector projector(store);
  Fill(store, projector, options.extractions * count, 10);
  projector.applied = 10;
  const double seconds = Seconds([&] {
    for (int i = 0; i < options.extractions; ++i) {
      std::vector<Candidate> candidates;
      for (int k = i * count; k < (i + 1) * count; ++k) candidates.push_back({AddressName(k), {"proxy"}});
      const auto result = projector.Extract(
          projector.NextExtract("e" + std::to_string(i), std::move(candidates), static_cast<std::uint32_t>(count)));
      if (result.moved.size() != static_cast<std::size_t>(count)) Fail("an extraction moved too little");
    }
  });
  return options.extractions / seconds;
}

double RunBare(RedisConnection& connection, const BootClock& clock, PoolStore& store, const Options& options,
               int count) {
  Fill(store, pool::testing::Projector(store), options.extractions * count, 10);
  const RedisCommand load[] = {{"SCRIPT", "LOAD", kBareScript}};
  const std::string sha1 = Take(connection.Run(load, Deadline(clock, kPatience)))[0].text;
  const double seconds = Seconds([&] {
    for (int i = 0; i < options.extractions; ++i) {
      RedisCommand call = {"EVALSHA", sha1, std::to_string(count + 1), "{holdfast}available"};
      for (int k = i * count; k < (i + 1) * count; ++k) call.push_back("{holdfast}address:" + AddressName(k));
      for (int k = i * count; k < (i + 1) * count; ++k) call.push_back(AddressName(k));
      const RedisCommand calls[] = {std::move(call)};
      const auto replies = Take(connection.Run(calls, Deadline(clock, kPatience)));
      if (replies[0].elements.size() != static_cast<std::size_t>(count)) Fail("the bare script moved too little");
    }
  });
  return options.extractions / seconds;
}

void BenchExtractions(RedisServer& server, PoolStore& redis, const BootClock& clock, const Options& options) {
  const auto connection = Take(RedisConnection::Open(server.address(), Deadline(clock, kPatience)));
  for (const int count : {1, 10}) {
    std::vector<double> ratios, redis_rates, bare_rates, embedded_rates;
    for (int pair = 0; pair < options.pairs; ++pair) {
      EmbeddedStore embedded(clock);
      embedded_rates.push_back(RunExtractions(embedded, options, count));
      redis_rates.push_back(RunExtractions(redis, options, count));
      bare_rates.push_back(RunBare(*connection, clock, redis, options, count));
      ratios.push_back(redis_rates.back() / bare_rates.back());
    }
    std::printf("%2d addresses: embedded %.0f/s; Redis %.0f/s; bare script %.0f/s; share of the bare script: %s\n",
                count, Median(embedded_rates), Median(redis_rates), Median(bare_rates), Range(ratios).c_str());
  }
}

double RunBatches(PoolStore& store, const Options& options) {
  pool::testing::Projector projector(store);
  Fill(store, projector, 0, 10);
  projector.applied = 10;
  std::vector<Batch> batches;
  for (int first = 0; first < options.proxies; first += 200) {
    batches.push_back(projector.NextBatch(MakeRows(first, std::min(200, options.proxies - first), 11)));
    ++projector.applied;
  }
  const double seconds = Seconds([&] {
    const ApplyResult result = Take(store.Apply(batches, 10 * kPatience));
    if (result.finished != batches.size()) Fail("a batch was refused");
  });
  return 2 * options.proxies / seconds;
}

void BenchRows(const std::string& name, PoolStore& store, const Options& options) {
  const double batches = RunBatches(store, options);
  const Filled filled = Fill(store, pool::testing::Projector(store), options.proxies, 10);
  std::printf("%s: pipelined batches of 400 rows %.0f rows/s; resync %.0f rows/s written, %.0f rows/s cleared\n",
              name.c_str(), batches, 2 * options.proxies / filled.write_seconds,
              2 * options.proxies / filled.clear_seconds);
}

void BenchMemory(RedisServer& server, PoolStore& redis, const Options& options) {
  server.Ask({"FLUSHALL"});
  const std::int64_t before = server.Info("used_memory");
  Fill(redis, pool::testing::Projector(redis), options.proxies, 10);
  const std::int64_t after = server.Info("used_memory");
  std::printf("memory of Redis: %.0f bytes a proxy with its address (%d proxies, %.0f MiB)\n",
              static_cast<double>(after - before) / options.proxies, options.proxies,
              static_cast<double>(after - before) / (1 << 20));
}

void BenchRedis(bool durable, const BootClock& clock, const Options& options) {
  const std::string name = durable ? "Redis, appendfsync always" : "Redis in memory alone";
  RedisServer server({.durable = durable});
  RedisSettings settings;
  settings.addresses = {server.address()};
  const auto redis = Take(RedisStore::Make(settings, clock, [] { return 0; }));
  std::printf("\n%s: %d interleaved pairs of %d extractions, one in flight\n", name.c_str(), options.pairs,
              options.extractions);
  BenchExtractions(server, *redis, clock, options);
  BenchRows(name, *redis, options);
  if (!durable) BenchMemory(server, *redis, options);
}

int Run(const Options& options) {
  const auto clock = Take(SystemBootClock());
  EmbeddedStore embedded(*clock);
  BenchRows("embedded", embedded, options);
  for (const bool durable : {true, false}) BenchRedis(durable, *clock, options);
  return 0;
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  holdfast::bench::Options options;
  CLI::App app("Extractions, rows and memory of the pool store");
  app.add_option("--proxies", options.proxies, "of the parts that write rows")->check(CLI::Range(1, 1'000'000));
  app.add_option("--extractions", options.extractions, "of each run")->check(CLI::Range(1, 100'000));
  app.add_option("--pairs", options.pairs)->check(CLI::Range(1, 100));
  CLI11_PARSE(app, argc, argv);
  return holdfast::bench::Run(options);
}
